/*
 * The exchange of docs/protocol.md: one credential, one door, and an attacker who has every frame that was ever sent.
 * What is modelled, what isn't, and what a result means: README.md beside this file.
 *
 * Everything is counted from now: slots from the door's own, windows as what is left of them. So a run has no last
 * moment, and kills, reboots and doubts of the clock may come any number of times.
 *
 * FAULT_...  a seeded fault, which an assertion has to find
 * LIMIT_...  what the protocol doesn't promise, or an assumption taken away: found in the same way
 * REACH_...  what has to be possible: "violated" means that it is
 */

/* skewSlots */
#ifndef SKEW
#define SKEW 1
#endif
/* Ticks in a slot. */
#ifndef SLOT
#define SLOT 1
#endif
/* Ticks between two challenges. */
#ifndef PERIOD
#ifdef LIMIT_LONG_CHALLENGE
#define PERIOD (3 * SLOT)
#else
#define PERIOD 1
#endif
#endif
/* Ticks for which a press is remembered after a frame of it was handled. */
#ifndef WINDOW
#define WINDOW ((2 * SKEW + 2) * SLOT)
#endif
/* Ticks after the beginning of an intent in which its holder makes new frames of it. */
#ifndef INTENT
#ifdef LIMIT_LONG_INTENT
#define INTENT (3 * SLOT)
#else
#define INTENT SLOT
#endif
#endif
/* Intents of a run, 2 or 3. The n-th has press n, and its frames have sequence n in whatever slot or challenge. */
#ifndef PRESSES
#define PRESSES 2
#endif

/* Slots by place: SKEW + 1 is the door's own, NEWEST the last that it accepts, 0 the one just out of the window. */
#define NEWEST (2 * SKEW + 1)
#ifdef FAULT_SLOT_TOO_OLD
#define OLDEST 0
#else
#define OLDEST 1
#endif
#ifdef LIMIT_AHEAD
#define FASTEST (NEWEST + 1)
#else
#define FASTEST NEWEST
#endif
#define PLACES (FASTEST + 1)

/* Challenges by place: the last and the current one. */
#define LAST 0
#define CURRENT 1

/* A mark is (place, sequence) as one number; 0 is below all. FULL stands for sequence 255. */
#define FULL PRESSES
#define STEP (PRESSES + 1)
#define level(place, sequence) ((place) * STEP + (sequence) + 1)
#define onePlaceOlder(mark) (mark > STEP -> mark - STEP : 0)

/* Sets of presses. */
#define has(set, press) (((set) >> (press)) & 1)
#define hasLater(set, press) ((set) >> ((press) + 1))
#define add(set, press) set = (set) | (1 << (press))

mtype = { nothing, time, challenge };

/* The air, which is the attacker's: presses of which there is a frame for that slot, or under that challenge; presses
 * to a frame of which there is an answer. */
byte timeFrames[PLACES];
byte challengeFrames[2];
byte answers;

/* The holder. Its press is durable before the first transmission. */
byte ahead;               /* place of its slot: its clock is right at SKEW + 1 */
bit pressing;             /* an intent is going on */
byte press;               /* its press, or the next one's */
byte making;              /* ticks in which new frames of it are made, the running one included */

/* The door, on disk. */
byte mark;                /* time mark */
byte known[PRESSES];      /* ticks for which the press is remembered, the running one included */
#ifdef ACTUATIONS
byte moved;               /* presses whose movement is recorded */
#endif
/* The door, in memory. */
bit trusted = 1;          /* its clock; not where a floor is due */
byte challengeMark;
byte life[2];             /* ticks for which the challenge is live, the running one included */

/* What really happened: no party knows it. */
byte phase;               /* ticks of the slot that are over */
byte doneByTime, doneByChallenge;
bit answeredBefore;       /* there was an answer to this intent's press before it began */
bit floorStands;          /* kept by REACH_TIME_AFTER_FLOOR only */

/* The properties, by name, so that a run says which one doesn't hold. */
bit executedTwice, outsideWindow, overtaken, wrongAnswer, falselyDone, possible;

#define done (doneByTime | doneByChallenge)

inline down(number) {
  if
  :: number > 0 -> number--
  :: else
  fi
}

inline reach() { possible = 1; assert(!possible) }

/* ---- The holder's steps ---- */

/* It makes every frame that it may make: one that the attacker drops is one that wasn't sent. */
inline makeFrames() {
  if
  :: pressing && making > 0 ->
     add(timeFrames[ahead], press);
     add(challengeFrames[LAST], press);
     add(challengeFrames[CURRENT], press)
  :: else
  fi
}

inline beginIntent() {
  printf("holder: begins an intent, press %d\n", press);
  pressing = 1;
  making = INTENT + 1;
  answeredBefore = has(answers, press);
  makeFrames()
}

inline endIntent() {
  pressing = 0;
  making = 0;
  press++
}

/* ---- Time ---- */

inline tick(i) {
  d_step {
    printf("            a tick passes\n");
    down(life[LAST]);
    down(life[CURRENT]);
    down(making);
    i = 0;
    do
    :: i < PRESSES -> down(known[i]); i++
    :: else -> break
    od;
    phase = (phase + 1) % SLOT;
    if
    :: phase == 0 ->
       i = 0;
       do
       :: i < PLACES - 1 -> timeFrames[i] = timeFrames[i + 1]; i++
       :: else -> break
       od;
       timeFrames[PLACES - 1] = 0;
       mark = onePlaceOlder(mark)
    :: else
    fi;
    i = 0;
    makeFrames()
  }
}

active proctype Clock() {
  byte i;
  do
  :: tick(i)
#ifdef CLOCK_WANDERS
  /* The holder's clock gains a slot, or loses one: then it goes on in the slot that it was in. */
  :: atomic { phase == SLOT - 1 && ahead < FASTEST -> ahead++; tick(i) }
  :: atomic { phase == SLOT - 1 && ahead > 1 -> ahead--; tick(i) }
#endif
  od
}

/* ---- The door ---- */

inline drawChallenge() {
  printf("door: draws a challenge\n");
  life[LAST] = life[CURRENT];
  life[CURRENT] = 2 * PERIOD;
  challengeFrames[LAST] = challengeFrames[CURRENT];
  challengeFrames[CURRENT] = 0;
  challengeMark = onePlaceOlder(challengeMark);
  makeFrames()
}

inline forgetPresses() {
  known[0] = 0;
  known[1] = 0;
#if PRESSES > 2
  known[2] = 0;
#endif
}

/* Memory is gone, and challenges are drawn anew. A restart within the same boot finds its state to be the newest; a
 * clock that wasn't trusted stays so until a floor stands. */
inline restart() {
  challengeMark = 0;
#ifndef FAULT_SAME_CHALLENGES
  challengeFrames[LAST] = 0;
  challengeFrames[CURRENT] = 0;
  life[LAST] = 0;
  life[CURRENT] = 2 * PERIOD;
#endif
#ifdef FAULT_PRESSES_FORGOTTEN
  forgetPresses();
#endif
  makeFrames()
}

/* The disk is back as it was before anything happened. When the machine is up, an intent that was going on is over. */
inline loseDisk() {
  mark = 0;
  forgetPresses();
#ifdef ACTUATIONS
  moved = 0;
#endif
  trusted = 0;
#ifndef LIMIT_SHORT_REBOOT
  if
  :: pressing -> endIntent()
  :: else
  fi
#endif
}

/* From now on time frames of slots up to (slot + skewSlots) are refused: as if every mark were there. */
inline trustClock() {
  printf("door: trusts its clock\n");
  trusted = 1;
#ifdef REACH_TIME_AFTER_FLOOR
  floorStands = 1;
#endif
#ifndef FAULT_NO_FLOOR
  mark = level(NEWEST, FULL)
#endif
}

/* The attacker lets the door hear a frame, any that it would look up. */
inline hear() {
  if
  :: kind = time; place = OLDEST
  :: kind = challenge; place = LAST
  fi;
  do
  :: kind == time && has(timeFrames[place], heard) -> break
  :: kind == challenge && has(challengeFrames[place], heard) -> break
  :: heard + 1 < PRESSES -> heard++
  :: heard + 1 == PRESSES && place < (kind == time -> NEWEST : CURRENT) -> heard = 0; place++
  :: heard + 1 == PRESSES && place == (kind == time -> NEWEST : CURRENT) -> goto over
  od
}

/* Step 1: a challenge is looked at when a frame arrives, by its age. */
#ifdef FAULT_CHALLENGE_STAYS
#define isLive(place) true
#else
#define isLive(place) (life[place] > 0)
#endif

/* Step 6. */
#ifdef FAULT_PRESS_IGNORED
#define isKnown(press) false
#else
#define isKnown(press) (known[press] > 0)
#endif

inline mayBeKilled() {
  if
  :: true
  :: d_step { printf("door: is killed\n"); restart() };
     goto over
  fi
}

/* Step 8: one transaction. */
inline record() {
  d_step {
    printf("door: records press %d\n", heard);
    if
    :: lifted > mark -> mark = lifted
    :: else
    fi;
    known[heard] = WINDOW + 1
  }
}

/* The time window: (2 * skewSlots + 1) slots, the one in which the frame was sent included. Where clocks wander, it was
 * sent as far ahead as can be. */
#ifdef CLOCK_WANDERS
#define isTooLate(place) (place == 0)
#else
#define isTooLate(place) (ahead - place > 2 * SKEW)
#endif

/* Two challenge frames may overtake each other: LIMIT_CHALLENGE_ORDER. */
#ifdef LIMIT_CHALLENGE_ORDER
#define mayNotFollow done
#else
#define mayNotFollow doneByTime
#endif

inline execute() {
  d_step {
    if
    :: kind == time -> printf("door: EXECUTES press %d, time frame %d slots ahead\n", heard, place - SKEW - 1)
    :: kind == challenge && place == CURRENT -> printf("door: EXECUTES press %d, current challenge\n", heard)
    :: kind == challenge && place == LAST -> printf("door: EXECUTES press %d, last challenge\n", heard)
    fi;
    executedTwice = has(done, heard);
    assert(!executedTwice);
    outsideWindow = (kind == time -> isTooLate(place) : life[place] == 0);
    assert(!outsideWindow);
    overtaken = (kind == time -> hasLater(done, heard) : hasLater(mayNotFollow, heard)) > 0;
    assert(!overtaken);
#ifdef REACH_TIME
    if :: kind == time -> reach() :: else fi;
#endif
#ifdef REACH_CHALLENGE
    if :: kind == challenge -> reach() :: else fi;
#endif
#ifdef REACH_TIME_THEN_TIME
    if :: kind == time && has(doneByTime, 0) -> reach() :: else fi;
#endif
#ifdef REACH_CHALLENGE_THEN_CHALLENGE
    if :: kind == challenge && has(doneByChallenge, 0) -> reach() :: else fi;
#endif
#ifdef REACH_TIME_THEN_CHALLENGE
    if :: kind == challenge && has(doneByTime, 0) -> reach() :: else fi;
#endif
#ifdef REACH_CHALLENGE_THEN_TIME
    if :: kind == time && has(doneByChallenge, 0) -> reach() :: else fi;
#endif
#ifdef REACH_TIME_AFTER_FLOOR
    if :: kind == time && floorStands -> reach() :: else fi;
#endif
    if
    :: kind == time -> add(doneByTime, heard)
    :: kind == challenge -> add(doneByChallenge, heard)
    fi
  }
}

/* The result of a press that is asked for again is what is recorded of its movement. */
#ifdef FAULT_DONE_ASSUMED
#define isSaidDone(press) true
#else
#define isSaidDone(press) has(moved, press)
#endif

inline answer() {
#ifdef ANSWERS
  d_step { printf("door: answers press %d\n", heard); add(answers, heard) }
#else
  skip
#endif
}

active proctype Door() {
  mtype kind = nothing;
  byte place, heard, lifted, i;
  life[CURRENT] = 2 * PERIOD;
  do
  :: atomic {
       hear();
       /* Steps 1 and 4; step 3 is step 4 with another answer. What a handled frame lifts, it lifts in memory here. */
       if
       :: kind == time ->
          if
          :: level(place, heard) <= mark -> goto over
          :: else
          fi;
          if
          :: trusted ->
             lifted = level(place, heard);
#ifndef FAULT_CHALLENGES_NOT_ENDED
             challengeMark = level(CURRENT, FULL)
#endif
          :: else
          fi
       :: kind == challenge ->
          if
          :: !isLive(place) || level(place, heard) <= challengeMark -> goto over
          :: else
          fi;
          challengeMark = level(place, heard);
#ifndef FAULT_MARK_NOT_LIFTED
          if
          :: trusted -> lifted = level(NEWEST, FULL)
          :: else
          fi
#endif
       fi;
       mayBeKilled();
       if
       /* Step 6: the same press in another frame. */
       :: isKnown(heard) ->
#ifdef REACH_REPEATED
          reach();
#endif
          record();
          mayBeKilled();
#ifdef ACTUATIONS
          falselyDone = isSaidDone(heard) && !has(done, heard);
          assert(!falselyDone);
#ifdef REACH_DONE_AGAIN
          if :: isSaidDone(heard) -> reach() :: else fi;
#endif
#endif
          answer()
       /* Steps 6 and 7: the clock isn't trusted, or the command needs a challenge. Result 8, which isn't remembered. */
       :: !isKnown(heard) && kind == time ->
          mark = (trusted -> lifted : mark);
          mayBeKilled();
          answer()
#ifndef ACTUATIONS
       /* Step 7: denied for another reason. */
       :: !isKnown(heard) && (trusted || kind == challenge) -> record(); mayBeKilled(); answer()
#endif
       /* Steps 7 to 9: granted. */
       :: !isKnown(heard) && (trusted || kind == challenge) ->
#ifdef FAULT_ACT_FIRST
          execute();
          mayBeKilled();
          record();
#else
          record();
          mayBeKilled();
#ifdef LIMIT_STALL
          if
          :: true
          :: tick(i); place = (kind == time && phase == 0 -> place - 1 : place)
          fi;
#endif
          execute();
#endif
          mayBeKilled();
#ifdef ACTUATIONS
          d_step { add(moved, heard) };
          mayBeKilled();
#endif
          answer()
       fi;
over:  skip;
       d_step { kind = nothing; place = 0; heard = 0; lifted = 0 }
     }
  /* Not before its time; later, where the timer stalls. */
  :: d_step { life[CURRENT] <= PERIOD -> drawChallenge() }
  :: d_step { printf("door: is killed\n"); restart() }
  :: d_step { printf("door: reboots with an old disk\n"); loseDisk(); restart() }
  :: d_step { !trusted -> trustClock() }
#ifndef NO_DOUBT
  :: d_step { trusted -> printf("door: doubts its clock\n"); trusted = 0 }
#endif
  od
}

/* ---- The holder ---- */

#ifdef ANSWERS
#define isAnswered(press) has(answers, press)
#else
#define isAnswered(press) false
#endif

active proctype Holder() {
  atomic {
    if
    :: ahead = FASTEST
    :: ahead = SKEW + 1
    :: ahead = 1
    fi;
    printf("holder: its clock is ahead by %d slots\n", ahead - SKEW - 1)
  }
  do
  :: d_step { !pressing && press < PRESSES -> beginIntent() }
  /* An answer is right when it opens under this credential's key with the tag of a frame of this intent. */
  :: d_step { pressing && isAnswered(press) ->
       printf("holder: takes an answer to press %d\n", press);
#ifdef REACH_ANSWER
       reach();
#endif
       wrongAnswer = answeredBefore;
       assert(!wrongAnswer);
       endIntent() }
  :: d_step { pressing -> printf("holder: gives up, or is killed\n"); endIntent() }
#ifdef FAULT_HOLDER_LATE
  :: d_step { pressing -> printf("holder: is killed before its press is durable\n"); pressing = 0; making = 0 }
#endif
#ifdef FAULT_ANSWER_UNBOUND
  :: d_step { pressing && answers ->
       printf("holder: takes any answer of its door\n");
       wrongAnswer = !has(answers, press);
       assert(!wrongAnswer);
       endIntent() }
#endif
#ifdef FAULT_ANSWER_ANY_KEY
  :: d_step { pressing ->
       printf("holder: takes an answer that was made for another credential\n");
       wrongAnswer = 1;
       assert(!wrongAnswer) }
#endif
#ifdef LIMIT_CLOCK_BACK
  :: d_step { !pressing && ahead == NEWEST ->
       printf("holder: its clock is set back by %d slots\n", 2 * SKEW);
       ahead = 1 }
#endif
  od
}

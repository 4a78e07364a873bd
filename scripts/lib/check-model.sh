#!/bin/bash
# Checks the model of the exchange, docs/model/exchange.pml, with spin.
#   scripts/lib/check-model.sh         every case: the exhaustive runs must find nothing, all others their property
#   scripts/lib/check-model.sh CASE    one case, and where a property doesn't hold, the shortest way there
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

model=docs/model/exchange.pml
out=.build/model

# Case, property that must be violated (-: none), options.
cases() {
  sed 's/ *#.*//; /^$/d' <<'END'
# Exhaustive runs. What is left out in one of them is in another.
exchange                       -
answers                        -              -DNO_DOUBT -DANSWERS
half-slots                     -              -DNO_DOUBT -DSLOT=2
long-challenges                -              -DNO_DOUBT -DPERIOD=2
clock-wanders                  -              -DNO_DOUBT -DCLOCK_WANDERS
two-slots-of-skew              -              -DNO_DOUBT -DSKEW=2
actuations                     -              -DNO_DOUBT -DACTUATIONS
# What has to be possible.
reach-time                     possible       -DREACH_TIME
reach-challenge                possible       -DREACH_CHALLENGE
reach-time-then-time           possible       -DREACH_TIME_THEN_TIME
reach-time-then-challenge      possible       -DREACH_TIME_THEN_CHALLENGE
reach-challenge-then-time      possible       -DREACH_CHALLENGE_THEN_TIME
reach-challenge-then-challenge possible       -DREACH_CHALLENGE_THEN_CHALLENGE
reach-time-after-floor         possible       -DREACH_TIME_AFTER_FLOOR
reach-repeated                 possible       -DREACH_REPEATED
reach-answer                   possible       -DANSWERS -DREACH_ANSWER
reach-done-again               possible       -DACTUATIONS -DREACH_DONE_AGAIN
# Seeded faults.
fault-act-first                executedTwice  -DFAULT_ACT_FIRST
fault-challenge-stays          outsideWindow  -DFAULT_CHALLENGE_STAYS
fault-slot-too-old             outsideWindow  -DFAULT_SLOT_TOO_OLD
fault-press-ignored            executedTwice  -DFAULT_PRESS_IGNORED
fault-presses-forgotten        executedTwice  -DFAULT_PRESSES_FORGOTTEN
fault-no-floor                 executedTwice  -DFAULT_NO_FLOOR
fault-same-challenges          executedTwice  -DFAULT_SAME_CHALLENGES
fault-mark-not-lifted          overtaken      -DFAULT_MARK_NOT_LIFTED
fault-challenges-not-ended     overtaken      -DFAULT_CHALLENGES_NOT_ENDED
fault-answer-unbound           wrongAnswer    -DANSWERS -DFAULT_ANSWER_UNBOUND
fault-answer-any-key           wrongAnswer    -DANSWERS -DFAULT_ANSWER_ANY_KEY
fault-holder-late              wrongAnswer    -DANSWERS -DFAULT_HOLDER_LATE
fault-done-assumed             falselyDone    -DACTUATIONS -DFAULT_DONE_ASSUMED
# What the protocol doesn't promise.
limit-long-intent              executedTwice  -DLIMIT_LONG_INTENT
limit-long-challenge           executedTwice  -DLIMIT_LONG_CHALLENGE
limit-short-reboot             executedTwice  -DLIMIT_SHORT_REBOOT
limit-ahead                    outsideWindow  -DLIMIT_AHEAD
limit-stall                    outsideWindow  -DLIMIT_STALL
limit-challenge-order          overtaken      -DNO_DOUBT -DLIMIT_CHALLENGE_ORDER
limit-clock-back               overtaken      -DNO_DOUBT -DLIMIT_CLOCK_BACK
END
}

options_of() { cases | awk -v name="$1" '$1 == name { for (i = 3; i <= NF; i++) printf "%s ", $i }'; }

# build_case CASE [FLAGS OF THE COMPILER]: makes pan, which searches every state of that case.
build_case() {
  local name=$1 options
  shift
  read -ra options <<<"$(options_of "$name")"
  rm -rf "${out:?}/$name"
  mkdir -p "$out/$name"
  (cd "$out/$name" && cp "$root/$model" . && spin -a "${options[@]}" "${model##*/}" &&
    gcc -w -DSAFETY -DNOFAIR -DMEMLIM=6000 "$@" -o pan pan.c) >"$out/$name/build.log" 2>&1 || {
    cat "$out/$name/build.log" >&2
    die "$name: the model doesn't build"
  }
}

search_case() { (cd "$out/$1" && ./pan -m200000 >pan.log 2>&1) || die "$1: pan ended with $?: $out/$1/pan.log"; }

# Says what came of a case; false where it isn't what has to come.
run_case() {
  local name=$1 expected=$2 optimise=-O0 began=$SECONDS log=$out/$1/pan.log violated states
  [ "$expected" != - ] || optimise=-O2
  build_case "$name" "$optimise"
  search_case "$name"
  violated=$(sed -n 's/^pan:[0-9]*: \(assertion violated  *!(\)\{0,1\}\([^()]*\).*/\2/p' "$log" | sed -n 1p)
  states=$(awk '/states, stored/ { print $1 }' "$log")
  printf '%-31s %-14s %8s states %3d s\n' "$name" "${violated:--}" "${states:-?}" $((SECONDS - began)) >&2
  [ "${violated:--}" = "$expected" ] || die "$name: has to violate: $expected. What it did: $log"
  # An exhaustive run is one that wasn't cut short, and that came by every statement.
  if [ "$expected" = - ]; then
    grep -q 'errors: 0' "$log" && ! grep -q -E 'max search depth too small|Search not completed' "$log" ||
      die "$name: the search wasn't exhaustive: $log"
    ! grep -E '^\s.*, state [0-9]+, ' "$log" | grep -v -e '"-end-"' >&2 || die "$name: never came by these statements"
  fi
}

show_case() {
  local name=$1 options
  read -ra options <<<"$(options_of "$name")"
  build_case "$name" -O2 -DBFS
  search_case "$name"
  cd "$out/$name" || return
  grep -E '^pan:|states, stored|nominal' pan.log
  [ -f "${model##*/}.trail" ] || return 0
  spin -t "${options[@]}" "${model##*/}" | sed '/^spin: trail ends/,$d'
  say "Every step of it: cd $out/$name && spin -t -p ${options[*]} ${model##*/}"
}

install_lock
need_packages spin gcc libc6-dev
install_unlock
mkdir -p "$out"
case $# in
  0)
    began=$SECONDS
    export -f say die cases options_of build_case search_case run_case
    export root model out
    cases | awk '{ print $1, $2 }' | xargs -P "$(nproc)" -L 1 bash -euo pipefail -c 'run_case "$1" "$2"' check-model ||
      die "the model isn't as it should be"
    say "$(cases | wc -l) cases in $((SECONDS - began)) s"
    ;;
  1)
    [ -n "$(cases | awk -v name="$1" '$1 == name')" ] || {
      say "cases:"
      cases | awk '{ print "  " $1 }' >&2
      die "no such case: $1"
    }
    show_case "$1"
    ;;
  *) die "usage: scripts/lib/check-model.sh [CASE]" ;;
esac

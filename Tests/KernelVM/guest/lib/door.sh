# A site with a door and a holder, and the programs over an adapter. Sourced by one-case.

site=/tmp/site
export LATCHKEY_SITE="$site/keys" LATCHKEY_CREDENTIAL="$site/alice.json"

# What drives the door's lock, and for how long; a case may set others before it starts the door.
door_lock='{ dry-run: {} }'
door_pulse=1s
# More of the door's settings, behind a comma.
door_more=""

# Made once for all cases. The door's state is made here too, so that the seconds after a first start, in which time
# frames aren't taken, are over when the first case begins.
set_up() {
  mkdir -p "$site"
  latchkey-keys init --name Kernel --timezone UTC --slot-seconds 1
  latchkey-keys door add front
  latchkey-keys issue alice --holder Alice --doors front --commands unlock,lock,status --freshness time \
    --out "$LATCHKEY_CREDENTIAL"
  latchkey-keys export front --out "$site/front.bundle"
  configure tcp:127.0.0.1:1
  start door.json latchkeyd run --config "$site/latchkeyd.yaml" --json
  await_radio unknown "nothing listens there"
  finish "$process"
  sleep 4
}

# Writes the door's configuration: configure RADIO [more lines]
configure() {
  cat >"$site/latchkeyd.yaml" <<YAML
radio: $1
site-key: $(latchkey-keys public-key)
state: state.db
volatile: run
clock: battery
${2:-}
doors:
  front: { bundle: front.bundle, lock: $door_lock, pulse: $door_pulse, freshness: time$door_more }
YAML
}

# Starts the door and waits until it hears: start_door RADIO [CONFIGURATION [OPTIONS...]]; sets `door`.
start_door() {
  launch_door "$@"
  await 40 "radio that is on" door_hears
}

# The same without waiting for anything.
launch_door() {
  configure "$1" "${2:-}"
  shift
  [ $# -eq 0 ] || shift
  start door.json latchkeyd run --config "$site/latchkeyd.yaml" --json "$@"
  door=$process
}

door_hears() {
  kill -0 "$door" 2>/dev/null || fail "latchkeyd ended: $(tail -n 1 door.json)"
  has_line door.json '"event":"radio".*"state":"on"' 1
}

# Waits until the door says what state its radio is in, and why: await_radio STATE REGEX
await_radio() { await_line door.json "\"event\":\"radio\",\"state\":\"$1\".*$2"; }

# Ends the door as its unit would; that is no failure.
stop_door() {
  finish "$door"
  [ "$status" -eq 0 ] || fail "latchkeyd ended with $status"
}

# A press at the door: press RADIO [OPTIONS]. It asks for no answer: BlueZ's emulated controllers send an advert once when
# they are told to start, so that what a door changes while it sends reaches nobody.
press() {
  local radio="$1"
  shift
  latchkey unlock front --radio "$radio" --state "$site/holder" --timeout 2s --no-answer "$@" >press.log 2>&1 ||
    fail "latchkey unlock ended with $?: $(tr '\n' ' ' <press.log)"
}

await_grants() { await_line door.json '"event":"granted".*"command":"unlock"' "$1"; }

# Sends something that is nobody's, for a moment: send RADIO [OPTIONS]
send() {
  local radio="$1"
  shift
  latchkey broadcast 020106 --radio "$radio" --seconds 0.1 "$@"
}

# Fails unless `latchkeyd radios` shows an adapter with this state, and the other words: expect_radio hci0 STATE [WORDS...]
expect_radio() {
  local adapter="$1" word
  shift
  latchkeyd radios >radios || fail "latchkeyd radios ended with $?"
  cat radios
  for word in "$@"; do
    grep "^$adapter " radios | grep -q -F -e "$word" || fail "not \"$word\": $(grep "^$adapter " radios)"
  done
}

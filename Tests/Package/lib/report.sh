# How a case fails, and how it waits. Sourced by Tests/Package/run.
# shellcheck shell=bash

fail() {
  echo "FAILED: $*"
  exit 1
}

# Waits until a command succeeds: await SECONDS WHAT COMMAND...
await() {
  local end=$((SECONDS + $1)) what="$2"
  shift 2
  until "$@"; do
    [ "$SECONDS" -le "$end" ] || fail "no $what"
    sleep 0.1
  done
}

# Fails unless two texts are the same: expect WHAT FOUND WANTED
expect() { [ "$2" = "$3" ] || fail "$1: \"$2\" instead of \"$3\""; }

# Fails unless a command says nothing at all and ends well: an exit code of 0 alone says little of systemd's checks.
expect_silence() {
  local said status=0
  said="$("$@" 2>&1)" || status=$?
  [ -z "$said" ] && [ "$status" -eq 0 ] || fail "$* ended with $status and said: $said"
}

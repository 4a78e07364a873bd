# The programs as they are released, for shell scripts. Sourced after setup.sh.
# shellcheck shell=bash

# Where they lie: linked statically, so that they need nothing of the machine they run on and start in a third of the time.
static="$root/.build/static"
programs=(latchkeyd latchkey latchkey-keys latchkey-relay)

# Builds them; their output is added to the file $1.
build_static_programs() {
  local program
  for program in "${programs[@]}"; do
    swift build -c release -Xswiftc -static-executable --scratch-path "$static" --product "$program" \
      </dev/null >>"$1" 2>&1 || {
      grep -E 'error:' "$1" | sort -u | sed -n 1,40p >&2
      die "the static build failed (all of its output: ${1#"$root/"})"
    }
  done
}

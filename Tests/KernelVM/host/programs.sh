# The programs as they are released: linked statically, so that they need nothing of the machine they run on.
# Sourced by Tests/KernelVM/run.
# shellcheck shell=bash

programs=(latchkeyd latchkey latchkey-keys latchkey-relay)
# The end-to-end tests, which aren't linked statically: Swift Testing can't be.
test_bundle="$root/.build/debug/latchkeyPackageTests.xctest"
static="$root/.build/static"

build_programs() {
  local program log="$work/build.log"
  say "Building the programs statically"
  : >"$log"
  for program in "${programs[@]}"; do
    swift build -c release -Xswiftc -static-executable --scratch-path "$static" --product "$program" \
      </dev/null >>"$log" 2>&1 || {
      grep -E 'error:' "$log" | sort -u | head -n 40 >&2
      die "the static build failed (all of its output: .build/kernel/build.log)"
    }
  done
  gcc -O2 -Wall -Werror -static -o "$work/edges" "$here/host/edges.c"
  say "Building the tests"
  swift build --build-tests </dev/null >>"$log" 2>&1 || {
    grep -E 'error:' "$log" | sort -u | head -n 40 >&2
    die "the tests' build failed (all of its output: .build/kernel/build.log)"
  }
}

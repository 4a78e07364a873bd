# What the guest runs: the programs as they are released, and the end-to-end tests. Sourced by Tests/KernelVM/run.
# shellcheck shell=bash
source "$root/scripts/lib/static.sh"

# The end-to-end tests, which aren't linked statically: Swift Testing can't be.
test_bundle="$root/.build/debug/latchkeyPackageTests.xctest"

build_programs() {
  local log="$work/build.log"
  say "Building the programs statically"
  : >"$log"
  build_static_programs "$log"
  gcc -O2 -Wall -Werror -static -o "$work/edges" "$here/host/edges.c"
  say "Building the tests"
  swift build --build-tests </dev/null >>"$log" 2>&1 || {
    grep -E 'error:' "$log" | sort -u | sed -n 1,40p >&2
    die "the tests' build failed (all of its output: .build/kernel/build.log)"
  }
}

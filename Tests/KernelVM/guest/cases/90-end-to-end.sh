# The end-to-end tests of the source tree, those of the radio, of challenges and answers, and some of the air, over controllers of their own behind
# /dev/vhci. One after another, since an emulated machine has enough to do with one.

case_end_to_end() {
  status=0
  LATCHKEY_TEST_AIR=kernel LATCHKEY_BIN=/usr/bin timeout 400 \
    latchkey-tests --testing-library swift-testing --no-parallel \
    --filter 'EndToEndTests.(RadioTests/|ChallengeTests/|AirTests/(carriers|junkFlood|twoHolders)\()' >tests.log 2>&1 || status=$?
  [ "$status" -eq 0 ] || fail "exit $status; $(grep -c '^✘ Test .* failed after' tests.log) tests failed"
  # The filter may not have found what it names.
  grep -q '^✔ Test run with [12][0-9] tests' tests.log || fail "not as many tests as there should be"
}

# The end-to-end tests of the source tree, over controllers of their own behind /dev/vhci. One after another, since an
# emulated machine has enough to do with one.

case_end_to_end() {
  status=0
  LATCHKEY_TEST_AIR=kernel LATCHKEY_BIN=/usr/bin timeout 400 \
    latchkey-tests --testing-library swift-testing --no-parallel --filter 'EndToEndTests.(RadioTests)/' \
    >tests.log 2>&1 || status=$?
  [ "$status" -eq 0 ] || fail "exit $status; $(grep -c '^✘ Test .* failed after' tests.log) tests failed"
  grep '^✔ Test run' tests.log || fail "no test ran"
}

# The end-to-end tests of the source tree, over controllers of their own behind /dev/vhci. One after another, since an
# emulated machine has enough to do with one.

case_end_to_end() {
  LATCHKEY_TEST_AIR=kernel LATCHKEY_BIN=/usr/bin latchkey-tests --testing-library swift-testing --no-parallel \
    --filter 'EndToEndTests.(AirTests|RadioTests)/' >tests.log 2>&1 ||
    fail "$(grep -c '^✘ Test .* failed after' tests.log) tests failed"
  grep '^✔ Test run' tests.log || fail "no test ran"
}

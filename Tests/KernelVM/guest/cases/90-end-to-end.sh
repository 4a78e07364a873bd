# The end-to-end tests of the source tree, over controllers of their own behind /dev/vhci.

case_end_to_end() {
  # One after another: each takes the lowest numbers of adapters. A reply of the emulated machine takes its time.
  LATCHKEY_TEST_AIR=kernel LATCHKEY_BIN=/usr/bin latchkey-tests --testing-library swift-testing --no-parallel \
    --filter 'EndToEndTests.(AirTests|RadioTests)/' >tests.log 2>&1 || fail "$(grep -c '^✘ Test .* failed' tests.log) tests failed"
  grep '^✔ Test run' tests.log || fail "no test ran"
}

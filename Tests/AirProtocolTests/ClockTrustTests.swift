import Testing

@testable import AirProtocol

/// The door's clock (protocol.md): what makes it trusted, and what ends that.
@Suite struct ClockTrustTests {
  private func reading(wall: Int, boot: Int, synchronised: Bool = true, error: Duration = .milliseconds(20))
    -> ClockTrust.Reading
  {
    ClockTrust.Reading(
      wall: .seconds(wall), boot: .seconds(boot), synchronised: synchronised, maximumError: error)
  }

  private func trust(_ basis: ClockTrust.Basis = .kernel, lastRecord: Int = 0) -> ClockTrust {
    ClockTrust(basis: basis, slotSeconds: 5, lastRecord: .seconds(lastRecord))
  }

  @Test func aSynchronisedKernelIsTrusted() {
    var trust = trust()
    #expect(!trust.isTrusted)
    #expect(trust.observe(reading(wall: 1_000, boot: 10)) == .trusted)
    #expect(trust.isTrusted)
    #expect(trust.observe(reading(wall: 1_001, boot: 11)) == nil)
  }

  @Test(arguments: [
    (false, Duration.milliseconds(1)), (true, Duration.seconds(5)), (true, Duration.seconds(16)),
  ])
  func anUnsynchronisedKernelIsNot(synchronised: Bool, error: Duration) {
    var trust = trust()
    let change = trust.observe(reading(wall: 1_000, boot: 10, synchronised: synchronised, error: error))
    #expect(change == .doubted(.notSynchronised))
    #expect(!trust.isTrusted)
    #expect(trust.observe(reading(wall: 1_001, boot: 11, synchronised: synchronised, error: error)) == nil)
  }

  @Test func aBatteryClockNeedsNoKernel() {
    var trust = trust(.battery)
    #expect(trust.observe(reading(wall: 1_000, boot: 10, synchronised: false)) == .trusted)
  }

  @Test func aClockBehindTheLastRecordIsNot() {
    var trust = trust(.battery, lastRecord: 2_000)
    #expect(trust.observe(reading(wall: 1_999, boot: 10)) == .doubted(.behindLastRecord(.seconds(1))))
    // Standing behind is one change, not one a second.
    #expect(trust.observe(reading(wall: 1_999, boot: 11)) == nil)
  }

  @Test func recordsOfATrustedClockCount() {
    var trust = trust()
    _ = trust.observe(reading(wall: 1_000, boot: 10))
    trust.recorded(at: .seconds(1_060))
    _ = trust.observe(reading(wall: 1_001, boot: 11))
    #expect(trust.doubt == .behindLastRecord(.seconds(59)))
  }

  @Test(arguments: [3, -3, 3_600])
  func aStepEndsTrustUntilItIsSynchronisedAnew(by: Int) {
    var trust = trust()
    _ = trust.observe(reading(wall: 100_000, boot: 10))
    #expect(trust.observe(reading(wall: 100_001 + by, boot: 11)) == .doubted(.stepped(.seconds(by))))
    #expect(trust.observe(reading(wall: 100_002 + by, boot: 12, synchronised: false)) == .doubted(.notSynchronised))
    #expect(trust.observe(reading(wall: 100_003 + by, boot: 13)) == .trusted)
  }

  @Test func aBatteryClockThatStepsIsOnProbation() {
    var trust = trust(.battery)
    _ = trust.observe(reading(wall: 100_000, boot: 10, synchronised: false))
    _ = trust.observe(reading(wall: 100_011, boot: 11, synchronised: false))
    #expect(trust.doubt == .stepped(.seconds(10)))
    _ = trust.observe(reading(wall: 100_070, boot: 70, synchronised: false))
    #expect(!trust.isTrusted)
    #expect(trust.observe(reading(wall: 100_071, boot: 71, synchronised: false)) == .trusted)
  }

  @Test func twoSecondsAreNoStepButMayNotAddUp() {
    var trust = trust()
    _ = trust.observe(reading(wall: 1_000, boot: 10))
    #expect(trust.observe(reading(wall: 1_003, boot: 11)) == nil)
    #expect(trust.observe(reading(wall: 1_006, boot: 12)) == .doubted(.stepped(.seconds(4))))
  }
}

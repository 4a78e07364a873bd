import POSIX
import Testing

@testable import HCI

@Suite struct HostControllerTests {
  private func at(_ milliseconds: UInt64) -> BootInstant { BootInstant(nanoseconds: milliseconds * 1_000_000) }

  private func take(_ host: inout HostController, _ packet: [UInt8], _ milliseconds: UInt64) -> HostController.Outcome {
    host.take(HCIEvent(parsing: packet.span), now: at(milliseconds))
  }

  @Test func oneCommandIsInFlight() {
    var host = HostController(timings: Timings())
    #expect(host.isReady && host.deadline == nil)
    host.sending(.leSetScanEnable, now: at(0))
    #expect(!host.isReady && host.deadline == at(2000))
    #expect(take(&host, complete(.leSetScanEnable, 0, credits: 5), 10) == .reply(.success, parameters: []))
    #expect(host.isReady && host.deadline == nil)
    host.sending(.leSetScanEnable, now: at(20))
    #expect(!host.isReady, "five credits are no reason to send two commands at a time")
  }

  @Test func resetMayTakeFiveSecondsOthersTwo() {
    var host = HostController(timings: Timings())
    host.sending(.readLocalVersion, now: at(0))
    #expect(host.overdue(now: at(1999)) == nil)
    #expect(host.overdue(now: at(2000)) == .noReply(.readLocalVersion))
    host.sending(.reset, now: at(2000))
    #expect(host.overdue(now: at(6999)) == nil)
    #expect(host.overdue(now: at(7000)) == .noReply(.reset))
  }

  @Test func creditsAreAssignedNotAdded() {
    var host = HostController(timings: Timings())
    _ = take(&host, noOperation(credits: 3), 0)
    _ = take(&host, noOperation(credits: 0), 1)
    #expect(!host.isReady && host.deadline == at(2001))
    #expect(host.overdue(now: at(2001)) == .noCredit)
    #expect(take(&host, noOperation(credits: 255), 2) == .progress)
    #expect(host.isReady)
  }

  @Test func withoutCreditNothingIsSentUntilSomeCome() {
    var host = HostController(timings: Timings())
    host.sending(.leSetScanEnable, now: at(0))
    #expect(take(&host, complete(.leSetScanEnable, 0, credits: 0), 5) == .reply(.success, parameters: []))
    #expect(!host.isReady)
    #expect(host.overdue(now: at(2004)) == nil)
    #expect(host.overdue(now: at(2005)) == .noCredit)
    #expect(take(&host, noOperation(credits: 1), 100) == .progress)
    #expect(host.isReady && host.overdue(now: at(9999)) == nil)
  }

  @Test func repliesAreMatchedByOpcode() {
    var host = HostController(timings: Timings())
    host.sending(.leSetScanEnable, now: at(0))
    #expect(take(&host, complete(.leSetRandomAddress), 1) == .unmatched)
    #expect(take(&host, noOperation(credits: 1), 2) == .progress)
    #expect(!host.isReady)
    // Under way, then done.
    #expect(take(&host, status(.leSetScanEnable, 0), 3) == .progress)
    #expect(take(&host, complete(.leSetScanEnable), 4) == .reply(.success, parameters: []))
    #expect(take(&host, complete(.leSetScanEnable), 5) == .unmatched)
  }

  @Test func aRefusalMayComeAsStatus() {
    var host = HostController(timings: Timings())
    host.sending(.leSetScanEnable, now: at(0))
    #expect(take(&host, status(.leSetScanEnable, 0x0C), 1) == .reply(.commandDisallowed, parameters: []))
    #expect(host.isReady)
  }

  @Test func aLateReplyIsIgnoredBehindAReset() {
    var host = HostController(timings: Timings())
    host.sending(.leSetScanEnable, now: at(0))
    host.sending(.reset, now: at(2000))
    #expect(take(&host, complete(.leSetScanEnable), 2100) == .unmatched)
    #expect(!host.isReady)
    #expect(take(&host, complete(.reset), 2200) == .reply(.success, parameters: []))
    #expect(host.isReady)
  }

  @Test func aReplyWithoutStatusIsNone() {
    var host = HostController(timings: Timings())
    host.sending(.reset, now: at(0))
    #expect(take(&host, event(0x0E, [1, 0x03, 0x0C]), 1) == .malformed)
    #expect(host.overdue(now: at(5000)) == .noReply(.reset))
  }
}

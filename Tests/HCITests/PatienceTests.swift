import POSIX
import Testing

@testable import HCI

private func at(_ seconds: UInt64) -> BootInstant { BootInstant(nanoseconds: seconds * 1_000_000_000) }

@Suite struct SilenceWatchTests {
  @Test func eachSilenceIsAnsweredWithMore() {
    var watch = SilenceWatch(Timings())
    #expect(watch.deadline == nil && watch.due(at: at(1_000)) == nil, "it doesn't scan")
    watch.listening(at: at(10))
    watch.listening(at: at(50))
    #expect(watch.deadline == at(100))
    let measures = [99, 100, 101, 190, 280, 370].map { watch.due(at: at($0)) }
    #expect(measures == [nil, .probe, nil, .reset, .reopen, .probe])
    #expect(watch.isDeaf)
  }

  @Test func aReportEndsIt() {
    var watch = SilenceWatch(Timings())
    watch.listening(at: at(0))
    _ = watch.due(at: at(90))
    #expect(watch.isDeaf)
    watch.heard(at: at(100))
    #expect(!watch.isDeaf && watch.deadline == at(190))
    #expect(watch.due(at: at(190)) == .probe, "from the beginning")
  }

  @Test func onTheWayItStaysDeaf() {
    var watch = SilenceWatch(Timings())
    watch.listening(at: at(0))
    _ = watch.due(at: at(90))
    watch.pause()
    #expect(watch.isDeaf && watch.deadline == nil)
    watch.listening(at: at(95))
    #expect(watch.due(at: at(185)) == .reset)
    watch.rest()
    #expect(!watch.isDeaf && watch.deadline == nil)
  }
}

@Suite struct BackoffTests {
  @Test func doublesUpToACeilingAndBeginsAnew() {
    var backoff = Backoff(Timings())
    let delays = (0..<9).map { _ in backoff.next(at: at(0)) }
    #expect(delays == [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].map { .milliseconds($0) })
    backoff.on(at: at(100))
    backoff.on(at: at(129))
    #expect(backoff.next(at: at(130)) == .milliseconds(250), "on for as long as the delay")
    backoff.on(at: at(200))
    #expect(backoff.next(at: at(200)) == .milliseconds(500), "on for a moment only")
  }
}

@Suite struct FaultWindowTests {
  @Test func theFourthInAMinuteIsTooMuch() {
    var faults = FaultWindow(Timings())
    let first = [0, 10, 20].map { faults.isTooMuch(at: at($0)) }
    #expect(first == [false, false, false])
    let late = faults.isTooMuch(at: at(60))
    #expect(!late, "the first has been forgotten")
    let many = faults.isTooMuch(at: at(61))
    #expect(many)
    faults.forget()
    let anew = faults.isTooMuch(at: at(62))
    #expect(!anew)
  }
}

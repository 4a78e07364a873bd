import POSIX
import Testing

@testable import RelayGuard

/// A moment that many milliseconds after the machine's start.
private func at(_ milliseconds: UInt64) -> BootInstant { BootInstant(nanoseconds: milliseconds * 1_000_000) }

/// What comes at a moment, and how the relay stands after it; no message: it is only looked at.
private typealias Step = (UInt64, RelayMessage?, isOpen: Bool)

/// Runs through the steps with a heartbeat of two seconds.
private func run(_ steps: [Step], _ comment: Comment? = nil) {
  var state = RelayState(heartbeat: .seconds(2), now: at(0))
  for (moment, message, isOpen) in steps {
    if let message { state.take(message, now: at(moment)) } else { state.expire(now: at(moment)) }
    #expect(state.isOpen == isOpen, "after \(moment) ms")
    #expect((state.wakeUp == nil) == !isOpen)
  }
}

@Suite struct RelayStateTests {
  @Test func itIsClosedUntilItIsToldToOpen() {
    run([(0, nil, false), (1_000, .beat, false), (100_000, nil, false)])
  }

  @Test func aPulseEndsAtItsDeadline() {
    run([(0, .open(until: at(1_000)), true), (999, nil, true), (1_000, nil, false), (1_001, .beat, false)])
  }

  @Test func overlappingPulsesAreOne() {
    run([
      (0, .open(until: at(1_000)), true), (500, .open(until: at(1_500)), true), (1_000, nil, true), (1_499, nil, true),
      (1_500, nil, false),
    ])
  }

  @Test func theNewestDeadlineCountsWhereItIsShorter() {
    run([(0, .hold, true), (10, .open(until: at(100)), true), (100, nil, false)])
    run([(0, .open(until: at(1_900)), true), (10, .open(until: at(10)), false)])
  }

  @Test func aDeadlineInThePastOpensNothing() {
    run([(10, .open(until: at(9)), false), (20, .open(until: at(20)), false), (30, .open(until: at(0)), false)])
  }

  @Test func aCloseIsAtOnce() {
    run([(0, .open(until: at(1_000)), true), (1, .close, false), (2, .beat, false)])
    run([(0, .hold, true), (1, .close, false)])
  }

  @Test func aHoldLastsAsLongAsTheDaemonLives() {
    var steps: [Step] = [(0, .hold, true)]
    for beat in 1...100 { steps.append((UInt64(beat) * 1_999, .beat, true)) }
    run(steps + [(100 * 1_999 + 1_999, nil, true), (100 * 1_999 + 2_000, nil, false)])
  }

  @Test func silenceEndsAPulseBeforeItsDeadline() {
    run([(0, .open(until: at(60_000)), true), (1_999, nil, true), (2_000, nil, false)])
  }

  @Test func aHeartbeatThatComesLateOpensNothing() {
    run([(0, .hold, true), (2_000, .beat, false), (2_001, .beat, false)])
    run([(0, .open(until: at(1_000)), true), (1_000, .beat, false)])
  }

  @Test func aNewOpeningAfterSilenceIsAPulseOfItsOwn() {
    run([
      (0, .hold, true), (5_000, nil, false), (60_000, .open(until: at(61_000)), true), (60_999, nil, true),
      (61_000, nil, false),
    ])
  }

  @Test func itWakesAtTheEarlierOfDeadlineAndSilence() {
    var state = RelayState(heartbeat: .seconds(2), now: at(0))
    #expect(state.wakeUp == nil)
    state.take(.open(until: at(1_000)), now: at(0))
    #expect(state.wakeUp == at(1_000))
    state.take(.open(until: at(10_000)), now: at(500))
    #expect(state.wakeUp == at(2_500))
    state.take(.beat, now: at(9_000 / 6))
    #expect(state.wakeUp == at(3_500))
    state.take(.close, now: at(1_600))
    #expect(state.wakeUp == nil)
  }

  @Test func aDeadlineAtTheEndOfTimeIsBoundedBySilence() {
    run([(0, .open(until: BootInstant(nanoseconds: .max)), true), (1_999, nil, true), (2_000, nil, false)])
  }
}

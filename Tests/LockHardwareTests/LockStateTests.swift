import POSIX
import Testing

@testable import LockHardware

/// A moment that many milliseconds after the machine's start.
private func at(_ milliseconds: UInt64) -> BootInstant { BootInstant(nanoseconds: milliseconds * 1_000_000) }

/// A lock that closed at the start and rests.
private func resting() -> LockState {
  var state = LockState()
  _ = state.next(now: at(0))
  state.finished(.closed, .done, now: at(0))
  return state
}

/// A lock that stands open until that moment.
private func opened(until: BootInstant?) -> LockState {
  var state = resting()
  state.open(until: until)
  _ = state.next(now: at(1))
  state.finished(.open, .done, now: at(1))
  return state
}

@Suite struct LockStateTests {
  @Test func itClosesAtTheStartAndRests() {
    var state = LockState()
    #expect(state.next(now: at(0)) == .move(.closed))
    state.finished(.closed, .done, now: at(1))
    #expect(state.next(now: at(1)) == .wait(until: nil))
  }

  @Test func aPulseEndsAtItsMoment() {
    var state = resting()
    state.open(until: at(5_000))
    #expect(state.next(now: at(10)) == .move(.open))
    state.finished(.open, .done, now: at(20))
    #expect(state.next(now: at(20)) == .wait(until: at(5_000)))
    #expect(state.next(now: at(4_999)) == .wait(until: at(5_000)))
    #expect(state.next(now: at(5_000)) == .move(.closed))
  }

  @Test func overlappingPulsesAreOne() {
    var state = opened(until: at(5_000))
    state.open(until: at(7_000))
    #expect(state.next(now: at(4_000)) == .wait(until: at(7_000)))
    #expect(state.next(now: at(5_000)) == .wait(until: at(7_000)))
    #expect(state.next(now: at(7_000)) == .move(.closed))
  }

  @Test func aMovementIsTheNewestCommandsAndTheEndOfAnOpeningIsIts() {
    let (alice, bob) = (LockCause(event: 1, credential: "alice"), LockCause(event: 2, credential: "bob"))
    var state = resting()
    #expect(state.movingCause == nil)
    state.open(until: at(5_000), for: alice)
    #expect(state.next(now: at(10)) == .move(.open) && state.movingCause == alice)
    // Another command while it moves: the movement stays whose it was.
    state.open(until: at(6_000), for: bob)
    #expect(state.movingCause == alice && state.cause == bob)
    state.finished(.open, .done, now: at(20))
    #expect(state.next(now: at(6_000)) == .move(.closed) && state.movingCause == bob)
    state.finished(.closed, .done, now: at(6_010))
    state.stop(now: at(0))
    #expect(state.next(now: at(7_000)) == .move(.closed) && state.movingCause == nil)
  }

  @Test func aClosingThatNobodyAskedForIsTheOpenings() {
    let (alice, bob) = (LockCause(event: 1, credential: "alice"), LockCause(event: 2, credential: "bob"))
    var state = resting()
    for (closer, expected) in [(nil, alice), (bob, bob)] {
      state.open(until: nil, for: alice)
      _ = state.next(now: at(10))
      state.finished(.open, .done, now: at(20))
      state.close(for: closer, now: at(0))
      #expect(state.next(now: at(30)) == .move(.closed) && state.movingCause == expected)
      state.finished(.closed, .done, now: at(40))
      #expect(state.cause == nil)
    }
  }

  @Test func whoClosesALockThatIsClosedHasNothingToDoWithWhatComesLater() {
    let alice = LockCause(event: 1, credential: "alice")
    var state = resting()
    state.close(for: alice, now: at(0))
    #expect(state.standsUnmoved() == .closed && state.takeCause() == alice)
    #expect(state.takeCause() == nil)
    state.stop(now: at(0))
    #expect(state.next(now: at(7_000)) == .move(.closed) && state.movingCause == nil)
  }

  @Test func aClosingThatIsAskedForAgainWhileItRunsEndsTheCommandAllTheSame() {
    let alice = LockCause(event: 1, credential: "alice")
    var state = resting()
    state.open(until: at(5_000), for: alice)
    _ = state.next(now: at(10))
    state.finished(.open, .done, now: at(20))
    #expect(state.next(now: at(5_000)) == .move(.closed) && state.movingCause == alice)
    // The door's own thread has seen the end as well.
    state.close(now: at(0))
    state.finished(.closed, .done, now: at(5_010))
    #expect(state.standsUnmoved() == .closed && state.takeCause() == nil)
  }

  @Test func whoWantsToGetOutWaitsForNoClosing() {
    var state = resting()
    state.refresh()
    #expect(state.next(now: at(0)) == .move(.closed))
    state.open(until: at(5_000), for: LockCause(event: 1, credential: "alice"))
    #expect(state.stillWanted(.closed, now: at(1)), "a closing is let finish")
    state.letOut(until: at(6_000))
    #expect(!state.stillWanted(.closed, now: at(1)))
    state.finished(.closed, .interrupted, now: at(2))
    #expect(state.next(now: at(2)) == .move(.open) && state.movingCause == .exit)
  }

  /// What comes while somebody is let out until 5 s, and when the lock closes then; nil: at once.
  private struct DuringAnExit: Sendable {
    let name: String
    let closesAt: UInt64?
    let change: @Sendable (inout LockState) -> Void
  }

  private static let duringAnExit = [
    DuringAnExit(name: "nothing", closesAt: 5_000) { _ in },
    DuringAnExit(name: "the same exit again", closesAt: 5_000) { $0.letOut(until: at(5_000)) },
    DuringAnExit(name: "one that was asked for before", closesAt: 5_000) { $0.letOut(until: at(4_000)) },
    DuringAnExit(name: "another exit", closesAt: 6_000) { $0.letOut(until: at(6_000)) },
    DuringAnExit(name: "a closing", closesAt: 5_000) { $0.close(for: LockCause(event: 1), now: at(2_000)) },
    DuringAnExit(name: "a closing that knows of none", closesAt: 5_000) {
      $0.close(endingExitsBy: at(4_000), now: at(2_000))
    },
    DuringAnExit(name: "a closing that ends it", closesAt: nil) { $0.close(endingExitsBy: at(5_000), now: at(2_000)) },
    DuringAnExit(name: "a shorter opening", closesAt: 5_000) { $0.open(until: at(3_000)) },
    DuringAnExit(name: "a longer opening", closesAt: 9_000) { $0.open(until: at(9_000)) },
    DuringAnExit(name: "a hold that is released", closesAt: 5_000) {
      $0.open(until: nil)
      $0.close(now: at(2_000))
    },
    DuringAnExit(name: "a stop", closesAt: nil) { $0.stop(now: at(2_000)) },
    DuringAnExit(name: "a lock that strayed", closesAt: nil) {
      _ = $0.standsUnmoved()
      $0.strayed(from: .open)
    },
  ]

  @Test("no command but its own end keeps anybody from getting out", arguments: duringAnExit.indices)
  func exits(_ row: Int) {
    let row = Self.duringAnExit[row]
    var state = resting()
    state.letOut(until: at(5_000))
    #expect(state.next(now: at(1_000)) == .move(.open) && state.movingCause == .exit)
    state.finished(.open, .done, now: at(1_100))
    row.change(&state)
    let next = state.next(now: at(2_000))
    guard let end = row.closesAt else {
      #expect(next == .move(.closed), "\(row.name)")
      return
    }
    #expect(next == .wait(until: at(end)), "\(row.name)")
    #expect(state.next(now: at(end)) == .move(.closed) && state.lateness == .zero, "\(row.name)")
  }

  @Test func anExitOpensLongerThanAPulseAndHoldsNothing() {
    var state = opened(until: at(3_000))
    state.letOut(until: at(5_000))
    #expect(state.next(now: at(2_000)) == .wait(until: at(5_000)))
    state = opened(until: nil)
    state.letOut(until: at(5_000))
    #expect(state.next(now: at(6_000)) == .wait(until: nil))
    // It is over: the closing isn't late, and nothing is left of it.
    state.close(now: at(9_000))
    #expect(state.next(now: at(9_000)) == .move(.closed) && state.lateness == .zero)
  }

  @Test("an exit within a longer opening leaves the opening and its end to whose they are")
  func exitWithinAHold() {
    let alice = LockCause(event: 1, credential: "alice")
    var state = resting()
    state.open(until: at(9_000), for: alice)
    _ = state.next(now: at(10))
    state.finished(.open, .done, now: at(20))
    state.letOut(until: at(5_000))
    #expect(state.standsUnmoved() == nil && state.cause == alice)
    #expect(state.standingOrders == StandingOrders(opens: true, letsOut: true))
    #expect(state.next(now: at(9_000)) == .move(.closed) && state.movingCause == alice)
    #expect(state.standingOrders == StandingOrders(opens: false, letsOut: false))
  }

  @Test("a closing that hangs is broken off for an exit, whatever is commanded behind it")
  func closingThatHangs() {
    var state = opened(until: nil)
    state.close(now: at(100))
    #expect(state.next(now: at(100)) == .move(.closed))
    state.letOut(until: at(5_000))
    state.close(for: LockCause(event: 2), now: at(110))
    #expect(!state.stillWanted(.closed, now: at(120)))
    #expect(state.stillWanted(.closed, now: at(5_000)))
  }

  @Test("what failed or strayed is given up, unless a newer command stands")
  func givingUp() {
    let none = StandingOrders(opens: false, letsOut: false)
    var state = opened(until: nil)
    _ = state.standsUnmoved()
    state.strayed(from: .open)
    #expect(state.standingOrders == none)
    state = resting()
    state.open(until: at(5_000))
    _ = state.next(now: at(10))
    state.open(until: at(6_000))
    state.finished(.open, .failed, now: at(20))
    #expect(state.standingOrders.opens)
    #expect(state.next(now: at(20)) == .move(.open))
    state.finished(.open, .failed, now: at(30))
    #expect(state.standingOrders == none)
  }

  @Test("an exit within an opening that fails is tried by itself", arguments: [5_000, nil] as [UInt64?])
  func exitWithinAFailingOpening(until: UInt64?) {
    var state = resting()
    state.open(until: until.map { at($0) }, for: LockCause(event: 1))
    #expect(state.next(now: at(10)) == .move(.open))
    state.letOut(until: at(3_000))
    state.finished(.open, .failed, now: at(1_000))
    #expect(state.standingOrders == StandingOrders(opens: false, letsOut: true))
    #expect(state.next(now: at(1_000)) == .move(.open) && state.movingCause == .exit)
    state.finished(.open, .failed, now: at(1_100))
    #expect(state.next(now: at(1_100)) == .move(.closed), "once is enough")
  }

  @Test("an exit within an opening that is lost opens once more", arguments: [true, false])
  func exitWithinALostOpening(isNew: Bool) {
    var state = resting()
    if !isNew { state.letOut(until: at(3_000)) }
    state.open(until: nil)
    _ = state.next(now: at(10))
    state.finished(.open, .done, now: at(20))
    _ = state.standsUnmoved()
    if isNew { state.letOut(until: at(3_000)) }
    state.strayed(from: .open)
    #expect(state.next(now: at(1_000)) == .move(isNew ? .open : .closed))
    #expect(state.standingOrders == StandingOrders(opens: false, letsOut: isNew))
  }

  @Test func anExitThatCouldNotOpenIsOver() {
    var state = resting()
    state.letOut(until: at(5_000))
    #expect(state.next(now: at(1_000)) == .move(.open))
    state.finished(.open, .failed, now: at(1_100))
    #expect(state.next(now: at(1_100)) == .move(.closed))
    state.finished(.closed, .done, now: at(1_200))
    // Whoever asks again is let out again.
    state.letOut(until: at(6_000))
    #expect(state.next(now: at(2_000)) == .move(.open))
  }

  @Test func howLateAClosingBeginsIsKnown() {
    var state = opened(until: at(5_000))
    #expect(state.next(now: at(7_500)) == .move(.closed) && state.lateness == .milliseconds(2_500))
    state.finished(.closed, .done, now: at(7_510))
    _ = state.next(now: at(7_520))
    #expect(state.lateness == .zero)
    state = opened(until: nil)
    state.close(now: at(0))
    #expect(state.next(now: at(9_000)) == .move(.closed) && state.lateness == .zero)
  }

  @Test func theLastTriesOfALockThatHasFailedForHoursDoNotWaitLong() {
    var state = LockState()
    var now: UInt64 = 0
    for _ in 0..<12 {
      guard case .move(.closed) = state.next(now: at(now)) else { break }
      state.finished(.closed, .failed, now: at(now))
      now += 30_000
    }
    state.stop(now: at(0))
    for pause: UInt64 in [0, 250, 500] {
      now += pause
      #expect(state.next(now: at(now)) == .move(.closed))
      state.finished(.closed, .failed, now: at(now))
    }
    #expect(state.next(now: at(now)) == .end)
  }

  @Test func theNewestCommandCounts() {
    var state = opened(until: nil)
    #expect(state.next(now: at(1_000_000)) == .wait(until: nil))
    state.close(now: at(0))
    #expect(state.next(now: at(1_000_000)) == .move(.closed))
    state.open(until: at(2_000_000))
    state.finished(.closed, .done, now: at(1_000_001))
    #expect(state.next(now: at(1_000_001)) == .move(.open))
  }

  @Test func aPulseThatIsOverOpensNothing() {
    var state = resting()
    state.open(until: at(100))
    #expect(state.next(now: at(100)) == .wait(until: nil))
  }

  @Test func aFailedOpeningIsClosedAndNotTriedAgain() {
    var state = resting()
    state.open(until: at(5_000))
    #expect(state.next(now: at(10)) == .move(.open))
    state.finished(.open, .failed, now: at(20))
    #expect(state.next(now: at(20)) == .move(.closed))
    state.finished(.closed, .done, now: at(30))
    #expect(state.next(now: at(30)) == .wait(until: nil))
  }

  @Test func anOpeningAskedForMeanwhileIsStillTried() {
    var state = resting()
    state.open(until: at(5_000))
    _ = state.next(now: at(10))
    state.open(until: at(6_000))
    state.finished(.open, .failed, now: at(20))
    #expect(state.next(now: at(20)) == .move(.open))
  }

  @Test func aFailedClosingIsTriedAgainLessAndLessOften() {
    var state = LockState()
    var now = at(0)
    for wait in [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000, 30_000] {
      #expect(state.next(now: now) == .move(.closed))
      state.finished(.closed, .failed, now: now)
      let retry = now + .milliseconds(wait)
      #expect(state.next(now: now) == .wait(until: retry))
      now = retry
    }
    _ = state.next(now: now)
    state.finished(.closed, .done, now: now)
    #expect(state.next(now: now) == .wait(until: nil))
  }

  @Test func aCommandDoesNotWaitForTheRetry() {
    var state = LockState()
    _ = state.next(now: at(0))
    state.finished(.closed, .failed, now: at(0))
    state.close(now: at(0))
    #expect(state.next(now: at(1)) == .move(.closed))
    state.finished(.closed, .failed, now: at(1))
    state.open(until: at(1_000))
    #expect(state.next(now: at(2)) == .move(.open))
  }

  @Test(arguments: [LockState.Outcome.done, .failed, .interrupted])
  func anOpeningIsClosedAtItsEndWhateverFailedBefore(outcome: LockState.Outcome) {
    var state = LockState()
    for _ in 0..<6 {
      _ = state.next(now: at(0))
      state.finished(.closed, .failed, now: at(0))
    }
    state.open(until: at(1_000))
    #expect(state.next(now: at(1)) == .move(.open))
    state.finished(.open, outcome, now: at(2))
    #expect(state.next(now: at(1_000)) == .move(.closed))
  }

  @Test func anOpeningIsBrokenOffByACloseAndByItsEnd() {
    var state = resting()
    state.open(until: at(5_000))
    _ = state.next(now: at(10))
    #expect(state.deadline == at(5_000))
    #expect(state.stillWanted(.open, now: at(4_999)))
    #expect(!state.stillWanted(.open, now: at(5_000)))
    state.open(until: at(9_000))
    #expect(state.stillWanted(.open, now: at(5_000)))
    state.close(now: at(0))
    #expect(!state.stillWanted(.open, now: at(5_000)))
    #expect(state.stillWanted(.closed, now: at(5_000)))
    state.finished(.open, .interrupted, now: at(5_000))
    #expect(state.next(now: at(5_000)) == .move(.closed))
  }

  @Test(arguments: [true, false])
  func stoppingClosesWhateverIsKnown(wasOpen: Bool) {
    var state = wasOpen ? opened(until: nil) : resting()
    state.stop(now: at(0))
    state.open(until: nil)
    #expect(state.next(now: at(10)) == .move(.closed))
    // A second call changes nothing.
    state.stop(now: at(0))
    state.finished(.closed, .done, now: at(20))
    #expect(state.next(now: at(20)) == .end)
  }

  @Test func stoppingTriesThreeTimes() {
    var state = opened(until: nil)
    state.stop(now: at(0))
    var now = at(10)
    for wait in [250, 500] {
      #expect(state.next(now: now) == .move(.closed))
      state.finished(.closed, .failed, now: now)
      #expect(state.next(now: now) == .wait(until: now + .milliseconds(wait)))
      now = now + .milliseconds(wait)
    }
    #expect(state.next(now: now) == .move(.closed))
    state.finished(.closed, .failed, now: now)
    #expect(state.next(now: now) == .end)
  }

  @Test(arguments: [true, false])
  func whatIsLostIsClosedAtOnceAndStaysClosed(wasOpen: Bool) {
    var state = wasOpen ? opened(until: nil) : resting()
    state.strayed(from: wasOpen ? .open : .closed)
    state.paceLosses(now: at(100))
    #expect(state.next(now: at(100)) == .move(.closed))
    state.finished(.closed, .done, now: at(101))
    #expect(state.next(now: at(101)) == .wait(until: nil))
  }

  @Test func whatIsLostAgainAndAgainIsClosedOnceASecond() {
    var state = resting()
    for (now, due) in [(0, 0), (10, 1_000), (1_010, 2_000), (2_900, 3_000), (9_000, 9_000)] as [(UInt64, UInt64)] {
      state.strayed(from: .closed)
      state.paceLosses(now: at(now))
      if due > now { #expect(state.next(now: at(now)) == .wait(until: at(due))) }
      #expect(state.next(now: at(due)) == .move(.closed))
      state.finished(.closed, .done, now: at(due))
    }
  }

  @Test func anOpeningAfterALossIsTried() {
    var state = opened(until: nil)
    state.strayed(from: .open)
    state.paceLosses(now: at(10))
    state.open(until: at(5_000))
    #expect(state.next(now: at(10)) == .move(.open))
  }
}

/// A lock that leaves its place by itself.
@Suite struct StrayingLockTests {
  @Test func anOpeningThatEndedByItselfIsClosedAndNotTriedAgain() {
    var state = opened(until: nil)
    state.strayed(from: .open)
    #expect(state.next(now: at(2)) == .move(.closed))
    state.finished(.closed, .done, now: at(3))
    #expect(state.next(now: at(3)) == .wait(until: nil))
  }

  @Test func aClosedLockThatOpenedByItselfIsClosed() {
    var state = resting()
    state.strayed(from: .closed)
    #expect(state.next(now: at(2)) == .move(.closed))
  }

  @Test func aCommandThatCameMeanwhileCounts() {
    var state = opened(until: at(5_000))
    state.open(until: at(9_000))
    state.strayed(from: .open)
    #expect(state.next(now: at(2)) == .move(.open))
  }

  @Test func whereItStoodBeforeIsOfNoInterest() {
    var state = resting()
    state.strayed(from: .open)
    #expect(state.next(now: at(2)) == .wait(until: nil))
  }

  @Test func whatSomethingElseMayHaveMovedIsMovedAgain() {
    var state = opened(until: nil)
    state.refresh()
    #expect(state.next(now: at(2)) == .move(.open))
    // Again, while it moves: what that movement reached may be over already.
    state.refresh()
    state.finished(.open, .done, now: at(3))
    #expect(state.next(now: at(3)) == .move(.open))
    state.finished(.open, .done, now: at(4))
    #expect(state.next(now: at(4)) == .wait(until: nil))
  }
}

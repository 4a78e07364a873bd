import Advertising
import POSIX
import Testing

@testable import HCI

@Suite struct SupervisorStoppingTests {
  @Test func stopsPolitely() {
    var rig = Rig(wanted(scan: .passive, data: 7))
    rig.bringUp()
    #expect(rig.supervisor.mayBeOnAir)
    _ = rig.take()
    rig.stop(within: 1000)
    rig.answer()
    #expect(rig.take() == ["=stopping", "adv-off", "scan-off", "close", "=ended"])
    #expect(!rig.supervisor.mayBeOnAir)
    // Nothing brings it back.
    for input in [Supervisor.Input.start, .opened(shared: false), .want(wanted(), revision: 9), .lost(.ended), .tick] {
      rig.feed(input)
    }
    #expect(rig.take() == [])
  }

  @Test func waitsForACommandInFlightBeforeItStops() {
    var rig = Rig(wanted())
    rig.bringUp()
    rig.answers[.leSetAdvertisingData] = .some(nil)
    rig.feed(.want(wanted(scan: .passive, data: 7), revision: 2))
    rig.answer()
    _ = rig.take()
    rig.stop(within: 1000)
    #expect(rig.take() == ["=stopping"])
    rig.answers = [:]
    rig.answer()
    #expect(rig.take() == ["scan-off", "close", "=ended"])
  }

  @Test func aDeadControllerIsResetThenLeftWithinTheLimit() {
    var rig = Rig(wanted())
    rig.bringUp()
    _ = rig.take()
    rig.stop(within: 1000)
    #expect(rig.deadline == 500)
    rig.tick(at: 500)
    #expect(rig.deadline == 1000)
    rig.tick(at: 999)
    rig.tick(at: 1000)
    #expect(rig.take() == ["=stopping", "scan-off", "reset", "close", "=ended"])
    #expect(rig.supervisor.mayBeOnAir, "nobody confirmed")
  }

  @Test func anAnsweredResetIsOffTheAir() {
    var rig = Rig(wanted())
    rig.bringUp()
    _ = rig.take()
    rig.stop(within: 1000)
    rig.tick(at: 500)
    rig.answer()
    #expect(rig.take() == ["=stopping", "scan-off", "reset", "close", "=ended"])
    #expect(!rig.supervisor.mayBeOnAir)
  }

  @Test(arguments: [0x01, 0x0C, 0x1F] as [UInt8])
  func aRefusalToStopIsNoConfirmation(_ refusal: UInt8) {
    var rig = Rig(wanted())
    rig.bringUp()
    _ = rig.take()
    rig.answers[.leSetScanEnable] = .some(refusal)
    rig.answers[.reset] = .some(nil)
    rig.stop(within: 1000)
    rig.answer()
    #expect(rig.take() == ["=stopping", "scan-off", "reset"], "at once")
    #expect(rig.supervisor.mayBeOnAir)
    rig.answers = [:]
    rig.answer()
    #expect(rig.take() == ["close", "=ended"])
    #expect(!rig.supervisor.mayBeOnAir)
  }

  @Test func aRefusalToStopLeadsToResetWhileItGoesOn() {
    var rig = Rig(wanted(scan: .passive, data: 7))
    rig.bringUp()
    _ = rig.take()
    rig.answers[.leSetAdvertisingEnable] = .some(0x1F)
    rig.feed(.want(wanted(), revision: 2))
    rig.pending = nil
    rig.feed(.event(HCIEvent(parsing: complete(.leSetAdvertisingEnable, 0x1F).span)))
    #expect(rig.take() == ["adv-off", "=preparing", "reset"])
    rig.answers = [:]
    rig.answer()
    #expect(rig.take() == Array(scanning.dropFirst()))
  }

  @Test func whatAnsweredNoResetConfirmedNothing() {
    // What a killed predecessor, or the stream before, had left on may still be.
    var fresh = Rig(wanted())
    fresh.feed(.start)
    #expect(!fresh.supervisor.mayBeOnAir, "nothing was opened")
    fresh.feed(.opened(shared: false))
    var reopened = Rig(wanted())
    reopened.bringUp()
    reopened.feed(.lost(.ended))
    reopened.tick(at: 250)
    reopened.feed(.opened(shared: false))
    for var rig in [fresh, reopened] {
      rig.stop(within: 1000)
      rig.tick(at: rig.now + 500)
      rig.tick(at: rig.now + 500)
      #expect(rig.supervisor.hasEnded && rig.supervisor.mayBeOnAir)
    }
  }

  @Test func anOpeningThatIsCancelledEndsAsTold() {
    var rig = Rig(wanted())
    rig.feed(.start)
    rig.feed(.openFailed(.stopped))
    rig.stop(within: 1000)
    #expect(rig.take() == ["=opening", "open", "close", "=ended"])
  }

  @Test func stopsInEveryState() {
    func ended(_ prepare: (inout Rig) -> Void) -> [String] {
      var rig = Rig(wanted())
      prepare(&rig)
      _ = rig.take()
      rig.stop(within: 1000)
      rig.answer()
      rig.stop(within: 100)
      return rig.take()
    }
    let off = ended { _ in }
    let opening = ended { $0.feed(.start) }
    let waiting = ended { rig in
      rig.feed(.start)
      rig.feed(.openFailed(.ended))
    }
    let resetting = ended { rig in
      rig.feed(.start)
      rig.feed(.opened(shared: false))
    }
    let on = ended { $0.bringUp() }
    let recovering = ended { rig in
      rig.bringUp()
      rig.feed(.event(.hardwareError(1)))
    }
    #expect([off, opening, waiting] == Array(repeating: ["close", "=ended"], count: 3))
    #expect([resetting, recovering] == Array(repeating: ["=stopping", "close", "=ended"], count: 2))
    #expect(on == ["=stopping", "scan-off", "close", "=ended"])
  }

  @Test func aStreamThatEndsWhileStoppingIsTheEnd() {
    var rig = Rig(wanted())
    rig.bringUp()
    _ = rig.take()
    rig.stop(within: 1000)
    rig.feed(.lost(.ended))
    #expect(rig.take() == ["=stopping", "scan-off", "close", "=ended"])
  }

  // Without reconnecting

  @Test func withoutReconnectingTheFirstFailureEndsIt() {
    var refused = Rig(wanted(), reconnects: false)
    refused.feed(.start)
    refused.feed(.openFailed(.ended))
    #expect(refused.take() == ["=opening", "open", "=failed"])

    var lost = Rig(wanted(), reconnects: false)
    lost.bringUp()
    _ = lost.take()
    lost.feed(.lost(.ended))
    #expect(lost.take() == ["close", "=failed"])

    var faulty = Rig(wanted(), reconnects: false)
    faulty.bringUp()
    _ = faulty.take()
    faulty.feed(.event(.hardwareError(1)))
    faulty.answer()
    #expect(faulty.take() == ["=stopping", "scan-off", "close", "=failed"])
  }

  @Test func withoutReconnectingADeadControllerIsLeftAfterASecond() {
    var rig = Rig(wanted(), reconnects: false)
    rig.answers[.leSetScanEnable] = .some(nil)
    rig.bringUp()
    rig.pending = nil
    rig.answers[.reset] = .some(nil)
    _ = rig.take()
    rig.tick(at: 2000)
    rig.tick(at: 2500)
    rig.tick(at: 3000)
    #expect(rig.take() == ["=stopping", "reset", "close", "=failed"])
  }
}

import Advertising
import POSIX
import Testing

@testable import HCI

@Suite struct SupervisorTests {
  @Test func bringsAControllerUpInOrder() {
    var door = Rig(wanted())
    door.bringUp()
    #expect(door.take() == ["=opening", "open", "=preparing"] + scanning)
    #expect(door.supervisor.settled == 1 && door.deadline == 90_000, "the watch over silence")

    var holder = Rig(wanted(scan: nil, data: 7))
    holder.bringUp()
    #expect(
      holder.take() == ["=opening", "open", "=preparing"] + prepared
        + ["adv-params-20", "adv-data-7", "adv-on", "=on"])

    var both = Rig(wanted(scan: .active, data: 7))
    both.bringUp()
    #expect(
      both.take().suffix(7) == ["address", "adv-params-20", "adv-data-7", "adv-on", "scan-active", "scan-on", "=on"])
  }

  @Test func takes100msFromAnOldControllerOrARefusingOne() {
    var old = Rig(wanted(scan: nil, data: 7))
    old.version = 8
    old.bringUp()
    #expect(old.take().suffix(4) == ["adv-params-100", "adv-data-7", "adv-on", "=on"])
    var refusing = Rig(wanted(scan: nil, data: 7))
    refusing.feed(.start)
    refusing.feed(.opened(shared: false))
    refusing.answers[.leSetAdvertisingParameters] = .some(nil)
    refusing.answer()
    refusing.feed(.event(HCIEvent(parsing: complete(.leSetAdvertisingParameters, 0x11).span)))
    refusing.answers = [:]
    refusing.answer()
    #expect(refusing.take().suffix(5) == ["adv-params-20", "adv-params-100", "adv-data-7", "adv-on", "=on"])
    #expect(refusing.supervisor.counters.refusedCommands == 0)
  }

  @Test func leftoversMayBeOffAlready() {
    var rig = Rig(wanted())
    for opcode in [Opcode.leSetAdvertisingEnable, .leClearFilterAcceptList, .readLocalFeatures, .readLocalVersion] {
      rig.answers[opcode] = .some(0x0C)
    }
    rig.bringUp()
    #expect(rig.take().suffix(3) == ["scan-passive", "scan-on", "=on"])
  }

  @Test func changesOfWhatIsWantedFollowTheRules() {
    var rig = Rig(wanted(scan: .passive, data: 7))
    rig.bringUp()
    _ = rig.take()
    rig.feed(.want(wanted(scan: .passive, data: 8), revision: 2))
    #expect(rig.supervisor.settled == 1)
    rig.answer()
    #expect(rig.take() == ["adv-data-8"])
    #expect(rig.supervisor.settled == 2)
    // The address changes only while both are off.
    var moved = wanted(scan: .passive, data: 8)
    moved.address = DeviceAddress(value: 2)
    rig.feed(.want(moved, revision: 3))
    rig.answer()
    #expect(rig.take() == ["adv-off", "scan-off", "address", "adv-on", "scan-on"])
    // Two changes while a command is in flight: the last one counts.
    var off = moved
    off.scan = nil
    rig.feed(.want(off, revision: 4))
    rig.feed(.want(moved, revision: 5))
    rig.answer()
    #expect(rig.take() == ["scan-off", "scan-on"])
    #expect(rig.supervisor.settled == 5)
  }

  @Test func aTimeOutLeadsToResetAndEverythingAnew() {
    var rig = Rig(wanted())
    rig.bringUp()
    _ = rig.take()
    rig.answers[.leSetScanEnable] = .some(nil)
    rig.feed(.want(wanted(scan: nil), revision: 2))
    rig.answer()
    #expect(rig.deadline == 2000)
    rig.tick(at: 1999)
    #expect(rig.take() == ["scan-off"])
    rig.feed(.want(wanted(), revision: 3))
    rig.tick(at: 2000)
    #expect(rig.take() == ["=preparing", "reset"])
    #expect(rig.supervisor.settled == 0)
    // The late reply is ignored.
    rig.feed(.event(HCIEvent(parsing: complete(.leSetScanEnable).span)))
    #expect(rig.take() == [])
    rig.answers = [:]
    rig.answer()
    #expect(rig.take() == Array(scanning.dropFirst()))
    let counters = rig.supervisor.counters
    #expect(counters.commandTimeouts == 1 && counters.resets == 1 && counters.unmatchedReplies == 1)
    #expect(counters.reconnects == 0)
  }

  @Test func aDeadResetLeadsToTheStreamAnewWithGrowingDelay() {
    var rig = Rig(wanted())
    rig.answers[.reset] = .some(nil)
    rig.feed(.start)
    var delays: [String] = []
    for _ in 0..<9 {
      rig.feed(.opened(shared: false))
      rig.tick(at: rig.now + 4999)
      _ = rig.take()
      rig.tick(at: rig.now + 1)
      delays += rig.take()
      let until = rig.deadline ?? 0
      rig.tick(at: until - 1)
      #expect(rig.take() == [])
      rig.tick(at: until)
      #expect(rig.take() == ["=opening", "open"])
    }
    let expected = [250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000].flatMap { ["close", "=waiting-\($0)"] }
    #expect(delays == expected)
    // Once it was on for long enough, the delay begins anew.
    rig.answers = [:]
    rig.feed(.opened(shared: false))
    rig.answer()
    rig.now += 30_000
    _ = rig.take()
    rig.feed(.lost(.ended))
    #expect(rig.take() == ["close", "=waiting-250"])
    #expect(rig.supervisor.counters.reconnects == 10)
  }

  @Test func aRadioThatComesAndGoesIsNotHammered() {
    var rig = Rig(wanted())
    rig.bringUp()
    for delay in [250, 500, 1000] {
      _ = rig.take()
      rig.now += 10
      rig.feed(.lost(.ended))
      #expect(rig.take() == ["close", "=waiting-\(delay)"])
      rig.tick(at: rig.now + UInt64(delay))
      rig.feed(.opened(shared: false))
      rig.answer()
    }
  }

  @Test func openingThatFailsIsTriedAgain() {
    var rig = Rig(wanted())
    rig.feed(.start)
    rig.feed(.openFailed(.cannotOpen(.unix(path: "x"), .connectionRefused)))
    #expect(rig.take() == ["=opening", "open", "=waiting-250"])
    rig.feed(.openFailed(.ended))
    rig.feed(.opened(shared: false))
    rig.feed(.event(.hardwareError(1)))
    #expect(rig.take() == [], "nothing of that belongs here")
    rig.tick(at: 250)
    rig.feed(.openFailed(.adapter(.userChannel(index: 0), .noBluetooth)))
    #expect(rig.take() == ["=opening", "open", "=failed"], "trying again can't help")
    #expect(rig.supervisor.hasEnded)
  }

  @Test func faultsInARowLeadToTheStreamAnew() {
    var rig = Rig(wanted())
    rig.bringUp()
    for fault in 1...3 {
      _ = rig.take()
      rig.feed(.event(.hardwareError(UInt8(fault))))
      #expect(rig.take() == ["=preparing", "reset"])
      rig.answer()
    }
    _ = rig.take()
    rig.feed(.event(.hardwareError(4)))
    #expect(rig.take() == ["close", "=waiting-250"])
    #expect(rig.supervisor.counters.hardwareErrors == 4)

    var slow = Rig(wanted())
    slow.bringUp()
    for _ in 1...6 {
      _ = slow.take()
      slow.now += 21_000
      slow.feed(.event(.hardwareError(1)))
      #expect(slow.take() == ["=preparing", "reset"], "few in a minute")
      slow.answer()
    }
  }

  @Test func aRefusalThatMattersIsAFault() {
    var rig = Rig(wanted())
    rig.answers[.leSetScanParameters] = .some(0x12)
    rig.bringUp()
    let log = rig.take()
    #expect(log.filter { $0 == "reset" }.count == 4)
    #expect(log.suffix(2) == ["close", "=waiting-250"])
    #expect(rig.supervisor.counters.refusedCommands == 4)
  }

  @Test func withoutCreditsItResets() {
    var rig = Rig(wanted())
    rig.bringUp()
    _ = rig.take()
    rig.feed(.event(HCIEvent(parsing: noOperation(credits: 0).span)))
    rig.feed(.want(wanted(scan: nil), revision: 2))
    #expect(rig.take() == [])
    rig.feed(.event(HCIEvent(parsing: noOperation(credits: 1).span)))
    #expect(rig.take() == ["scan-off"])
    rig.answer()
    rig.feed(.event(HCIEvent(parsing: noOperation(credits: 0).span)))
    rig.tick(at: 2000)
    #expect(rig.take() == ["=preparing", "reset"])
  }

  @Test func aStreamThatBreaksIsOpenedAnew() {
    var rig = Rig(wanted())
    rig.bringUp()
    _ = rig.take()
    rig.feed(.lost(.badFraming(0x55)))
    #expect(rig.take() == ["close", "=waiting-250"])
    #expect(rig.supervisor.counters.framingErrors == 1)
    rig.tick(at: 250)
    rig.feed(.opened(shared: false))
    rig.answer()
    #expect(rig.take() == ["=opening", "open", "=preparing"] + scanning)
  }
}

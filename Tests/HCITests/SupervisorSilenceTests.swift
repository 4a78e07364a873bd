import POSIX
import Testing

@testable import HCI

private let extendedScanning =
  prepared.map { ["adv-off": "ext-off", "scan-off": "ext-scan-off"][$0] ?? $0 } + ["ext-scan-params", "ext-scan-on"]
private let legacyScanning = prepared + ["scan-passive", "scan-on"]

/// A radio that scans and hears nothing (radio.md, 11).
@Suite struct SupervisorSilenceTests {
  private func silent(extended: Bool = false, commands: CommandChoice = .automatic) -> Rig {
    var rig = Rig(wanted(), commands: commands)
    rig.isExtended = extended
    rig.bringUp()
    _ = rig.take()
    return rig
  }

  @Test func firstItIsAskedAndScansAnew() {
    var rig = silent()
    rig.tick(at: 89_999)
    #expect(rig.take() == [])
    rig.tick(at: 90_000)
    rig.answer()
    #expect(rig.take() == ["=deaf", "version", "scan-off", "scan-on"])
    #expect(rig.supervisor.counters.silences == 1 && rig.supervisor.counters.resets == 0)
    rig.now = 95_000
    rig.feed(.heard)
    #expect(rig.take() == ["=on"])
    #expect(rig.deadline == 185_000)
    #expect(rig.supervisor.lastHeard == BootInstant(nanoseconds: 95_000_000_000))
  }

  @Test func reportsKeepItQuiet() {
    var rig = silent()
    for second in stride(from: 60, through: 600, by: 60) {
      rig.tick(at: UInt64(second) * 1_000)
      rig.feed(.heard)
    }
    #expect(rig.take() == [] && rig.supervisor.counters.silences == 0)
  }

  @Test func thenResetThenTheStreamAnewWithOneLineInAll() {
    var rig = silent()
    rig.tick(at: 90_000)
    rig.answer()
    _ = rig.take()
    rig.tick(at: 180_000)
    rig.answer()
    #expect(rig.take() == legacyScanning, "deaf all the time")
    rig.tick(at: 270_000)
    #expect(rig.take() == ["close", "open"])
    rig.feed(.opened(shared: false))
    rig.answer()
    #expect(rig.take() == legacyScanning)
    let counters = rig.supervisor.counters
    #expect(counters.silences == 3 && counters.resets == 1 && counters.reconnects == 1)
    rig.tick(at: 360_000)
    #expect(rig.take() == ["version"], "from the beginning")
  }

  @Test func whoAnswersNothingIsResetAndThenOpenedAnew() {
    var rig = silent()
    rig.answers[.readLocalVersion] = .some(nil)
    rig.answers[.reset] = .some(nil)
    rig.tick(at: 90_000)
    _ = rig.take()
    rig.tick(at: 92_000)
    #expect(rig.take() == ["reset"])
    rig.tick(at: 97_000)
    #expect(rig.take() == ["close", "=waiting-250"])
  }

  @Test func aStreamThatIsGoneMeanwhileIsTold() {
    var rig = silent()
    for moment in [90_000, 180_000, 270_000] as [UInt64] {
      rig.tick(at: moment)
      rig.answer()
    }
    _ = rig.take()
    rig.feed(.openFailed(.ended))
    #expect(rig.take() == ["=waiting-250"])
  }

  @Test func whoIsNotToScanIsNotDeaf() {
    var rig = Rig(wanted(scan: nil, data: 7))
    rig.bringUp()
    #expect(rig.deadline == nil)
    var door = silent()
    door.tick(at: 90_000)
    door.answer()
    _ = door.take()
    door.feed(.want(wanted(scan: nil), revision: 2))
    door.answer()
    #expect(door.take() == ["scan-off", "=on"])
    #expect(door.deadline == nil)
  }

  @Test func whatComesBehindAResetIsNoSignOfLife() {
    var rig = silent()
    rig.tick(at: 90_000)
    rig.answer()
    rig.tick(at: 180_000)
    _ = rig.take()
    rig.feed(.heard)
    rig.answer()
    #expect(!rig.take().contains("=on"))
  }

  // The families of commands (radio.md, 5)

  @Test func whoClaimsExtendedAdvertisingAndIsDeafIsToldInLegacyWords() {
    var rig = Rig(wanted())
    rig.isExtended = true
    rig.bringUp()
    #expect(rig.take() == ["=opening", "open", "=preparing"] + extendedScanning + ["=on"])
    rig.tick(at: 90_000)
    rig.answer()
    _ = rig.take()
    rig.tick(at: 180_000)
    rig.answer()
    #expect(rig.take() == legacyScanning + ["=deaf"], "told again for its other commands")
    rig.feed(.heard)
    #expect(rig.take() == ["=on"])
    // What was heard with comes first from now on.
    rig.feed(.lost(.ended))
    rig.tick(at: 180_250)
    _ = rig.take()
    rig.feed(.opened(shared: false))
    rig.answer()
    #expect(rig.take() == ["=preparing"] + legacyScanning + ["=on"])
  }

  @Test func whoIsDeafInBothLanguagesBeginsWithTheFirstAgain() {
    var rig = silent(extended: true)
    for moment in [90_000, 180_000, 270_000] as [UInt64] {
      rig.tick(at: moment)
      rig.answer()
    }
    _ = rig.take()
    rig.feed(.opened(shared: false))
    rig.answer()
    #expect(rig.take() == extendedScanning + ["=deaf"])
  }

  @Test(arguments: [0x01, 0x0C, 0x11, 0x12] as [UInt8])
  func aRefusalLeadsToTheOtherFamilyOnce(_ refusal: UInt8) {
    var rig = Rig(wanted())
    rig.isExtended = true
    rig.answers[.leSetExtendedScanEnable] = .some(refusal)
    rig.bringUp()
    #expect(rig.take() == ["=opening", "open", "=preparing"] + extendedScanning + legacyScanning + ["=on"])
    #expect(rig.supervisor.counters.refusedCommands == 1)

    var holder = Rig(wanted(scan: nil, data: 7), reconnects: false)
    holder.isExtended = true
    holder.answers[.leSetExtendedAdvertisingParameters] = .some(0x01)
    holder.bringUp()
    #expect(holder.take().suffix(5) == ["address", "adv-params-20", "adv-data-7", "adv-on", "=on"])
  }

  @Test func anOverrideIsKeptToWhateverIsRefused() {
    var rig = Rig(wanted(), reconnects: false, commands: .extended)
    rig.answers[.leSetExtendedScanEnable] = .some(0x01)
    rig.bringUp()
    #expect(rig.take().last == "=failed")
    var deaf = silent(extended: true, commands: .extended)
    deaf.tick(at: 90_000)
    deaf.answer()
    deaf.tick(at: 180_000)
    _ = deaf.take()
    deaf.answer()
    #expect(deaf.take() == Array(extendedScanning.dropFirst()))
  }

  @Test func anExtendedAdvertiserSetsAddressAndDataBeforeItBegins() {
    for (pdu, word) in [(AdvertisingPDU.legacy, "ext-params-legacy"), (.extended, "ext-params")] {
      var rig = Rig(wanted(scan: nil, data: 7, pdu: pdu))
      rig.isExtended = true
      rig.bringUp()
      #expect(rig.take().suffix(6) == ["address", word, "ext-address", "ext-data-7", "ext-on", "=on"])
      rig.feed(.want(wanted(scan: nil, data: 8, pdu: pdu), revision: 2))
      rig.answer()
      #expect(rig.take() == ["ext-data-8"])
      var moved = wanted(scan: nil, data: 8, pdu: pdu)
      moved.address = DeviceAddress(value: 2)
      rig.feed(.want(moved, revision: 3))
      rig.answer()
      #expect(rig.take() == ["ext-off", "address", "ext-address", "ext-on"])
    }
  }

  @Test func whatAControllerCannotDoEndsTheRadioWithWords() {
    var legacy = Rig(wanted(scan: nil, data: 7, pdu: .extended))
    legacy.bringUp()
    #expect(legacy.take().suffix(2) == ["close", "=failed"])
    var classic = Rig(wanted())
    classic.features = [0xFF, 0, 0, 0, 0, 0, 0, 0]
    classic.bringUp()
    #expect(classic.take().suffix(2) == ["close", "=failed"])
  }

  // A controller that the kernel and others use too (raw channel)

  @Test func whoSharesAControllerNeitherResetsNorMasks() {
    var rig = Rig(wanted())
    rig.bringUp(shared: true)
    #expect(
      rig.take() == [
        "=opening", "open", "=preparing", "version", "bd-address", "features", "le-features", "adv-off", "scan-off",
        "address", "scan-passive", "scan-on", "=on",
      ])
    rig.feed(.event(.hardwareError(1)))
    #expect(rig.take() == ["close", "=waiting-250"])
    rig.tick(at: 250)
    rig.feed(.opened(shared: true))
    rig.answer()
    _ = rig.take()
    rig.answers[.leSetScanEnable] = .some(nil)
    rig.stop(within: 1_000)
    rig.tick(at: 750)
    rig.tick(at: 1_250)
    #expect(rig.take() == ["=stopping", "scan-off", "close", "=ended"])
    #expect(rig.supervisor.mayBeOnAir)
  }

  @Test func whoSharesAControllerTakesItsAddressWhereItIsInUse() {
    var rig = Rig(wanted())
    rig.answers[.leSetRandomAddress] = .some(0x0C)
    rig.bringUp(shared: true)
    #expect(rig.take().suffix(4) == ["address", "scan-passive", "scan-on", "=on"])
    rig.tick(at: 90_000)
    rig.answer()
    _ = rig.take()
    rig.tick(at: 180_000)
    #expect(rig.take() == ["close", "open"], "in place of a Reset")
  }

  @Test func whereTheKernelSpeaksTheOtherFamilyItIsTaken() {
    var rig = Rig(wanted())
    rig.isExtended = true
    rig.answers[.leSetExtendedScanParameters] = .some(0x0C)
    rig.bringUp(shared: true)
    #expect(rig.take().suffix(5) == ["scan-off", "address", "scan-passive", "scan-on", "=on"])
  }
}

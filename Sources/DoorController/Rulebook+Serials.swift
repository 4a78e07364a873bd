internal import AirProtocol
internal import Ledger
internal import Provisioning

extension Rulebook {
  /// Refuses bundles that aren't the newest that their doors accepted; changes nothing.
  func check(with ledger: Ledger) throws(LoadError) {
    for door in doors {
      let bundle = try door.accepted
      do throws(LedgerError) { try ledger.check(bundle, door: door.number.rawValue) } catch {
        throw .bundle(door.settings.bundlePath, "\(error)")
      }
    }
  }

  /// The same, and notes these bundles as accepted: all or none.
  func accept(into ledger: Ledger) throws(LoadError) {
    try check(with: ledger)
    var accepted: [UInt16: AcceptedBundle] = [:]
    for door in doors { accepted[door.number.rawValue] = try door.accepted }
    do throws(LedgerError) { try ledger.accept(accepted) } catch { throw .ledger(error) }
  }
}

extension Rulebook.Door {
  fileprivate var accepted: AcceptedBundle {
    get throws(LoadError) {
      guard let accepted = AcceptedBundle(serial: bundle.header.serial, digest: bundle.digest) else {
        throw .bundle(settings.bundlePath, "expected a serial from 0 and a digest of 32 bytes")
      }
      return accepted
    }
  }
}

import POSIX
import TestSupport
import Testing

@testable import Ledger

@Suite("Accepted bundles")
struct BundleTests {
  let place: Place

  init() throws { place = try Place() }

  private func bundle(_ serial: Int64, _ content: UInt8 = 1) throws -> AcceptedBundle {
    try #require(AcceptedBundle(serial: serial, digest: [UInt8](repeating: content, count: 32)))
  }

  @Test func takesTheSameAndHigherSerials() throws {
    let ledger = try place.open()
    for serial in [5, 5, 6, 1_796_040_000] as [Int64] {
      try ledger.accept([1: bundle(serial)])
      #expect(try ledger.acceptedBundle(ofDoor: 1) == bundle(serial))
    }
    #expect(try ledger.acceptedBundle(ofDoor: 2) == nil)
  }

  @Test(
    arguments: [
      (4, 1, "serial 4 is lower than 5, which this door accepted before"),
      (5, 2, "serial 5 is that of a bundle with other content, which this door accepted before"),
    ] as [(Int64, UInt8, String)])
  func refuses(_ serial: Int64, _ content: UInt8, _ words: String) throws {
    let ledger = try place.open()
    try ledger.accept([1: bundle(5)])
    let wrong = try bundle(serial, content)
    for attempt in [{ try ledger.check(wrong, door: 1) }, { try ledger.accept([1: wrong, 2: wrong]) }] {
      let error = #expect(throws: LedgerError.self) { try attempt() }
      #expect(error == LedgerError(.bundleRefused, words))
    }
    #expect(try ledger.acceptedBundle(ofDoor: 1) == bundle(5))
    #expect(try ledger.acceptedBundle(ofDoor: 2) == nil)
  }

  @Test func restoringAnOldStateBringsNoOldBundleBack() throws {
    do { try place.open().accept([1: bundle(5)]) }
    let old = try place.directory.read("state.db")
    do { try place.open().accept([1: bundle(6), 2: bundle(1)]) }
    try place.directory.write("state.db", bytes: old)
    let ledger = try place.open()
    #expect(try ledger.acceptedBundle(ofDoor: 1) == bundle(6))
    #expect(throws: LedgerError.self) { try ledger.accept([1: bundle(5)]) }
    // Another door's bundle doesn't lose what only the file knows.
    try ledger.accept([3: bundle(9)])
    #expect(try ledger.acceptedBundle(ofDoor: 1) == bundle(6))
  }

  @Test func theStateCountsWithoutTheFile() throws {
    do { try place.open().accept([1: bundle(5)]) }
    try removeFile(place.path + ".serials")
    let ledger = try place.open()
    #expect(try ledger.acceptedBundle(ofDoor: 1) == bundle(5))
    try ledger.accept([1: bundle(5)])
    #expect(place.directory.has("state.db.serials"))
    #expect(try fileStatus(place.path + ".serials")?.permissions == 0o600)
  }

  @Test(arguments: [
    ("", 1), ("latchkey-serials/2\n", 1), ("latchkey-serials/1", 1), ("latchkey-serials/1\n1 5\n", 2),
    ("latchkey-serials/1\n1 5 00\n", 2), ("latchkey-serials/1\n1 -5 {}\n", 2), ("latchkey-serials/1\n0x1 5 {}\n", 2),
    ("latchkey-serials/1\n1 5 {}\n1 6 {}\n", 3), ("latchkey-serials/1\n70000 5 {}\n", 2),
    ("latchkey-serials/1\n1 5 {} \n", 2), ("latchkey-serials/1\n\n", 2), ("latchkey-serials/1\n1 5 {}", 2),
  ])
  func namesTheLineOfADamagedFile(_ text: String, _ line: Int) throws {
    _ = try place.open()
    let digest = String(repeating: "01", count: 32)
    try place.directory.write(
      "state.db.serials", text.split(separator: "{}", omittingEmptySubsequences: false).joined(separator: digest))
    let ledger = try place.open()
    let error = #expect(throws: LedgerError.self) { try ledger.acceptedBundle(ofDoor: 1) }
    #expect(error?.kind == .damaged)
    #expect(error?.message.hasPrefix("\(place.path).serials:\(line): expected ") == true)
    #expect(throws: LedgerError.self) { try ledger.accept([1: bundle(7)]) }
  }

  @Test func refusesWhatIsNoBundle() {
    #expect(AcceptedBundle(serial: -1, digest: [UInt8](repeating: 0, count: 32)) == nil)
    #expect(AcceptedBundle(serial: 1, digest: [UInt8](repeating: 0, count: 31)) == nil)
  }
}

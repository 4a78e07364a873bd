import AccessControl
import LatchkeyCrypto
import Testing

@testable import Provisioning

/// Bundles that the site's key signed, but that aren't as a bundle must be: an exporter at fault, never a stranger.
@Suite struct MalformedBundleTests {
  let fixture: Fixture
  let whole: [UInt8]
  /// Where records and heap begin in `whole`, which has two credentials.
  let records: Int
  let heap: Int

  init() throws {
    fixture = try Fixture()
    try fixture.issue(fixture.rule("alice", from: 10, until: 20))
    try fixture.issue(fixture.rule("bob", holder: "Åse"))
    whole = try fixture.export().bytes.array
    records = BundleLayout.headerSize + 2 * 2 * BundleLayout.keySize
    heap = records + 2 * BundleLayout.recordSize
  }

  @Test func whatIsSignedAnewIsTaken() throws { #expect(try refusal(of: whole) == nil) }

  @Test(
    arguments: [
      (66, [0, 0], "door number: expected 1 to 65535"), (68, [0x80], "serial: expected at least 1"),
      (92, [0], "slots: expected 1 to 60 seconds and a skew of 0 to 5"),
      (92, [61], "slots: expected 1 to 60 seconds and a skew of 0 to 5"),
      (93, [6], "slots: expected 1 to 60 seconds and a skew of 0 to 5"),
      (94, [0], "challenge: expected 1 to 60 seconds"),
      (95, [1], "name marker: expected 2 to 4 characters of A-Z a-z 0-9"),
      (95, [5], "name marker: expected 2 to 4 characters of A-Z a-z 0-9"),
      (96, [0x2D], "name marker: expected 2 to 4 characters of A-Z a-z 0-9"),
      (150, [0xFF], "expected at most 4194304 credentials"),
      (153, [3], "expected as many bytes as 3 credentials and"),
      (158, [0], "door id: expected an id"), (158, [65], "door id: expected an id"),
      (159, [0], "door name: expected a name"), (161, [255], "time zone: expected"),
      (161, [1], "time zone: the data of time zone T are damaged"), (162, [0xFF, 0xFF], "time zone data: expected"),
    ] as [(Int, [UInt8], String)])
  func headerFields(offset: Int, bytes: [UInt8], complaint: String) throws {
    try expectRefusal(offset, bytes, complaint)
  }

  @Test(
    arguments: [
      (0, [1], "rule 0: expected its names at offset"), (4, [4], "rule 1: expected its names at offset"),
      (5, [0], "rule 0: expected a holder's name"), (6, [0], "rule 0: status: expected 1, 2 or 3"),
      (6, [4], "rule 0: status: expected 1, 2 or 3"), (7, [0], "rule 0: freshness: expected 1, 2 or 3"),
      (8, [0, 0], "rule 0: permissions: expected known commands"),
      (8, [1, 0], "rule 0: permissions: expected known commands"),
      (10, [7], "rule 0: expected reserved bits to be 0"), (11, [1], "rule 0: expected reserved bits to be 0"),
      (10, [2], "rule 0: from: expected 0"), (10, [1], "rule 0: until: expected 0"),
      (31, [10], "rule 0: until: expected a time after from"),
      (36, [2], "expected"), (37, [1], "rule 1: expected a holder's name"),
    ] as [(Int, [UInt8], String)])
  func records(offset: Int, bytes: [UInt8], complaint: String) throws {
    try expectRefusal(records + offset, bytes, complaint)
  }

  @Test func idsRise() throws {
    let names = Array("aliceAlicebobÅse".utf8)
    let start = try #require(whole.indices.first { whole[$0...].starts(with: names) })
    for (index, text) in [(start, "c"), (start + 10, "aa"), (start + 10, "ali")] {
      try expectRefusal(index, Array(text.utf8), "rule 1: expected ids in rising order")
    }
    try expectRefusal(start, [UInt8(ascii: "A")], "rule 0: expected an id")
    try expectRefusal(start + 5, [0x20], "rule 0: expected a holder's name")
    // A with a ring as two characters isn't in the form NFC; half a character isn't UTF-8.
    try expectRefusal(start + 14, [0x85, 0x85], "rule 1: expected a holder's name")
  }

  @Test func whateverIsSignedNothingTraps() throws {
    for _ in 0..<600 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4) {
        let index = Int.random(in: 50..<(whole.count - BundleLayout.signatureSize))
        bytes[index] = Bool.random() ? .random(in: 0...255) : bytes[index] ^ 1
      }
      guard let bundle = try loaded(bytes).bundle else { continue }
      for index in 0..<bundle.rules.count {
        let rule = try #require(bundle.rules[index])
        #expect(bundle.rules.index(of: rule.id) == index)
      }
    }
  }

  private func expectRefusal(_ offset: Int, _ replacement: [UInt8], _ complaint: String) throws {
    var bytes = whole
    bytes.replaceSubrange(offset..<(offset + replacement.count), with: replacement)
    let found = try refusal(of: bytes)
    #expect(found?.hasPrefix("not as a bundle must be: \(complaint)") == true, "\(String(describing: found))")
  }

  private func refusal(of bytes: [UInt8]) throws -> String? { try loaded(bytes).error?.description }

  /// Signs the bytes with the site's own key and reads them.
  private func loaded(_ bytes: [UInt8]) throws -> (bundle: DoorBundle?, error: BundleError?) {
    let signed = Array(bytes.dropLast(BundleLayout.signatureSize))
    let message = try BundleLayout.signatureLabel + SHA256.digest(of: signed.span)
    let signature = try fixture.site.signingKey.sign(message.span)
    do throws(BundleError) {
      return (
        try DoorBundle.verify(
          SecretBytes(copying: signed + signature), siteKey: fixture.site.verificationKey, door: "front"), nil
      )
    } catch .otherDoor {
      return (nil, nil)
    } catch {
      return (nil, error)
    }
  }
}

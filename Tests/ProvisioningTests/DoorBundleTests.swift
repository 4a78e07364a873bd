import AccessControl
import AirProtocol
import LatchkeyCrypto
import POSIX
import TestSupport
import Testing

@testable import Provisioning

@Suite struct DoorBundleTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture(doors: ["front", "back"])
    try fixture.issue(fixture.rule("bob", holder: "Боб", status: .revoked, permissions: .all, freshness: .either))
    try fixture.issue(fixture.rule("alice", from: -5, until: 0, uses: 3), doors: ["front", "back"])
    try fixture.issue(fixture.rule("alice.2", holder: "A", status: .disabled, freshness: .challenge, from: 0))
    try fixture.issue(fixture.rule("carol"), doors: ["back"])
  }

  @Test func aDoorGetsWhatItNeedsAndNoMore() throws {
    let bundle = try fixture.load(fixture.export(until: Fixture.now + 60))
    let header = bundle.header
    #expect(header.site == fixture.site.profile)
    #expect(header.door == "front" && header.doorName.text == "Door front" && header.number.rawValue == 1)
    #expect(header.serial == Fixture.now && header.issuedAt == Fixture.now)
    #expect(header.validUntil == Fixture.now + 60)
    #expect(header.zone == (try Fixture.zone()))
    #expect(bundle.signer == fixture.site.verificationKey)
    #expect(bundle.hintRoot == (try fixture.site.siteKey.hintRoot(of: header.number)))
    #expect(bundle.beaconKey == (try fixture.site.siteKey.beaconKey()))
    #expect((0..<bundle.rules.count).map { bundle.rules.id(at: $0) } == ["alice", "alice.2", "bob"])
  }

  @Test func rulesAreThoseOfTheSite() throws {
    let rules = try fixture.load(fixture.export()).rules
    for id in ["alice", "alice.2", "bob"] as [Identifier] {
      let index = try #require(rules.index(of: id))
      #expect(rules[index] == (try fixture.site.credential(id).rule))
    }
    #expect(rules.index(of: "carol") == nil && rules.index(of: "alice.") == nil && rules.index(of: "z") == nil)
    #expect(rules[-1] == nil && rules[3] == nil && rules.id(at: 3) == nil)
  }

  @Test("active credentials of a freshness are counted, and nobody else", arguments: 0...3)
  func active(count: Int) throws {
    // alice.2 wants one and is disabled, bob takes either and is revoked.
    for number in 0..<count {
      let id = try #require(Identifier("b\(number)"))
      try fixture.issue(fixture.rule(id, freshness: .challenge))
    }
    try fixture.issue(fixture.rule("dave", freshness: .either))
    let found = try fixture.load(fixture.export()).rules.active(by: .challenge)
    #expect(found.count == count && found.first == (count == 0 ? nil : 2))
  }

  @Test func keysAreThoseOfTheHoldersForThisDoor() throws {
    for door in ["front", "back"] as [Identifier] {
      let bundle = try fixture.load(fixture.export(door))
      for index in 0..<bundle.rules.count {
        let file = try fixture.site.credentialFile(try #require(bundle.rules.id(at: index)))
        let keys = try CredentialKeys.derive(
          from: file.secret, site: bundle.header.site.id, door: bundle.header.number)
        #expect(bundle.frameKeys.block(at: index) == keys.frameKey)
        #expect(bundle.hintSecrets.block(at: index) == keys.hintSecret)
      }
    }
  }

  @Test func noSecretOfHoldersOrSiteIsInIt() throws {
    let bytes = try fixture.export().bytes.array
    let secrets = try ["alice", "alice.2", "bob"].map { try fixture.site.credentialFile($0).secret.bytes.array }
    for secret in secrets + [fixture.site.siteKey.bytes.array, fixture.site.signingKey.rawRepresentation.array] {
      #expect(!bytes.windows(of: secret.count).contains { $0.elementsEqual(secret) })
    }
  }

  @Test func aDoorWithoutCredentialsHasABundle() throws {
    _ = try fixture.site.addDoor("cellar", name: DisplayName("Cellar"), now: 1)
    let bundle = try fixture.load(fixture.export("cellar"))
    #expect(bundle.rules.count == 0 && bundle.frameKeys.count == 0 && bundle.rules.index(of: "alice") == nil)
    #expect(bundle.header.validUntil == nil)
  }

  @Test func serialsRiseWhateverTheClockSays() throws {
    let serials = try [Fixture.now, Fixture.now, 5, -1, Fixture.now + 100].map {
      try fixture.export(now: $0).header.serial
    }
    #expect(serials == [Fixture.now, Fixture.now + 1, Fixture.now + 2, Fixture.now + 3, Fixture.now + 100])
    #expect(try fixture.site.door("front").serial == Fixture.now + 100)
    #expect(try fixture.export("back", now: -1).header.serial == 1)
  }

  @Test func equalBytesHaveEqualDigestsOnly() throws {
    let (one, other) = (try fixture.export(), try fixture.export())
    #expect(try fixture.load(one).digest == fixture.load(one).digest)
    #expect(try fixture.load(one).digest != fixture.load(other).digest)
    #expect(try fixture.load(one).digest.count == 32)
  }

  @Test func everyFlippedByteIsRefused() throws {
    let bytes = try fixture.export().bytes.array
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= UInt8.random(in: 1...255)
      let expected: (BundleError) -> Bool =
        switch index {
        case 0..<8: { $0 == .notABundle }
        case 8..<10: { if case .otherFormat = $0 { true } else { false } }
        case 10..<18: { if case .length = $0 { true } else { false } }
        case 18..<50: { $0 == .otherSigner }
        default: { $0 == .badSignature }
        }
      let error = refusal(of: damaged)
      #expect(error.map(expected) == true, "byte \(index): \(String(describing: error))")
    }
  }

  @Test func everyTruncationAndAnyRestIsRefused() throws {
    let bytes = try fixture.export().bytes.array
    for length in bytes.indices {
      let error = refusal(of: Array(bytes.prefix(length)))
      if length < 8 {
        #expect(error == .notABundle)
      } else if case .length(_, let found)? = error {
        #expect(found == length)
      } else {
        Issue.record("\(length) bytes: \(String(describing: error))")
      }
    }
    #expect(refusal(of: bytes + [0]) == .length(expected: UInt64(bytes.count), found: bytes.count + 1))
  }

  @Test func anotherSitesBundleAndAnotherDoorsAreRefused() throws {
    let other = try Fixture()
    let bytes = try other.export().bytes
    #expect(refusal(of: bytes.array) == .otherSigner)
    let back = try fixture.export("back").bytes.array
    #expect(refusal(of: back) == .otherDoor(expected: "front", found: "back"))
    // A stranger who names the site's key, but can't sign with it.
    var forged = bytes.array
    forged.replaceSubrange(18..<50, with: fixture.site.verificationKey.rawRepresentation)
    #expect(refusal(of: forged) == .badSignature)
  }

  @Test func aFileThatOthersCanReadIsRefused() throws {
    let path = try fixture.folder.write("front.bundle", bytes: fixture.export().bytes.array, mode: 0o640)
    let key = fixture.site.verificationKey
    let error = failure { () throws(BundleError) in _ = try DoorBundle.load(path, siteKey: key, door: "front") }
    #expect(error?.description == "\(path): others have access to it (mode 0640); run: chmod 600 \(path)")
    let absent = failure { () throws(BundleError) in _ = try DoorBundle.open(path + "x") }
    #expect(absent?.description == "can't read \(path)x: No such file or directory")
  }

  @Test func aFileIsLoadedForTheDoorAndOpenedForPeople() throws {
    let path = try fixture.folder.write("front.bundle", bytes: fixture.export().bytes.array)
    let loaded = try DoorBundle.load(path, siteKey: fixture.site.verificationKey, door: "front")
    let opened = try DoorBundle.open(path)
    #expect(loaded.digest == opened.digest && opened.signer == fixture.site.verificationKey)
    let error = failure { () throws(BundleError) in
      _ = try DoorBundle.load(path, siteKey: fixture.site.verificationKey, door: "back")
    }
    #expect(error == .otherDoor(expected: "back", found: "front"))
  }

  private func refusal(of bytes: [UInt8]) -> BundleError? {
    failure { () throws(BundleError) in
      _ = try DoorBundle.verify(SecretBytes(copying: bytes), siteKey: fixture.site.verificationKey, door: "front")
    }
  }
}

extension Array {
  fileprivate func windows(of size: Int) -> some Sequence<ArraySlice<Element>> {
    stride(from: 0, through: count - size, by: 1).lazy.map { self[$0..<($0 + size)] }
  }
}

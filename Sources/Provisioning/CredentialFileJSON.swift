internal import AccessControl
internal import AirProtocol
internal import JSON
internal import LatchkeyCrypto
internal import POSIX

extension CredentialFile {
  init(reading file: JSONReader) throws(JSONFieldError) {
    let format = try file.member("format").string("\"\(Self.format)\"")
    guard format == Self.format else { throw try file.member("format").unfit("\"\(Self.format)\"") }

    let site = try file.member("site")
    self.site = try SiteProfile(reading: site)
    guard let siteKey = SiteKey(try site.member("key").secret(count: SiteKey.size)) else {
      throw try site.member("key").unfit("base64url of \(SiteKey.size) bytes")
    }
    self.siteKey = siteKey

    let credential = try file.member("credential")
    id = try credential.member("id").identifier()
    guard let secret = CredentialSecret(try credential.member("secret").secret(count: CredentialSecret.size)) else {
      throw try credential.member("secret").unfit("base64url of \(CredentialSecret.size) bytes")
    }
    self.secret = secret
    doors = try Self.readDoors(try file.member("doors"))
  }

  private static func readDoors(_ list: JSONReader) throws(JSONFieldError) -> [Door] {
    var doors: [Door] = []
    var ids: Set<Identifier> = []
    var numbers: Set<DoorNumber> = []
    for element in try list.elements() {
      let door = try Door(reading: element)
      guard ids.insert(door.id).inserted else { throw try element.member("id").unfit("each door once") }
      guard numbers.insert(door.number).inserted else { throw try element.member("target").unfit("each number once") }
      doors.append(door)
    }
    return doors
  }

  var json: JSONValue {
    [
      "format": .string(Self.format),
      "site": [
        "id": .string(site.id.description), "name": .string(site.name.text),
        "key": .string(siteKey.bytes.base64URL), "slotSeconds": .integer(Int64(site.slotClock.slotSeconds)),
        "skewSlots": .integer(Int64(site.slotClock.skewSlots)),
        "challengeSeconds": .integer(Int64(site.challengeSeconds)), "nameMarker": .string(site.markers.nameText),
        "uuid16Marker": .integer(Int64(site.markers.uuid16)),
      ],
      "credential": ["id": .string(id.text), "secret": .string(secret.bytes.base64URL)],
      "doors": .array(doors.map(\.json)),
    ]
  }
}

extension CredentialFile.Door {
  fileprivate init(reading door: JSONReader) throws(JSONFieldError) {
    let number = try door.member("target").integer(in: 1...65535)
    guard let number = DoorNumber(rawValue: UInt16(clamping: number)) else {
      throw try door.member("target").unfit("a whole number from 1 to 65535")
    }
    self.init(
      id: try door.member("id").identifier(), name: try door.member("name").displayName(), number: number,
      freshness: try door.member("freshness").text(
        "one of challenge, time, either", as: FreshnessPolicy.init(rawValue:)),
      commands: try door.member("commands").permissions())
  }

  fileprivate var json: JSONValue {
    [
      "id": .string(id.text), "name": .string(name.text), "target": .integer(Int64(number.rawValue)),
      "freshness": .string(freshness.rawValue), "commands": .array(commands.words.map(JSONValue.string)),
    ]
  }
}

extension SiteProfile {
  fileprivate init(reading site: JSONReader) throws(JSONFieldError) {
    let slotSeconds = try site.member("slotSeconds").integer(in: range(SlotClock.slotSecondsRange))
    let skewSlots = try site.member("skewSlots").integer(in: range(SlotClock.skewSlotsRange))
    let challengeSeconds = try site.member("challengeSeconds").integer(in: range(Self.challengeSecondsRange))
    let marker = try site.member("nameMarker").text("2 to 4 characters of A-Z a-z 0-9") { text in
      CarrierMarkers(name: text, uuid16: 0)?.nameText
    }
    let word = try site.member("uuid16Marker").integer(in: 0...65535)
    guard let clock = SlotClock(slotSeconds: Int(slotSeconds), skewSlots: Int(skewSlots)),
      let markers = CarrierMarkers(name: marker, uuid16: UInt16(clamping: word)),
      let profile = SiteProfile(
        id: try site.member("id").text("a UUID", as: { SiteID(text: $0) }),
        name: try site.member("name").displayName(), slotClock: clock, challengeSeconds: Int(challengeSeconds),
        markers: markers)
    else { throw site.unfit("the properties of a site") }
    self = profile
  }
}

private func range(_ range: ClosedRange<Int>) -> ClosedRange<Int64> {
  Int64(range.lowerBound)...Int64(range.upperBound)
}

extension JSONReader {
  fileprivate func identifier() throws(JSONFieldError) -> Identifier {
    try text(Identifier.expectation, as: Identifier.init)
  }

  fileprivate func displayName() throws(JSONFieldError) -> DisplayName {
    let text = try string("a name")
    do throws(DisplayNameError) { return try DisplayName(text) } catch {
      throw JSONFieldError(path: path, problem: "\(error)")
    }
  }

  fileprivate func permissions() throws(JSONFieldError) -> PermissionSet {
    var words: [String] = []
    for element in try elements() { words.append(try element.string("a command")) }
    do throws(PermissionSetError) { return try PermissionSet(words: words) } catch {
      throw JSONFieldError(path: path, problem: "\(error)")
    }
  }

  /// Bytes that are wiped when they aren't needed any more.
  fileprivate func secret(count: Int) throws(JSONFieldError) -> SecretBytes {
    var bytes = try base64URL(count: count)
    defer { wipe(&bytes) }
    return SecretBytes(copying: bytes)
  }
}

extension SecretBytes {
  fileprivate var base64URL: String {
    var bytes = withBytes { span in span.indices.map { span[$0] } }
    defer { wipe(&bytes) }
    return Base64URL.encode(bytes)
  }
}

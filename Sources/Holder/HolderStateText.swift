internal import AirProtocol
internal import JSON
internal import LatchkeyCrypto

/// Why the text of a state can't be used.
enum HolderStateFault: Error, Hashable {
  /// It isn't what this program wrote: cut off, changed, or another file.
  case damaged(String)
  /// A later version of this program wrote it; what it says of its format.
  case newer(String)
}

/// The text of a state: one line of JSON, and one with the SHA-256 of the first, by which a damaged file is known.
extension HolderState {
  /// What the member `format` says, up to the version.
  static let family = "latchkey-holder-state/"
  /// The version that this program writes; older ones would be migrated here.
  static let version = 1

  /// - Parameter format: another one than this program's own, for tests.
  func text(of format: String = "\(family)\(version)") throws(CryptoError) -> [UInt8] {
    let line = json(format).encoded()
    return line + Array("\n\(try digest(line))\n".utf8)
  }

  init(text bytes: [UInt8]) throws(HolderStateFault) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.count == 3, lines[2].isEmpty else { throw .damaged("expected two lines") }
    let line = Array(lines[0])
    let expected: String
    do throws(CryptoError) { expected = try digest(line) } catch { throw .damaged("\(error)") }
    guard lines[1].elementsEqual(expected.utf8) else { throw .damaged("the second line isn't the first one's SHA-256") }
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: line, limits: JSONLimits(size: line.count)) } catch {
      throw .damaged("\(error)")
    }
    if let format = value["format"]?.string, format.hasPrefix(HolderState.family),
      let version = UInt64(format.dropFirst(HolderState.family.count)), version > UInt64(HolderState.version)
    {
      throw .newer(format)
    }
    do throws(JSONFieldError) { try self.init(reading: JSONReader(value)) } catch { throw .damaged("\(error)") }
  }

  private func json(_ format: String) -> JSONValue {
    let numbers = doors.keys.sorted()
    return [
      "format": .string(format),
      "site": .string("\(site)"),
      "credential": .string(credential),
      "begun": .integer(Int64(clamping: begun)),
      "press": .integer(Int64(press)),
      "doors": .array(numbers.map { self[$0].json(of: $0) }),
      "challenges": .array(challenges.map { .string("\($0)") }),
    ]
  }

  private init(reading file: JSONReader) throws(JSONFieldError) {
    let format = "\(HolderState.family)\(HolderState.version)"
    let found = try file.member("format")
    guard try found.string() == format else { throw found.unfit("“\(format)”") }
    var doors: [DoorNumber: DoorUse] = [:]
    for element in try file.member("doors").elements() {
      let member = try element.member("target")
      let number = DoorNumber(rawValue: UInt16(clamping: try member.integer(in: 1...65_535)))
      guard let number, doors.updateValue(try DoorUse(reading: element), forKey: number) == nil else {
        throw member.unfit("each door once")
      }
    }
    var challenges: [Challenge] = []
    for element in try file.member("challenges").elements() {
      challenges.append(
        try element.text("a challenge") { text in
          text.utf8.count == 16 ? UInt64(text, radix: 16).flatMap(Challenge.init(bytes:)) : nil
        })
    }
    self.init(
      site: try file.member("site").text("a UUID") { SiteID(text: $0) },
      credential: try file.member("credential").string(),
      begun: try file.member("begun").slot(), press: UInt8(clamping: try file.member("press").integer(in: 0...255)),
      doors: doors, challenges: challenges)
  }
}

extension DoorUse {
  fileprivate func json(of number: DoorNumber) -> JSONValue {
    [
      "target": .integer(Int64(number.rawValue)), "slot": .integer(Int64(clamping: slot)),
      "next": .integer(Int64(nextSequence)), "slots": .array(slots.map { .integer(Int64(clamping: $0)) }),
      "timeFrom": .integer(Int64(clamping: timeFrom)),
    ]
  }

  fileprivate init(reading door: JSONReader) throws(JSONFieldError) {
    var slots: [UInt64] = []
    for element in try door.member("slots").elements() { slots.append(try element.slot()) }
    self.init(
      slot: try door.member("slot").slot(), nextSequence: Int(try door.member("next").integer(in: 0...256)),
      slots: slots, timeFrom: try door.member("timeFrom").slot())
  }
}

extension JSONReader {
  fileprivate func slot() throws(JSONFieldError) -> UInt64 { UInt64(try integer(in: 0...Int64.max)) }
}

private func digest(_ line: [UInt8]) throws(CryptoError) -> String {
  try SHA256.digest(of: line.span).map { byte in
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0" + digits : digits
  }.joined()
}

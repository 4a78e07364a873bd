import JSON
import Testing

@Suite struct JSONReaderTests {
  static let text = #"""
    { "site": { "name": "HQ", "slotSeconds": 5, "key": "AAEC", "on": true, "none": null },
      "doors": [ { "target": 1 }, { "target": "2" }, 3 ] }
    """#

  @Test func membersOfTheRightTypeAreRead() throws {
    let site = try JSONReader(JSONValue(parsing: Self.text)).member("site")
    #expect(try site.member("name").string() == "HQ")
    #expect(try site.member("slotSeconds").integer(in: 1...60) == 5)
    #expect(try site.member("key").base64URL(count: 3) == [0, 1, 2])
    #expect(try site.member("on").bool())
    #expect(try site.member("name").text("HQ") { $0 == "HQ" ? 1 : nil } == 1)
    #expect(try site.optionalMember("none") == nil)
    #expect(try site.optionalMember("absent") == nil)
  }

  /// A complaint and the reading that leads to it.
  struct Case: Sendable, CustomTestStringConvertible {
    let complaint: String
    let read: @Sendable (JSONReader) throws -> Void

    init(_ complaint: String, _ read: @escaping @Sendable (JSONReader) throws -> Void) {
      self.complaint = complaint
      self.read = read
    }

    var testDescription: String { complaint }
  }

  static let cases = [
    Case("site.slotSeconds: expected a whole number from 6 to 60") {
      _ = try $0.site("slotSeconds").integer(in: 6...60)
    },
    Case("site.name: expected a whole number from 1 to 2, found a string") {
      _ = try $0.site("name").integer(in: 1...2)
    },
    Case("site.id: missing, expected a string") { _ = try $0.site("id").string() },
    Case("site.none: expected a string, found null") { _ = try $0.site("none").string() },
    Case("site.key: expected base64url of 32 bytes") { _ = try $0.site("key").base64URL(count: 32) },
    Case("site.on: expected base64url of 2 bytes, found true or false") { _ = try $0.site("on").base64URL(count: 2) },
    Case("site.name: expected a UUID") { _ = try $0.site("name").text("a UUID") { _ in Int?.none } },
    Case("site.name: expected true or false, found a string") { _ = try $0.site("name").bool() },
    Case("site: expected an array, found an object") { _ = try $0.member("site").elements() },
    Case("absent: missing, expected an object") { _ = try $0.member("absent").member("x") },
    Case("doors[1].target: expected a whole number from 1 to 9, found a string") {
      _ = try $0.member("doors").elements()[1].member("target").integer(in: 1...9)
    },
    Case("doors[2]: expected an object, found a whole number") {
      _ = try $0.member("doors").elements()[2].member("target")
    },
  ]

  @Test(arguments: cases)
  func aMissingOrMistypedMemberIsNamed(of this: Case) throws {
    let reader = try JSONReader(JSONValue(parsing: Self.text))
    let error = #expect(throws: JSONFieldError.self) { try this.read(reader) }
    #expect(error?.description == this.complaint)
  }

  @Test func theTextItselfHasNoPath() {
    let error = #expect(throws: JSONFieldError.self) { try JSONReader([1]).member("a") }
    #expect(error?.description == "expected an object, found an array")
  }
}

extension JSONReader {
  fileprivate func site(_ key: String) throws(JSONFieldError) -> JSONReader { try member("site").member(key) }
}

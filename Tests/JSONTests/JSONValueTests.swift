import JSON
import Testing

@Suite struct JSONValueTests {
  static let everyKind: JSONValue = [
    "null": nil, "yes": true, "no": false, "least": -9_223_372_036_854_775_808, "most": 9_223_372_036_854_775_807,
    "real": 0.1, "text": "a \"quoted\" \\ name\n\t\u{1}\u{7F}\u{9B}2J é 😀", "list": [1, [], [:], "x"],
    "nested": ["z": 1, "a": 2],
  ]

  @Test(arguments: [JSONLayout.compact, .pretty])
  func whatIsWrittenIsReadAgain(layout: JSONLayout) throws {
    #expect(try JSONValue(parsing: Self.everyKind.encoded(layout)) == Self.everyKind)
  }

  @Test func membersKeepTheirOrder() throws {
    let value = try JSONValue(parsing: #"{"z":1,"a":2,"m":3}"#)
    #expect(value.object?.members.map(\.key) == ["z", "a", "m"])
    #expect(value.text() == #"{"z":1,"a":2,"m":3}"#)
  }

  @Test func aMemberIsReplacedInItsPlaceAddedAndTakenOut() {
    var object: JSONObject = ["a": 1, "b": 2]
    object["a"] = 3
    object["c"] = 4
    object["b"] = nil
    object["absent"] = nil
    #expect(JSONValue.object(object).text() == #"{"a":3,"c":4}"#)
  }

  @Test func controlCharactersAreEscapedAndNothingElse() {
    #expect(JSONValue("\u{1B}[2J\u{7F}\u{9B}31m").text() == #""\u001b[2J\u007f\u009b31m""#)
    #expect(JSONValue("é\u{A0}Â\u{20AC}/").text() == "\"é\u{A0}Â\u{20AC}/\"")
  }

  @Test func prettyTextHasOneMemberALine() {
    let value: JSONValue = ["a": [1, 2], "b": [:], "c": []]
    #expect(value.text(.pretty) == "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": []\n}\n")
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan])
  func whatJSONHasNoNumberForIsNull(number: Double) { #expect(JSONValue.real(number).text() == "null") }

  @Test(arguments: [0.1, -0.0, 1e300, .leastNonzeroMagnitude, 123_456_789.5, 1e20])
  func realsKeepTheirValue(number: Double) throws {
    let read = try JSONValue(parsing: JSONValue.real(number).text())
    #expect(read == .real(number))
  }

  @Test func accessorsAnswerNilForOtherKinds() {
    #expect(JSONValue(1).string == nil && JSONValue("1").integer == nil && JSONValue(1).bool == nil)
    #expect(JSONValue(1).array == nil && JSONValue(1).object == nil && JSONValue(1)["a"] == nil)
    #expect(Self.everyKind["nested"]?["a"]?.integer == 2)
  }
}

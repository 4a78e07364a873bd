import Configuration
import Testing

private enum Freshness: String, CaseIterable {
  case time
  case challenge
  case either
}

/// A small configuration of the daemon's kind, read as a daemon would.
private struct Sample: Equatable {
  var radio = ""
  var doors: [String] = []

  init(_ text: String) throws(ConfigurationError) {
    let root = ConfigurationReader(try YAMLNode(parsing: Array(text.utf8), file: "d.yaml"), file: "d.yaml")
    let top = try root.mapping(["radio", "site-key", "doors"])
    radio = try top.required("radio").text()
    for (id, door) in try top.required("doors").entries() {
      let fields = try door.mapping(["pulse", "freshness", "lock", "enabled"])
      let pulse = try fields["pulse"]?.duration(in: .milliseconds(100)...(.seconds(60))) ?? .seconds(5)
      let freshness = try fields["freshness"]?.word(Freshness.self) ?? .challenge
      let lock = try fields.required("lock").mapping(["dry-run", "gpio", "command"]).only()
      let enabled = try fields["enabled"]?.boolean() ?? true
      var detail = ""
      switch lock.key {
      case "gpio": detail = "\(try lock.value.mapping(["line"]).required("line").integer(in: 0...63) as Int)"
      case "command":
        detail = try lock.value.elements().map { element throws(ConfigurationError) in
          try element.text()
        }.joined(separator: " ")
      default: detail = lock.value.isNull ? "null" : "set"
      }
      doors.append("\(id) \(pulse) \(freshness.rawValue) \(lock.key) \(detail) \(enabled)")
    }
  }
}

@Suite struct ConfigurationReaderTests {
  @Test(arguments: [
    ("lock: { dry-run: {} }", "front 5.0 seconds challenge dry-run set true"),
    ("lock: { dry-run: }", "front 5.0 seconds challenge dry-run null true"),
    (
      "pulse: 250ms, freshness: time, enabled: false, lock: { gpio: { line: 17 } }",
      "front 0.25 seconds time gpio 17 false"
    ),
    ("lock: { command: [a, \"b c\"] }", "front 5.0 seconds challenge command a b c true"),
  ])
  func reads(_ door: String, _ expected: String) throws {
    #expect(try Sample("radio: hci:0\ndoors:\n  front: { \(door) }\n").doors == [expected])
  }

  @Test(arguments: [
    ("", "d.yaml:1: expected a mapping, found nothing"),
    ("- a\n", "d.yaml:1: expected a mapping, found a list"),
    ("radoi: hci:0\n", "d.yaml:1: radoi: unknown key; did you mean “radio”?"),
    ("radio: x\n\nfrequency: 2\n", "d.yaml:3: frequency: unknown key; expected radio, site-key, doors"),
    ("doors: {}\n", "d.yaml:1: expected the key “radio”"),
    ("radio:\ndoors: {}\n", "d.yaml:1: radio: expected text, found nothing"),
    ("radio: [a]\ndoors: {}\n", "d.yaml:1: radio: expected text, found a list"),
    ("radio: x\ndoors:\n  front:\n    pulse: 5s\n", "d.yaml:3: doors.front: expected the key “lock”"),
    (
      "radio: x\ndoors:\n  front:\n    pulse: 5\n",
      "d.yaml:4: doors.front.pulse: expected a duration from 100ms to 1m, found “5”"
    ),
    (
      "radio: x\ndoors:\n  front:\n    pulse: 61s\n",
      "d.yaml:4: doors.front.pulse: expected a duration from 100ms to 1m, found “61s”"
    ),
    (
      "radio: x\ndoors:\n  front:\n    freshness: chalenge\n",
      "d.yaml:4: doors.front.freshness: expected one of time, challenge, either, found “chalenge”; "
        + "did you mean “challenge”?"
    ),
    (
      "radio: x\ndoors:\n  front:\n    lock:\n      gpio: { line: 64 }\n",
      "d.yaml:5: doors.front.lock.gpio.line: expected a whole number from 0 to 63, found “64”"
    ),
    (
      "radio: x\ndoors:\n  front:\n    lock:\n      command:\n        - a\n        - [b]\n",
      "d.yaml:7: doors.front.lock.command[1]: expected text, found a list"
    ),
    ("radio: x\ndoors:\n  front:\n    lock: {}\n", "d.yaml:4: doors.front.lock: expected one key, found 0"),
    (
      "radio: x\ndoors:\n  front:\n    lock: {dry-run: {}, gpio: {}}\n",
      "d.yaml:4: doors.front.lock: expected one key, found 2"
    ),
    (
      "radio: x\ndoors:\n  front:\n    lock: {dry-run: }\n    enabled: yes\n",
      "d.yaml:5: doors.front.enabled: expected true or false, found “yes”"
    ),
    ("radio: x\ndoors:\n  \"a\\e[1m\": 5\n", "d.yaml:3: doors.a\\u{1b}[1m: expected a mapping, found “5”"),
  ])
  func refuses(_ text: String, _ complaint: String) {
    let error = #expect(throws: ConfigurationError.self) { try Sample(text) }
    #expect(error?.description == complaint)
  }
}

import Configuration
import Testing

/// A node as text, for comparison.
private func shape(_ node: YAMLNode) -> String {
  switch node.content {
  case .null: "null"
  case .scalar(let text): "'\(text)'"
  case .sequence(let nodes): "[\(nodes.map(shape).joined(separator: ","))]"
  case .mapping(let entries):
    "{\(entries.map { "\($0.key)@\($0.line):\(shape($0.value))" }.joined(separator: ","))}"
  }
}

@Suite struct YAMLParserTests {
  @Test(arguments: [
    ("", "null"),
    ("# nothing\n", "null"),
    ("a: 1\nb: [x, 'y: z', \"\\u00e9\"]\n", "{a@1:'1',b@2:['x','y: z','é']}"),
    ("doors:\n  front:\n    lock: { dry-run: {} }\n", "{doors@1:{front@2:{lock@3:{dry-run@3:{}}}}}"),
    ("a:\nb: ~\nc: null\nd: 'null'\ne: ''\n", "{a@1:null,b@2:null,c@3:null,d@4:'null',e@5:''}"),
    ("---\n- 00ab\n- yes\n- 0x10\n...\n", "['00ab','yes','0x10']"),
    ("a: -_Zk9\n", "{a@1:'-_Zk9'}"),
    ("\u{FEFF}a: 1\r\nb: 2\r\n", "{a@1:'1',b@2:'2'}"),
    ("a: |\n  two\n  lines\n", "{a@1:'two\nlines\n'}"),
  ])
  func reads(_ text: String, _ expected: String) throws {
    #expect(shape(try YAMLNode(parsing: Array(text.utf8), file: "f")) == expected)
  }

  @Test(arguments: [
    ("a: 1\nb: 2\na: 3\n", "f:3: a: is given twice, first in line 1"),
    ("x:\n  a: 1\n  'a': 3\n", "f:3: x.a: is given twice, first in line 2"),
    ("a: &x 1\n", "f:1: expected no anchors (&name)"),
    ("a: 1\nb: *x\n", "f:2: expected no aliases (*name): write the value out"),
    ("a: !!str 1\n", "f:1: expected no tags (!name)"),
    ("a: &x [1]\n", "f:1: expected no anchors (&name)"),
    ("a: !x {}\n", "f:1: expected no tags (!name)"),
    ("a: 1\n---\nb: 1\n", "f:2: expected one document, found a second"),
    ("? [a]\n: 1\n", "f:1: expected a key that is text"),
    ("a: [1, 2\nb: 3\n", "f:2: expected YAML: did not find expected ',' or ']' (while parsing a flow sequence)"),
    (
      "a: 1\n\tb: 2\n",
      "f:2: expected YAML: found a tab character that violates indentation (while scanning a plain scalar)"
    ),
    ("a: 'x\n", "f:2: expected YAML: found unexpected end of stream (while scanning a quoted scalar)"),
    ("a: b: c\n", "f:1: expected YAML: mapping values are not allowed in this context"),
    ("a:\n b: [[[[1]]]]\n", "f:2: a.b[0][0][0]: expected at most 5 levels"),
    ("a: '\u{1B}[2J'\n", "f:1: expected YAML: control characters are not allowed"),
  ])
  func refuses(_ text: String, _ complaint: String) {
    let error = #expect(throws: ConfigurationError.self) {
      try YAMLNode(parsing: Array(text.utf8), file: "f", limits: YAMLLimits(depth: 5))
    }
    #expect(error?.description == complaint)
  }

  @Test func refusesWhatIsTooLarge() {
    let error = #expect(throws: ConfigurationError.self) {
      try YAMLNode(parsing: Array("a: 1234567".utf8), file: "f", limits: YAMLLimits(size: 9))
    }
    #expect(error?.description == "f:1: expected at most 9 bytes, found 10")
  }

  @Test func refusesBadUTF8() {
    let error = #expect(throws: ConfigurationError.self) { try YAMLNode(parsing: [0x61, 0x3A, 0x20, 0xFF], file: "f") }
    #expect(error?.description == "f:1: expected YAML: invalid leading UTF-8 octet")
  }

  /// Whatever the bytes, an answer and no trap: a text truncated at every length, and with every byte changed.
  @Test func anyBytesAreAnswered() {
    let text = Array("a: [1, {b: \"\\u00e9\"}]\nc: |\n  d\n? e\n: &f *f\n--- !g\n'h': \"i\n".utf8)
    var refused = 0
    for length in 0...text.count where (try? YAMLNode(parsing: Array(text[..<length]), file: "f")) == nil {
      refused += 1
    }
    for index in text.indices {
      for byte in [0, 9, 10, 0x22, 0x25, 0x2A, 0x5B, 0x7B, 0x80, 0xFF] as [UInt8] {
        var changed = text
        changed[index] = byte
        if (try? YAMLNode(parsing: changed, file: "f")) == nil { refused += 1 }
      }
    }
    #expect(refused > 500)
  }
}

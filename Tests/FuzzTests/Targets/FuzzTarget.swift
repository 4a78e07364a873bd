/// A parser of untrusted bytes, and what must hold for whatever bytes it gets.
///
/// The same check runs under libFuzzer (scripts/fuzz) and, over the seeds in Tests/Corpus, in the ordinary tests.
struct FuzzTarget: Sendable, CustomStringConvertible {
  /// Its name on the command line and its folder's in Tests/Corpus.
  let name: String
  /// Feeds the parser; throws `BrokenProperty`, or traps where the parser does.
  let check: @Sendable ([UInt8]) throws -> Void

  var description: String { name }

  static let all = [
    FuzzTarget(name: "h4", check: checkH4Stream), FuzzTarget(name: "hci-event", check: checkEvents),
    FuzzTarget(name: "ad-structures", check: checkStructures), FuzzTarget(name: "carriers", check: checkCarriers),
    FuzzTarget(name: "frame", check: checkFrame), FuzzTarget(name: "btsnoop", check: checkCapture),
    FuzzTarget(name: "bundle", check: checkBundle), FuzzTarget(name: "credential", check: checkCredential),
    FuzzTarget(name: "configuration", check: checkConfiguration), FuzzTarget(name: "board", check: checkBoardStream),
    FuzzTarget(name: "relay", check: checkRelayLines), FuzzTarget(name: "pipe", check: checkPipeWords),
  ]
}

/// What was to hold, and didn't.
struct BrokenProperty: Error, CustomStringConvertible {
  let description: String
}

func require(_ condition: Bool, _ property: @autoclosure () -> String) throws(BrokenProperty) {
  if !condition { throw BrokenProperty(description: "broken: \(property())") }
}

/// Hands an input out piece by piece; behind its end come zeros and empty pieces.
struct ByteSource {
  private var left: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { left = bytes[...] }

  var isEmpty: Bool { left.isEmpty }

  /// All that is left.
  var rest: [UInt8] { Array(left) }

  mutating func byte() -> UInt8 { left.popFirst() ?? 0 }

  mutating func word() -> UInt64 { (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) } }

  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { left = left.dropFirst(count) }
    return Array(left.prefix(count))
  }
}

/// The bytes of a span.
func bytes(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }

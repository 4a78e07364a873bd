/// A member of a JSON text that isn't what was expected.
public struct JSONFieldError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where it stands, for example `doors[2].target`; empty for the text itself.
  public let path: String
  /// What was expected and what was found, never the value itself.
  public let problem: String

  public init(path: String, problem: String) {
    self.path = path
    self.problem = problem
  }

  /// For example `credential.secret: expected base64url of 32 bytes, found a whole number`.
  public var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}

/// Reads the members of a JSON value that it expects, and names the one that is missing or mistyped.
///
/// Members nobody asks for are ignored.
public struct JSONReader: Sendable {
  /// Where this value stands in the text.
  public let path: String
  /// The value; null stands for a missing member as well.
  public let value: JSONValue
  private let isMissing: Bool

  public init(_ value: JSONValue) { self.init(value, path: "", isMissing: false) }

  private init(_ value: JSONValue, path: String, isMissing: Bool) {
    self.value = value
    self.path = path
    self.isMissing = isMissing
  }

  /// The member of an object; where there is none, what reads it says so.
  ///
  /// - Throws: where this value isn't an object.
  public func member(_ key: String) throws(JSONFieldError) -> JSONReader {
    guard case .object(let object) = value else { throw unexpected("an object") }
    let value = object[key]
    return JSONReader(value ?? .null, path: path.isEmpty ? key : "\(path).\(key)", isMissing: value == nil)
  }

  /// The member of an object, or nil where there is none or it is null.
  public func optionalMember(_ key: String) throws(JSONFieldError) -> JSONReader? {
    let reader = try member(key)
    return reader.value == .null ? nil : reader
  }

  /// The elements of an array, each with its index in the path.
  public func elements() throws(JSONFieldError) -> [JSONReader] {
    guard case .array(let elements) = value else { throw unexpected("an array") }
    return elements.enumerated().map { JSONReader($1, path: "\(path)[\($0)]", isMissing: false) }
  }

  /// The text of a string; `expected` says in a complaint what it should have been.
  public func string(_ expected: String = "a string") throws(JSONFieldError) -> String {
    guard case .string(let text) = value else { throw unexpected(expected) }
    return text
  }

  /// A whole number in a range.
  public func integer(in range: ClosedRange<Int64>) throws(JSONFieldError) -> Int64 {
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard case .integer(let number) = value else { throw unexpected(expected) }
    guard range.contains(number) else { throw unfit(expected) }
    return number
  }

  /// True or false.
  public func bool() throws(JSONFieldError) -> Bool {
    guard case .bool(let flag) = value else { throw unexpected("true or false") }
    return flag
  }

  /// A string of base64url that stands for exactly `count` bytes.
  public func base64URL(count: Int) throws(JSONFieldError) -> [UInt8] {
    let expected = "base64url of \(count) bytes"
    guard let bytes = Base64URL.decode(try string(expected)), bytes.count == count else { throw unfit(expected) }
    return bytes
  }

  /// A string that `convert` makes something of; nil from it is an error that says what was expected.
  public func text<Value>(_ expected: String, as convert: (String) -> Value?) throws(JSONFieldError) -> Value {
    guard let value = convert(try string(expected)) else { throw unfit(expected) }
    return value
  }

  /// The complaint about a missing value or one of another type.
  public func unexpected(_ expected: String) -> JSONFieldError {
    JSONFieldError(
      path: path, problem: isMissing ? "missing, expected \(expected)" : "expected \(expected), found \(value.kind)")
  }

  /// The complaint about a value of the right type that isn't one of those expected.
  public func unfit(_ expected: String) -> JSONFieldError {
    JSONFieldError(path: path, problem: "expected \(expected)")
  }
}

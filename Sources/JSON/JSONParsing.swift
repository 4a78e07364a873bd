internal import CJansson

/// What a JSON text may take: its bytes and its nesting.
public struct JSONLimits: Sendable {
  /// Most bytes of a text.
  public var size: Int
  /// Deepest nesting of arrays and objects; a bare number has none.
  public var depth: Int

  /// One mebibyte and 32 levels unless said otherwise.
  public init(size: Int = 1 << 20, depth: Int = 32) {
    self.size = size
    self.depth = depth
  }
}

/// Why a text isn't JSON.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Line of the fault, from 1; nil where the text as a whole is meant.
  public let line: Int?
  /// Column of the fault, in characters from 1.
  public let column: Int?
  /// What was expected or found, in words, and never a piece of the text: that may be a secret.
  public let problem: String

  public var description: String {
    guard let line, let column else { return problem }
    return "line \(line), column \(column): \(problem)"
  }
}

extension JSONValue {
  /// Reads one JSON text (RFC 8259) in UTF-8.
  ///
  /// Refused: a key that stands twice in an object, a character U+0000, an integer beyond 64 bits, anything behind
  /// the value, and what exceeds `limits`.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    guard bytes.count <= limits.size else {
      throw JSONError(line: nil, column: nil, problem: "longer than \(limits.size) bytes")
    }
    guard !bytes.isEmpty else { throw JSONError(line: nil, column: nil, problem: "empty, expected a JSON text") }
    try checkDepth(bytes, limit: limits.depth)
    _ = wipingAllocator
    var fault = json_error_t()
    let flags = Int(JSON_REJECT_DUPLICATES) | Int(JSON_DECODE_ANY)
    let root = unsafe bytes.withUnsafeBytes { buffer in
      unsafe json_loadb(buffer.baseAddress, buffer.count, flags, &fault)
    }
    guard let root = unsafe root else { throw JSONError(fault) }
    defer { unsafe json_decref(root) }
    self = unsafe JSONValue(copying: root)
  }

  /// Reads one JSON text; see `init(parsing:limits:)`.
  public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// Copies a jansson value, which stays the caller's.
  fileprivate init(copying value: UnsafeMutablePointer<json_t>) {
    switch unsafe value.pointee.type {
    case JSON_OBJECT: self = unsafe .object(JSONObject(copying: value))
    case JSON_ARRAY:
      var elements: [JSONValue] = []
      for index in unsafe 0..<json_array_size(value) {
        if let element = unsafe json_array_get(value, index) { unsafe elements.append(JSONValue(copying: element)) }
      }
      self = .array(elements)
    case JSON_STRING: self = unsafe .string(swiftString(json_string_value(value), json_string_length(value)))
    case JSON_INTEGER: self = unsafe .integer(Int64(json_integer_value(value)))
    case JSON_REAL: self = unsafe .real(json_real_value(value))
    case JSON_TRUE: self = .bool(true)
    case JSON_FALSE: self = .bool(false)
    default: self = .null
    }
  }
}

extension JSONObject {
  fileprivate init(copying object: UnsafeMutablePointer<json_t>) {
    self.init()
    var iterator = unsafe json_object_iter(object)
    while let at = unsafe iterator {
      let key = unsafe swiftString(json_object_iter_key(at), json_object_iter_key_len(at))
      if let value = unsafe json_object_iter_value(at) { unsafe append(key, JSONValue(copying: value)) }
      unsafe iterator = json_object_iter_next(object, at)
    }
  }
}

/// Makes jansson wipe what it frees, once, before its first use.
private let wipingAllocator: Void = cjansson_use_wiping_allocator()

private func swiftString(_ characters: UnsafePointer<CChar>?, _ length: Int) -> String {
  guard let characters = unsafe characters else { return "" }
  return unsafe String(decoding: UnsafeRawBufferPointer(start: characters, count: length), as: UTF8.self)
}

extension JSONError {
  fileprivate init(_ fault: json_error_t) {
    var fault = fault
    let problem =
      switch unsafe json_error_code(&fault) {
      case json_error_invalid_utf8: "not UTF-8"
      case json_error_premature_end_of_input: "the text ends too early"
      case json_error_end_of_input_expected: "something follows the end of the JSON value"
      case json_error_null_character, json_error_null_byte_in_key: "a string holds the character U+0000"
      case json_error_duplicate_key: "a key stands twice in the same object"
      case json_error_numeric_overflow: "a number too large"
      case json_error_out_of_memory: "out of memory"
      default: "not JSON"
      }
    // jansson's own text quotes the token; its column counts from 0, behind that token.
    self.init(line: max(1, Int(fault.line)), column: max(1, Int(fault.column)), problem: problem)
  }
}

/// Refuses nesting beyond the limit before any recursion follows it.
private func checkDepth(_ bytes: [UInt8], limit: Int) throws(JSONError) {
  var (depth, line, column) = (0, 1, 0)
  var (inString, escaped) = (false, false)
  for byte in bytes {
    if byte & 0xC0 != 0x80 { column += 1 }
    switch byte {
    case UInt8(ascii: "\n"): (line, column) = (line + 1, 0)
    case _ where escaped: break
    case UInt8(ascii: "\""): inString.toggle()
    case _ where inString: break
    case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
    case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
    default: break
    }
    escaped = inString && !escaped && byte == UInt8(ascii: "\\")
    if depth > limit {
      throw JSONError(line: line, column: column, problem: "nested deeper than \(limit) levels")
    }
  }
}

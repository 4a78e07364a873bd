/// A JSON text as a value (RFC 8259).
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number without fraction and exponent that fits 64 bits.
  case integer(Int64)
  case real(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

/// The members of a JSON object, in the order in which they stand; a key stands once.
public struct JSONObject: Hashable, Sendable {
  /// A key and its value.
  public struct Member: Hashable, Sendable {
    public let key: String
    public var value: JSONValue

    public init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  public private(set) var members: [Member] = []

  public init() {}

  /// The value of a key; writing replaces it in its place or appends it, writing nil takes it out.
  public subscript(key: String) -> JSONValue? {
    get { members.first { $0.key == key }?.value }
    set {
      let index = members.firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  /// Appends a member whose key the caller knows to be new: the parser, which refuses repeated keys itself.
  mutating func append(_ key: String, _ value: JSONValue) { members.append(Member(key: key, value: value)) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Members in the order written; of a key written twice the last value counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (key, value) in elements { self[key] = value }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .real(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(nilLiteral: ()) { self = .null }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    var object = JSONObject()
    for (key, value) in elements { object[key] = value }
    self = .object(object)
  }
}

extension JSONValue {
  /// The member of that key, where this is an object that has one.
  public subscript(key: String) -> JSONValue? {
    if case .object(let object) = self { object[key] } else { nil }
  }

  /// The text, where this is a string.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The number, where this is an integer.
  public var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

  /// The truth value, where this is one.
  public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }

  /// The elements, where this is an array.
  public var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

  /// The members, where this is an object.
  public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

  /// What it is, in words for complaints: "a number", "an object".
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer: "a whole number"
    case .real: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

internal import JSON
internal import POSIX

/// Vectors made by an independent implementation (Tests/Vectors).
public struct Vectors {
  /// The objects of one of a file's lists, for example `cases`; of the air protocol's, unless another one is named.
  public static func records(_ list: String, of file: String = "air-protocol-1") throws -> [VectorRecord] {
    // This file is Tests/TestSupport/Vectors.swift.
    let directory = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let path = "/\(directory)/Vectors/\(file).json"
    let file = try FileDescriptor.open(path, 0)
    var text: [UInt8] = []
    while case let bytes = try file.read(upTo: 1 << 16), !bytes.isEmpty { text += bytes }
    guard let records = try JSONValue(parsing: text)[list]?.array, !records.isEmpty else {
      throw TestError("\(path): no list \(list)")
    }
    return records.enumerated().map { VectorRecord(name: "\(list)[\($0)]", value: $1) }
  }
}

/// One object of the vectors; what reads it names the member that is missing or of another kind.
public struct VectorRecord: Sendable, CustomStringConvertible {
  private let name: String
  private let value: JSONValue

  fileprivate init(name: String, value: JSONValue) {
    self.name = name
    self.value = value
  }

  /// Its list and index, and what it says about itself.
  public var description: String {
    [name, value["why"]?.string, value["what"]?.string].compactMap(\.self).joined(separator: ": ")
  }

  public func isNull(_ key: String) -> Bool { value[key] == .null }

  public func text(_ key: String) throws -> String { try member(key, value[key]?.string) }

  public func number(_ key: String) throws -> Int64 { try member(key, value[key]?.integer) }

  public func texts(_ key: String) throws -> [String] {
    try member(key, value[key]?.array).map { try member(key, $0.string) }
  }

  public func record(_ key: String) throws -> VectorRecord {
    VectorRecord(name: "\(name).\(key)", value: try member(key, value[key]))
  }

  /// The bytes of a member in hex.
  public func bytes(_ key: String) throws -> [UInt8] { try member(key, hexadecimalBytes(try text(key))) }

  /// The big-endian number of a member in hex.
  public func word(_ key: String) throws -> UInt64 { try bytes(key).reduce(0) { $0 << 8 | UInt64($1) } }

  private func member<Value>(_ key: String, _ value: Value?) throws -> Value {
    guard let value else { throw TestError("\(name).\(key): missing or of another kind") }
    return value
  }
}

/// The bytes of hex text of either case; nil where it isn't one.
public func hexadecimalBytes(_ text: String) -> [UInt8]? {
  let digits = text.compactMap { $0.hexDigitValue.map { UInt8($0) } }
  guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// The lower-case hex text of bytes.
public func hexadecimalText(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

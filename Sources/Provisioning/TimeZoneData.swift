public import POSIX

/// The rules of a time zone as the system's own zone data have them: an IANA name and its TZif file (RFC 9636).
///
/// A door bundle carries them, so that a door needs no zone data of its own and its own zone doesn't matter.
public struct TimeZoneData: Hashable, Sendable {
  /// For example `Europe/Berlin`.
  public let name: String
  /// The whole file.
  public let bytes: [UInt8]

  /// Where Debian's package tzdata puts the files.
  public static let systemDirectory = "/usr/share/zoneinfo"
  /// The longest file that is taken; those of today are below 4 KiB.
  public static let longestFile = 65_535
  static let longestName = 64

  /// Takes a name and the bytes of its file.
  ///
  /// - Throws: `notAName`, or `damaged` where the bytes aren't one whole TZif file of version 2 or newer without leap
  ///   seconds.
  public init(name: String, bytes: [UInt8]) throws(TimeZoneError) {
    guard Self.isName(name) else { throw .notAName(name) }
    guard isZoneFile(bytes.span) else { throw .damaged(name) }
    self.name = name
    self.bytes = bytes
  }

  /// Reads the zone from the system's zone data.
  ///
  /// - Throws: `noData` where the directory isn't there, `unknown` where it has no such zone.
  public static func load(_ name: String, from directory: String = systemDirectory) throws(TimeZoneError) -> Self {
    guard isName(name) else { throw .notAName(name) }
    guard isDirectory(directory) else { throw .noData(directory) }
    let bytes: [UInt8]
    do throws(FileError) { bytes = try readFile("\(directory)/\(name)", limit: longestFile) } catch {
      switch error.problem {
      case .system(_, .noEntry), .system(_, .notDirectory), .notRegular: throw .unknown(name)
      default: throw .file(error)
      }
    }
    return try TimeZoneData(name: name, bytes: bytes)
  }

  /// The names that the system's zone data list, in no order; empty where the list isn't there.
  public static func names(in directory: String = systemDirectory) -> [String] {
    let list: [UInt8]
    do throws(FileError) { list = try readFile("\(directory)/tzdata.zi", limit: 1 << 20) } catch { return [] }
    // `Z Europe/Berlin …` is a zone, `L Europe/Berlin Europe/Copenhagen` another name of one.
    return String(decoding: list, as: UTF8.self).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count >= 3, words[0] == "Z" || words[0] == "L" else { return nil }
      return String(words[words[0] == "Z" ? 1 : 2])
    }
  }

  /// Whether it may be a zone's name: no path that leaves the directory, none of the files beside the zones.
  static func isName(_ name: String) -> Bool {
    guard (1...longestName).contains(name.utf8.count) else { return false }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let allowed = parts.allSatisfy { part in
      guard let first = part.utf8.first, isLetter(first) else { return false }
      return part.utf8.allSatisfy { isLetter($0) || isDigit($0) || [0x2B, 0x2D, 0x5F].contains($0) }
    }
    // `right/…` counts leap seconds, `posix/…` is the same again, and the others are no zones of a place.
    return allowed && !["posix", "right", "localtime", "posixrules", "Factory"].contains(parts.first)
  }
}

/// Why there is no such time zone.
public enum TimeZoneError: Error, Hashable, Sendable, CustomStringConvertible {
  case notAName(String)
  case unknown(String)
  /// The system has no zone data in this directory.
  case noData(String)
  /// The file of this zone isn't a whole TZif file of version 2 or newer without leap seconds.
  case damaged(String)
  case file(FileError)

  public var description: String {
    switch self {
    case .notAName(let name): "expected an IANA time zone like Europe/Berlin, not “\(name)”"
    case .unknown(let name): "unknown time zone “\(name)”: expected an IANA name like Europe/Berlin"
    case .noData(let directory):
      "no time zone data in \(directory): install the package tzdata (apt-get install tzdata)"
    case .damaged(let name): "the data of time zone \(name) are damaged: expected a TZif file (RFC 9636)"
    case .file(let error): error.description
    }
  }
}

private func isDirectory(_ path: String) -> Bool {
  do throws(FileError) { return try fileStatus(path)?.isDirectory == true } catch { return false }
}

private func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }
private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

/// Whether the bytes are one whole TZif file: two blocks as long as their headers say, and the footer behind them.
private func isZoneFile(_ bytes: Span<UInt8>) -> Bool {
  guard let first = blockLength(bytes, at: 0, timeSize: 4), let second = blockLength(bytes, at: first, timeSize: 8)
  else { return false }
  let footer = first + second
  guard bytes.count >= footer + 2, bytes[footer] == 0x0A, bytes[bytes.count - 1] == 0x0A else { return false }
  // The footer is one line of printable ASCII.
  for index in (footer + 1)..<(bytes.count - 1) where !(0x20...0x7E).contains(bytes[index]) { return false }
  return true
}

/// The length of header and data block at `start` (RFC 9636 sections 3.1 and 3.2); nil where they aren't there.
private func blockLength(_ bytes: Span<UInt8>, at start: Int, timeSize: Int) -> Int? {
  let headerSize = 44
  guard bytes.count - start >= headerSize else { return nil }
  for (index, byte) in "TZif".utf8.enumerated() where bytes[start + index] != byte { return nil }
  guard (0x32...0x39).contains(bytes[start + 4]) else { return nil }
  let counts = (0..<6).map { Int(bytes.integer(at: start + 20 + 4 * $0, as: UInt32.self)) }
  let (utc, standard, leap, times, types, characters) = (
    counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]
  )
  guard leap == 0, types > 0 else { return nil }
  let length = headerSize + times * (timeSize + 1) + types * 6 + characters + standard + utc
  return length <= bytes.count - start ? length : nil
}

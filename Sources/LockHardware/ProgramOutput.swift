internal import POSIX

/// What a program writes, read without ever waiting, as lines for the log.
///
/// A program can't fill the log, nor put into it what isn't text: a movement has so many lines of such a length, control
/// characters and bytes that aren't UTF-8 are replaced, and what is more is read and dropped.
struct ProgramOutput: ~Copyable {
  /// The most lines of one run.
  static let mostLines = 20
  /// The longest line, in bytes of UTF-8.
  static let longestLine = 400

  /// Nil once nobody can write any more.
  private var reader: FileDescriptor?
  private var line: [UInt8] = []
  private var count = 0

  /// - Parameter reader: a pipe's end.
  init(_ reader: consuming FileDescriptor) { self.reader = consume reader }

  /// The descriptor to wait on; negative, which poll(2) ignores, once nobody can write any more.
  var descriptor: Int32 {
    switch reader {
    case .some(let reader): reader.number
    case .none: -1
    }
  }

  /// Takes what is there now; for a descriptor that is ready.
  mutating func read(_ tell: (String) -> Void) {
    var bytes: [UInt8] = []
    switch reader {
    case .some(let reader): do throws(Errno) { bytes = try reader.read(upTo: 4_096) } catch {}
    case .none: return
    }
    if bytes.isEmpty { reader = nil }
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        endLine(tell)
      } else if line.count <= Self.longestLine {
        line.append(byte)
      }
    }
  }

  /// Takes what is still there, and no more: what the program started may hold the pipe, and go on.
  mutating func finish(_ tell: (String) -> Void) {
    // At most what a pipe holds.
    for _ in 0..<16 {
      var poller = Poller([(descriptor, .readable)])
      do throws(Errno) { guard try poller.wait(until: .now()) else { break } } catch { break }
      read(tell)
    }
    endLine(tell)
  }

  private mutating func endLine(_ tell: (String) -> Void) {
    defer { line = [] }
    guard !line.isEmpty, count <= Self.mostLines else { return }
    count += 1
    tell(count > Self.mostLines ? "… and more, which is dropped" : Self.text(line))
  }

  /// The bytes as text for people.
  static func text(_ bytes: [UInt8]) -> String {
    let isCut = bytes.count > longestLine
    let text = String(decoding: bytes.prefix(longestLine), as: UTF8.self)
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control where scalar == "\t": result.append(" ")
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
        result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result) + (isCut ? "…" : "")
  }
}

public import POSIX

/// What a daemon tells the guard of its relay, a line of text each; every one is answered by a `RelayAnswer`.
public enum RelayMessage: Hashable, Sendable {
  /// `open NANOSECONDS`: open the lock, or keep it open, until that moment of CLOCK_BOOTTIME.
  case open(until: BootInstant)
  /// `hold`: open the lock, or keep it open, until the next word.
  case hold
  /// `close`: shut it.
  case close
  /// `beat`: the daemon lives; nothing else changes.
  case beat

  /// The longest line, without its end.
  static let longest = 25

  /// Reads a line without its end; nil where it is nothing of the kind.
  public init?(line: some Collection<UInt8>) {
    guard line.count <= Self.longest else { return nil }
    let text = String(decoding: line, as: UTF8.self)
    switch text {
    case "hold": self = .hold
    case "close": self = .close
    case "beat": self = .beat
    default:
      let digits = text.dropFirst(5)
      // No sign: the digits are all there is.
      guard text.hasPrefix("open "), digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
        let moment = UInt64(digits)
      else { return nil }
      self = .open(until: BootInstant(nanoseconds: moment))
    }
  }

  /// The line, with its end.
  public var line: String {
    switch self {
    case .open(let moment): "open \(moment.nanoseconds)\n"
    case .hold: "hold\n"
    case .close: "close\n"
    case .beat: "beat\n"
    }
  }
}

/// What a guard says: one line for each message, one `closed` at its start, and an `error` before it ends by itself.
public enum RelayAnswer: Hashable, Sendable {
  case open
  case closed
  case error(String)

  /// The longest line, without its end.
  public static let longest = 300

  /// Reads a line without its end; nil where it is nothing of the kind.
  public init?(line: some Collection<UInt8>) {
    let text = String(decoding: line, as: UTF8.self)
    switch text {
    case "open": self = .open
    case "closed": self = .closed
    default:
      guard text.hasPrefix("error ") else { return nil }
      self = .error(String(text.dropFirst(6)))
    }
  }

  /// The line, with its end.
  public var line: String {
    switch self {
    case .open: "open\n"
    case .closed: "closed\n"
    case .error(let text): "error \(text)\n"
    }
  }
}

/// Cuts a stream into lines, and says where one gets too long before its end has come.
public struct LineReader: Sendable {
  private let longest: Int
  private var bytes: [UInt8] = []

  /// - Parameter longest: in bytes, without the end.
  public init(longest: Int) { self.longest = longest }

  /// Takes what came, which the caller bounds.
  public mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

  /// The next whole line without its end; nil where more has to come first.
  public mutating func next() -> [UInt8]? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let line = Array(bytes[..<end])
    bytes.removeFirst(end + 1)
    return line
  }

  /// Whether what waits for its end is too long already.
  public var isTooLong: Bool { bytes.count > longest }
}

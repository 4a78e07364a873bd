public import POSIX

/// A line that opens a lock, held by this process: a GPIO line, or what a test has in its place.
public protocol OutputLine {
  /// Drives the line: true is the level that opens, false the safe one.
  func set(_ open: Bool) throws(Errno)
}

/// Which line of which chip drives a relay, and how.
public struct RelayLine: Hashable, Sendable {
  /// What pulls a line that nothing drives, at chips that can.
  public enum Bias: String, CaseIterable, Hashable, Sendable {
    case disabled
    case pullUp = "pull-up"
    case pullDown = "pull-down"
  }

  /// A line's number on its chip, or its name.
  public enum Place: Hashable, Sendable {
    case number(UInt32)
    case name(String)

    /// A text of digits only is a number.
    ///
    /// Nil where it is neither: a name has 1 to 31 printable characters of ASCII, a number is at most 65535.
    public init?(_ text: String) {
      if text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
        guard let number = UInt16(text) else { return nil }
        self = .number(UInt32(number))
      } else {
        guard RelayLine.isName(text) else { return nil }
        self = .name(text)
      }
    }

    /// The text that `init` reads.
    public var text: String {
      switch self {
      case .number(let number): "\(number)"
      case .name(let name): name
      }
    }
  }

  /// The chip's name (`gpiochip0`) or its label (`pinctrl-bcm2711`).
  public let chip: String
  public let place: Place
  /// Whether the low level is the one that opens.
  public let isActiveLow: Bool
  /// Nil: as the chip has it.
  public let bias: Bias?

  public init(chip: String, place: Place, isActiveLow: Bool = false, bias: Bias? = nil) {
    self.chip = chip
    self.place = place
    self.isActiveLow = isActiveLow
    self.bias = bias
  }

  /// Whether the kernel could know a chip, line or consumer by that: 1 to 31 printable characters of ASCII, no space at the
  /// ends (GPIO_MAX_NAME_SIZE of linux/gpio.h counts the closing zero).
  public static func isName(_ text: String) -> Bool {
    (1...31).contains(text.utf8.count) && text.utf8.allSatisfy { 0x20...0x7E ~= $0 } && text.first != " "
      && text.last != " "
  }
}

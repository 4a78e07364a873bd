/// The five bytes that a command frame carries, as they stand: authentic or made here, but perhaps malformed.
public struct CommandPlaintext: Hashable, Sendable {
  /// Rises with each new frame of one door and freshness.
  public let sequence: UInt8
  /// The command's value, known or not.
  public let code: UInt8
  /// The command's argument, taken by it or not.
  public let argument: UInt8
  /// Bit 0: an answer is wanted; other bits are 0 in a frame that isn't malformed.
  public let flags: UInt8
  /// The number of the holder's intent, mod 256: the same in all its frames.
  public let press: UInt8

  /// The plaintext of a command.
  public init(sequence: UInt8, command: Command, press: UInt8, wantsAnswer: Bool) {
    self.init(
      sequence: sequence, code: command.code, argument: command.argument, flags: wantsAnswer ? 1 : 0, press: press)
  }

  /// The plaintext of these bytes, whatever they say.
  public init(sequence: UInt8, code: UInt8, argument: UInt8, flags: UInt8, press: UInt8) {
    self.sequence = sequence
    self.code = code
    self.argument = argument
    self.flags = flags
    self.press = press
  }

  /// What is asked; nil where the frame is malformed: an unknown command, an argument that its command doesn't take,
  /// or another flag bit than 0.
  public var command: Command? {
    flags & ~1 == 0 ? Command(code: code, argument: argument) : nil
  }

  /// Whether the holder asked for an answer.
  public var wantsAnswer: Bool { flags & 1 == 1 }

  /// The plaintext of the lowest 40 bits, first byte most significant.
  init(packed: UInt64) {
    self.init(
      sequence: UInt8(truncatingIfNeeded: packed >> 32), code: UInt8(truncatingIfNeeded: packed >> 24),
      argument: UInt8(truncatingIfNeeded: packed >> 16), flags: UInt8(truncatingIfNeeded: packed >> 8),
      press: UInt8(truncatingIfNeeded: packed))
  }

  /// The five bytes in the lowest 40 bits, first byte most significant.
  var packed: UInt64 {
    UInt64(sequence) << 32 | UInt64(code) << 24 | UInt64(argument) << 16 | UInt64(flags) << 8 | UInt64(press)
  }
}

internal import Wording

/// What a guard is told on its command line; there is no other configuration.
public struct RelayOptions: Hashable, Sendable {
  public var line: RelayLine
  /// What the kernel shows as the user of the line (gpioinfo).
  public var consumer = "latchkey"
  /// An open lock shuts when nothing was heard for that long.
  public var heartbeat = Duration.seconds(2)
  /// The user and group that a guard becomes that was started by root; by default `nobody`.
  public var user: UInt32 = 65_534

  public init(_ line: RelayLine) { self.line = line }

  /// How they are written.
  public static let usage = """
    usage: latchkey-relay --chip NAME|LABEL --line NUMBER|NAME [--active-low] [--bias disabled|pull-up|pull-down]
             [--consumer TEXT] [--heartbeat DURATION] [--user ID]
    """

  static let heartbeatRange = Duration.milliseconds(100)...Duration.seconds(60)

  /// Reads a command line, without the program's name; nil where anything of it is wrong.
  public init?(arguments: [String]) {
    var values: [String: String] = [:]
    var isActiveLow = false
    var rest = arguments[...]
    while let name = rest.popFirst() {
      if name == "--active-low", !isActiveLow {
        isActiveLow = true
        continue
      }
      guard Self.names.contains(name), values[name] == nil, let value = rest.popFirst() else { return nil }
      values[name] = value
    }
    guard let chip = values["--chip"], RelayLine.isName(chip),
      let place = values["--line"].flatMap(RelayLine.Place.init)
    else { return nil }
    var bias: RelayLine.Bias?
    if let word = values["--bias"] {
      guard let known = RelayLine.Bias(rawValue: word) else { return nil }
      bias = known
    }
    line = RelayLine(chip: chip, place: place, isActiveLow: isActiveLow, bias: bias)
    if let text = values["--consumer"] {
      guard RelayLine.isName(text) else { return nil }
      consumer = text
    }
    if let text = values["--heartbeat"] {
      guard let duration = Duration(text: text), Self.heartbeatRange.contains(duration) else { return nil }
      heartbeat = duration
    }
    if let text = values["--user"] {
      // 0 would be root, and the last number means "as it is" to setresuid(2).
      guard let number = UInt32(text), number > 0, number < .max else { return nil }
      user = number
    }
  }

  private static let names = ["--chip", "--line", "--bias", "--consumer", "--heartbeat", "--user"]

  /// The command line that `init` reads.
  public var arguments: [String] {
    var words = ["--chip", line.chip, "--line", line.place.text]
    if line.isActiveLow { words.append("--active-low") }
    if let bias = line.bias { words += ["--bias", bias.rawValue] }
    return words + ["--consumer", consumer, "--heartbeat", heartbeat.text, "--user", "\(user)"]
  }
}

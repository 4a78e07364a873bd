/// Who has an adapter.
public enum AdapterHolder: Hashable, Sendable {
  /// Nobody: a program may take it.
  case nobody
  /// The kernel's own host, which has it up; the processes that manage it, as far as they can be seen.
  case kernel([AdapterUser])
  /// A program, by the user channel; the processes that may be it, as far as they can be seen.
  case program([AdapterUser])
}

/// A process with a socket of HCI.
public struct AdapterUser: Hashable, Sendable, CustomStringConvertible {
  public let process: Int32
  /// The process's short name (comm of proc(5)).
  public let name: String

  public init(process: Int32, name: String) {
    self.process = process
    self.name = name
  }

  /// For example `bluetoothd (process 312)`.
  public var description: String { "\(name) (process \(process))" }
}

extension AdapterHolder {
  /// Who has it, in words.
  public var words: String {
    switch self {
    case .nobody: "nobody"
    case .kernel(let users) where users.isEmpty: "the kernel"
    case .kernel(let users): "the kernel, for \(Self.list(users))"
    case .program(let users) where users.isEmpty: "another process"
    case .program(let users): Self.list(users)
    }
  }

  /// As an error, with what to do.
  var complaint: String {
    switch self {
    case .nobody: "the adapter is busy; try again"
    case .kernel:
      "the adapter is up, used by \(words); take it down (systemctl stop bluetooth, hciconfig hciN down), or use "
        + "--take-over (take-over: true in the configuration)"
    case .program: "\(words) has the adapter for itself; end that process, since --take-over can't take it from there"
    }
  }

  private static func list(_ users: [AdapterUser]) -> String { users.map { "\($0)" }.joined(separator: " or ") }
}

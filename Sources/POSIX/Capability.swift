/// A privilege of Linux (capabilities(7)), by its number.
public struct Capability: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// CAP_NET_ADMIN.
  public static let networkAdministration = Capability(rawValue: 12)
  /// CAP_NET_RAW.
  public static let rawNetwork = Capability(rawValue: 13)

  /// Whether this process has it now (CapEff of proc(5)); true where that can't be read, so that the call itself decides.
  public var isEffective: Bool {
    guard let status = kernelText("/proc/self/status") else { return true }
    return Self.isEffective(self, in: status)
  }

  static func isEffective(_ capability: Capability, in status: String) -> Bool {
    let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    guard let text = line?.dropFirst(7).drop(while: { $0 == "\t" || $0 == " " }), let set = UInt64(text, radix: 16)
    else { return true }
    return set >> UInt64(capability.rawValue & 63) & 1 == 1
  }
}

extension Capability: CustomStringConvertible {
  /// As setcap(8) and unit files name it: `CAP_NET_ADMIN`.
  public var description: String {
    switch self {
    case .networkAdministration: "CAP_NET_ADMIN"
    case .rawNetwork: "CAP_NET_RAW"
    default: "capability \(rawValue)"
    }
  }
}

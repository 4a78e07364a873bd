public import POSIX

/// Why an adapter of the kernel can't be used; the description says what happened and what to do.
public enum AdapterProblem: Error, Hashable, Sendable {
  /// The kernel has no Bluetooth, or hides it from this network namespace.
  case noBluetooth
  /// There is none of that number or address; those that there are.
  case missing(present: [AdapterName])
  /// Another has it.
  case held(AdapterHolder)
  /// The kernel is just setting it up.
  case starting
  /// Switched off by rfkill.
  case blocked(KillSwitch)
  /// It is down, and a raw channel doesn't bring it up.
  case down
  /// The kernel wants a capability that this program hasn't.
  case missingCapability(Capability)
  /// It was there, and was unplugged, or its driver gave it up.
  case gone
  /// Something else; `operation` is a verb for people: "open".
  case failed(operation: String, Errno)
}

/// An adapter by number and address, for lists in messages.
public struct AdapterName: Hashable, Sendable, CustomStringConvertible {
  public let index: UInt16
  /// Nil where the kernel doesn't know it.
  public let address: DeviceAddress?

  public init(index: UInt16, address: DeviceAddress?) {
    self.index = index
    self.address = address
  }

  init(_ record: AdapterRecord) { self.init(index: record.index, address: record.address) }

  /// For example `hci0 (00:AA:01:00:00:23)`.
  public var description: String { "hci\(index) (\(address.map { "\($0)" } ?? "address unknown"))" }
}

extension AdapterProblem {
  /// Whether trying again can't help by itself.
  var isPermanent: Bool {
    switch self {
    case .noBluetooth, .missingCapability: true
    default: false
    }
  }

  /// What an adapter with this problem is good for.
  var condition: RadioCondition {
    switch self {
    case .noBluetooth: .unsupported
    case .missingCapability: .unauthorized
    case .blocked, .down: .poweredOff
    case .starting: .resetting
    case .missing, .held, .gone, .failed: .unknown
    }
  }
}

extension AdapterProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noBluetooth:
      "this kernel has no Bluetooth, or this is a container with a network of its own; load its modules (modprobe "
        + "bluetooth, and the adapter's driver), or use a radio of another kind"
    case .missing(let present) where present.isEmpty:
      "no adapter is there; plug one in, and see in the kernel's log whether its driver and firmware are loaded"
    case .missing(let present):
      "this adapter isn't there; there are \(present.map { "\($0)" }.joined(separator: ", "))"
    case .held(let holder): holder.complaint
    case .starting: "the kernel is still setting the adapter up; try again in some seconds"
    case .blocked(let killSwitch): killSwitch.complaint
    case .down:
      "the adapter is down, and hci-raw: leaves it as it is; bring it up (bluetoothctl power on, or hciconfig hciN up), "
        + "or use hci:"
    case .missingCapability(let capability):
      "the kernel wants \(capability); run setcap \("\(capability)".lowercased())+ep on this program, or put "
        + "AmbientCapabilities=\(capability) into its unit file"
    case .gone: "the adapter is gone: unplugged, or given up by its driver; it is used again once it is back"
    case .failed(let operation, let errno): "can't \(operation) the adapter: \(errno); see the kernel's log"
    }
  }
}

internal import POSIX

/// What blocks an adapter's radio (rfkill).
public struct KillSwitch: Hashable, Sendable {
  /// Blocked by software: `rfkill unblock` ends it.
  public let soft: Bool
  /// Blocked by a switch or button of the machine.
  public let hard: Bool

  public init(soft: Bool, hard: Bool) {
    self.soft = soft
    self.hard = hard
  }

  /// Whether anything blocks.
  public var isBlocked: Bool { soft || hard }

  /// The switch of `hciN`, as sysfs has it; nil where there is none, or it can't be read.
  ///
  /// - Parameter root: of the file system that holds /sys.
  init?(ofAdapter index: UInt16, root: String = "") {
    let folder = "\(root)/sys/class/rfkill"
    let name = directoryEntries(folder).first { kernelText("\(folder)/\($0)/name") == "hci\(index)" }
    guard let name else { return nil }
    soft = kernelText("\(folder)/\(name)/soft") == "1"
    hard = kernelText("\(folder)/\(name)/hard") == "1"
  }

  /// As an error, with what to do; nothing is unblocked unasked.
  var complaint: String {
    switch (soft, hard) {
    case (true, false): "the adapter is switched off by software (rfkill, soft); run rfkill unblock bluetooth"
    case (false, true):
      "the adapter is switched off by hardware (rfkill, hard); turn on the machine's switch for radios"
    case (true, true):
      "the adapter is switched off by hardware and software (rfkill, hard and soft); turn on the machine's switch for "
        + "radios, then run rfkill unblock bluetooth"
    case (false, false): "the adapter is switched off (rfkill); see rfkill list"
    }
  }
}

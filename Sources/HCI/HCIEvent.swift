/// An event as the host controller sees it; advertising reports go another way.
enum HCIEvent: Hashable, Sendable {
  /// Command Complete: a command is done; `parameters` are those behind the status (7.7.14).
  case complete(Opcode, credits: UInt8, status: ControllerStatus?, parameters: [UInt8])
  /// Command Status: a command is under way, or refused (7.7.15).
  case status(Opcode, credits: UInt8, ControllerStatus)
  /// Hardware Error (7.7.16).
  case hardwareError(UInt8)
  /// One of no use here.
  case other
  /// One too short for what it claims to be.
  case malformed

  /// Reads an event; any bytes are taken.
  ///
  /// - Parameter packet: the event's code, its length, its parameters.
  init(parsing packet: Span<UInt8>) {
    guard packet.count >= 2, packet.count - 2 >= Int(packet[1]) else {
      self = .malformed
      return
    }
    let parameters = packet.extracting(2..<(2 + Int(packet[1])))
    switch EventCode(rawValue: packet[0]) {
    case .commandComplete:
      guard parameters.count >= 3 else {
        self = .malformed
        return
      }
      self = .complete(
        parameters.opcode(at: 1), credits: parameters[0],
        status: parameters.count > 3 ? ControllerStatus(rawValue: parameters[3]) : nil,
        parameters: parameters.bytes(from: 4))
    case .commandStatus:
      guard parameters.count >= 4 else {
        self = .malformed
        return
      }
      self = .status(parameters.opcode(at: 2), credits: parameters[1], ControllerStatus(rawValue: parameters[0]))
    case .hardwareError:
      self = parameters.isEmpty ? .malformed : .hardwareError(parameters[0])
    default:
      self = .other
    }
  }
}

extension Span<UInt8> {
  fileprivate func opcode(at position: Int) -> Opcode {
    Opcode(rawValue: UInt16(self[position]) | UInt16(self[position + 1]) << 8)
  }

  fileprivate func bytes(from position: Int) -> [UInt8] {
    guard position < count else { return [] }
    return (position..<count).map { self[$0] }
  }
}

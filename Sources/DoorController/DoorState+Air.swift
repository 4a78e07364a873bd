internal import AccessControl
internal import AirProtocol

extension AirProtocol.DoorState {
  /// A door's state as beacons and answers say it.
  init(_ state: AccessControl.DoorState) {
    self =
      switch state {
      case .unknown: .unknown
      case .locked: .locked
      case .unlocked: .unlocked
      case .heldOpen: .heldOpen
      case .lockedDown: .lockedDown
      }
  }
}

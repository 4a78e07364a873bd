/// The advertising data that a recorded command gives its controller; nil for other commands, and for one that is cut off
/// or whose lengths disagree.
///
/// LE Set Advertising Data, and LE Set Extended Advertising Data where it holds all of them (Core Specification, volume 4,
/// part E, sections 7.8.7 and 7.8.54).
///
/// - Parameter command: an HCI command without its H4 type byte.
package func advertisingData(setBy command: Span<UInt8>) -> [UInt8]? {
  guard command.count >= 3, command.count == 3 + Int(command[2]) else { return nil }
  // Where the length of the data stands, behind the handle, the operation and the fragmentation of the extended command.
  let place: Int
  switch Opcode(rawValue: UInt16(command[1]) << 8 | UInt16(command[0])) {
  case .leSetAdvertisingData: place = 3
  case .leSetExtendedAdvertisingData where command.count > 4 && command[4] == 3: place = 6
  default: return nil
  }
  guard command.count > place else { return nil }
  let end = place + 1 + Int(command[place])
  guard end <= command.count else { return nil }
  return (place + 1..<end).map { command[$0] }
}

// The commands of Bluetooth 5.0 (Core Specification, Vol 4, Part E, 7.8.52 to 7.8.65).
extension VirtualController {
  /// LE Read Number of Supported Advertising Sets.
  private static let setLimit = 4
  /// LE Read Maximum Advertising Data Length.
  private static let dataLimit = 1650

  mutating func extended(_ command: CommandPacket) -> Reply {
    let parameters = command.parameters
    switch command.code {
    case 0x2035: return setAddressOfSet(parameters)
    case 0x2036: return setParametersOfSet(parameters)
    case 0x2037: return setDataOfSet(parameters) { $0.data = $1 }
    case 0x2038: return setDataOfSet(parameters) { _, _ in }
    case 0x2039: return enableSets(parameters)
    case 0x203A:
      return parameters.isEmpty ? Reply(status: 0, parameters: littleEndian(UInt16(Self.dataLimit))) : .invalid
    case 0x203B: return parameters.isEmpty ? Reply(status: 0, parameters: [UInt8(Self.setLimit)]) : .invalid
    case 0x203C: return removeSet(parameters)
    case 0x203D:
      if sets.values.contains(where: { $0.isEnabled }) { return .disallowed }
      sets = [:]
      return parameters.isEmpty ? .success : .invalid
    case 0x2041: return setExtendedScanParameters(parameters)
    case 0x2042: return setExtendedScanEnable(parameters)
    // Periodic advertising.
    default: return .unknownCommand
    }
  }

  private mutating func setAddressOfSet(_ parameters: [UInt8]) -> Reply {
    guard parameters.count == 7 else { return .invalid }
    guard sets[parameters[0]] != nil else { return .unknownSet }
    sets[parameters[0]]?.address = Array(parameters[1...])
    return .success
  }

  /// Handle, properties (2), intervals (3 and 3), channels, own address, peer (7), filter, power, primary PHY, skip,
  /// secondary PHY, set id, scan requests.
  private mutating func setParametersOfSet(_ parameters: [UInt8]) -> Reply {
    guard parameters.count == 25 else { return .invalid }
    let handle = parameters[0]
    var set = sets[handle] ?? AdvertisingSet()
    if set.isEnabled { return .disallowed }
    if sets[handle] == nil, sets.count >= Self.setLimit { return Reply(status: 0x07) }
    let properties = UInt16(littleEndian(parameters[1..<3]))
    let (shortest, longest) = (littleEndian(parameters[3..<6]), littleEndian(parameters[6..<9]))
    guard handle <= 0xEF, arePossible(properties), (0x20...longest).contains(shortest),
      (1...7).contains(parameters[9]), parameters[10] <= 3, parameters[18] <= 3
    else { return .invalid }
    let isLegacy = properties & 0x10 != 0
    // PHYs: 1 is 1M, 2 is 2M (never primary), 3 is coded; a legacy packet is always 1M.
    guard parameters[20] == 1 || parameters[20] == 3 && !isLegacy, (1...3).contains(parameters[22]) else {
      return .invalid
    }
    if isLegacy, set.data.count > 31 { return .invalid }
    set.properties = properties
    set.interval = shortest
    set.ownAddressType = parameters[10]
    sets[handle] = set
    return Reply(status: 0, parameters: [0])
  }

  /// A legacy packet is of one of five kinds; an extended one isn't connectable and scannable at once (7.8.53).
  private func arePossible(_ properties: UInt16) -> Bool {
    if properties & 0x10 != 0 { return [0x10, 0x12, 0x13, 0x15, 0x1D].contains(properties) }
    return properties & 0x03 != 0x03 && properties & 0x08 == 0
  }

  /// Handle, operation, fragmentation, length, data.
  private mutating func setDataOfSet(
    _ parameters: [UInt8], _ store: (inout AdvertisingSet, [UInt8]) -> Void
  ) -> Reply {
    guard parameters.count >= 4, parameters.count == 4 + Int(parameters[3]) else { return .invalid }
    guard var set = sets[parameters[0]] else { return .unknownSet }
    let (operation, data) = (parameters[1], Array(parameters[4...]))
    // 1 first, 2 last, 0 between: in pieces only while it is off.
    if set.isEnabled, operation <= 2 { return .disallowed }
    guard operation <= 3, parameters[2] <= 1, operation == 3 || !data.isEmpty else { return .invalid }
    let whole = operation == 1 || operation == 3 ? data : set.data + data
    guard whole.count <= (set.isLegacy ? 31 : Self.dataLimit) else { return .invalid }
    store(&set, whole)
    sets[parameters[0]] = set
    return .success
  }

  /// On or off, number of sets; of each: handle, duration (2), number of events.
  private mutating func enableSets(_ parameters: [UInt8]) -> Reply {
    guard parameters.count >= 2, parameters.count == 2 + 4 * Int(parameters[1]), parameters[0] <= 1 else {
      return .invalid
    }
    let on = parameters[0] == 1
    let handles = stride(from: 2, to: parameters.count, by: 4).map { parameters[$0] }
    if handles.isEmpty {
      if on { return .invalid }
      for handle in sets.keys { sets[handle]?.isEnabled = false }
      return .success
    }
    for handle in handles {
      guard let set = sets[handle] else { return .unknownSet }
      if on, set.ownAddressType & 1 == 1, set.address == nil { return .invalid }
    }
    for handle in handles { sets[handle]?.isEnabled = on }
    return .success
  }

  private mutating func removeSet(_ parameters: [UInt8]) -> Reply {
    guard parameters.count == 1 else { return .invalid }
    guard let set = sets[parameters[0]] else { return .unknownSet }
    if set.isEnabled { return .disallowed }
    sets[parameters[0]] = nil
    return .success
  }

  /// Own address, filter policy, PHYs as bits; of each of these: type, interval (2), window (2).
  private mutating func setExtendedScanParameters(_ parameters: [UInt8]) -> Reply {
    guard parameters.count >= 3 else { return .invalid }
    if scanning.isEnabled { return .disallowed }
    let phys = parameters[2]
    guard phys & ~0x05 == 0, phys != 0, parameters.count == 3 + 5 * phys.nonzeroBitCount, parameters[0] <= 3,
      parameters[1] <= 3,
      stride(from: 3, to: parameters.count, by: 5).allSatisfy({ isScanTiming(parameters[$0..<($0 + 5)]) })
    else { return .invalid }
    scanning.isActive = parameters[3] == 1
    scanning.ownAddressType = parameters[0]
    return .success
  }

  /// On or off, filter, duration (2), period (2).
  private mutating func setExtendedScanEnable(_ parameters: [UInt8]) -> Reply {
    guard parameters.count == 6, parameters[0] <= 1, parameters[1] <= 2 else { return .invalid }
    return enableScanning(parameters[0] == 1, filtersDuplicates: parameters[1] != 0)
  }
}

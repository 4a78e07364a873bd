// The commands of Bluetooth 4.0 (Core Specification, Vol 4, Part E, 7.8.5 to 7.8.11).
extension VirtualController {
  mutating func legacy(_ command: CommandPacket) -> Reply {
    let parameters = command.parameters
    switch command.code {
    case 0x2006: return setAdvertisingParameters(parameters)
    // LE Read Advertising Channel TX Power.
    case 0x2007: return parameters.isEmpty ? Reply(status: 0, parameters: [0]) : .invalid
    case 0x2008:
      guard let data = paddedData(parameters) else { return .invalid }
      advertising.data = data
      return .success
    case 0x2009: return paddedData(parameters) == nil ? .invalid : .success
    case 0x200A: return setAdvertisingEnable(parameters)
    case 0x200B: return setScanParameters(parameters)
    default: return setScanEnable(parameters)
    }
  }

  private func paddedData(_ parameters: [UInt8]) -> [UInt8]? {
    guard parameters.count == 32, parameters[0] <= 31 else { return nil }
    return Array(parameters[1...].prefix(Int(parameters[0])))
  }

  private mutating func setAdvertisingParameters(_ parameters: [UInt8]) -> Reply {
    guard parameters.count == 15 else { return .invalid }
    if advertising.isEnabled { return .disallowed }
    let (shortest, longest) = (littleEndian(parameters[0..<2]), littleEndian(parameters[2..<4]))
    let (type, own, channels) = (parameters[4], parameters[5], parameters[13])
    guard shortest <= longest, (0x20...0x4000).contains(shortest), longest <= 0x4000, type <= 4, own <= 3,
      (1...7).contains(channels), parameters[14] <= 3
    else { return .invalid }
    // Before Bluetooth 5.0 what isn't connectable keeps 100 ms.
    if model.version < 9, type == 2 || type == 3, shortest < 0xA0 { return .unsupported }
    advertising.interval = shortest
    advertising.type = type
    advertising.ownAddressType = own
    return .success
  }

  private mutating func setAdvertisingEnable(_ parameters: [UInt8]) -> Reply {
    guard parameters.count == 1, parameters[0] <= 1 else { return .invalid }
    if parameters[0] == 1, advertising.ownAddressType & 1 == 1, randomAddress == nil { return .invalid }
    advertising.isEnabled = parameters[0] == 1
    return .success
  }

  private mutating func setScanParameters(_ parameters: [UInt8]) -> Reply {
    guard parameters.count == 7 else { return .invalid }
    if scanning.isEnabled { return .disallowed }
    guard isScanTiming(parameters[0..<5]), parameters[5] <= 3, parameters[6] <= 3 else { return .invalid }
    scanning.isActive = parameters[0] == 1
    scanning.ownAddressType = parameters[5]
    return .success
  }

  /// Type, interval and window.
  func isScanTiming(_ parameters: ArraySlice<UInt8>) -> Bool {
    let (interval, window) = (littleEndian(parameters.dropFirst().prefix(2)), littleEndian(parameters.suffix(2)))
    return (parameters.first ?? 2) <= 1 && (4...0x4000).contains(interval) && (4...interval).contains(window)
  }

  private mutating func setScanEnable(_ parameters: [UInt8]) -> Reply {
    guard parameters.count == 2, parameters[0] <= 1, parameters[1] <= 1 else { return .invalid }
    return enableScanning(parameters[0] == 1, filtersDuplicates: parameters[1] == 1)
  }

  mutating func enableScanning(_ on: Bool, filtersDuplicates: Bool) -> Reply {
    if on, scanning.ownAddressType & 1 == 1, randomAddress == nil { return .invalid }
    if on != scanning.isEnabled { scanning.heard = [] }
    scanning.isEnabled = on
    scanning.filtersDuplicates = filtersDuplicates
    return .success
  }
}

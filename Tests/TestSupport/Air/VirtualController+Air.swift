/// An advert on its way from one controller to the others.
public struct AirborneAdvert: Hashable, Sendable {
  /// Which of its sender's adverts it is.
  let handle: UInt8
  let addressType: UInt8
  let address: [UInt8]
  public let data: [UInt8]
  /// ADV_IND and its kin, which every scanner hears; else ADV_EXT_IND.
  let isLegacy: Bool
  /// As LE Extended Advertising Report has them: connectable, scannable, directed, legacy.
  let properties: UInt16
  /// In units of 0.625 ms.
  let interval: UInt64
}

extension VirtualController {
  /// What it sends now.
  public var transmissions: [AirborneAdvert] {
    var all: [AirborneAdvert] = []
    if advertising.isEnabled, let type = Self.properties(ofType: advertising.type) {
      all.append(
        AirborneAdvert(
          handle: 0, addressType: advertising.ownAddressType & 1,
          address: address(advertising.ownAddressType, randomAddress), data: advertising.data, isLegacy: true,
          properties: type, interval: advertising.interval))
    }
    for (handle, set) in sets.sorted(by: { $0.key < $1.key }) where set.isEnabled {
      all.append(
        AirborneAdvert(
          handle: handle, addressType: set.ownAddressType & 1, address: address(set.ownAddressType, set.address),
          data: set.data, isLegacy: set.isLegacy, properties: set.properties & 0x1F, interval: set.interval))
    }
    return all
  }

  private func address(_ ownType: UInt8, _ random: [UInt8]?) -> [UInt8] {
    ownType & 1 == 1 ? random ?? publicAddress : publicAddress
  }

  /// The bits that stand for a legacy Advertising_Type; nil for one that is directed.
  private static func properties(ofType type: UInt8) -> UInt16? { [0: 0x13, 2: 0x12, 3: 0x10][type] }

  /// Hears what another sends: the events that it gives its host.
  public mutating func hear(_ heard: AirborneAdvert) -> [[UInt8]] {
    guard scanning.isEnabled, eventMask & 1 << 61 != 0 else { return [] }
    guard !scanning.filtersDuplicates || scanning.heard.insert(heard.address).inserted else { return [] }
    if family == .extended { return leEventMask & 1 << 12 != 0 ? extendedEvents(heard) : [] }
    guard heard.isLegacy, leEventMask & 1 << 1 != 0 else { return [] }
    let type: UInt8 = heard.properties & 0x01 != 0 ? 0 : heard.properties & 0x02 != 0 ? 2 : 3
    return [
      legacyReportEvent([
        legacyReportBytes(type: type, addressType: heard.addressType, address: heard.address, data: heard.data)
      ])
    ]
  }

  /// Long data come in pieces (7.7.65.13): all but the last say that more is to come.
  private func extendedEvents(_ heard: AirborneAdvert) -> [[UInt8]] {
    let limit = 229
    var rest = heard.data[...]
    var events: [[UInt8]] = []
    repeat {
      let piece = Array(rest.prefix(limit))
      rest = rest.dropFirst(limit)
      events.append(
        extendedReportEvent([
          extendedReportBytes(
            type: heard.properties | (rest.isEmpty ? 0 : 0x20), addressType: heard.addressType,
            address: heard.address, set: heard.isLegacy ? 0xFF : heard.handle, data: piece)
        ]))
    } while !rest.isEmpty
    return events
  }
}

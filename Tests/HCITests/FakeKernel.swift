import Glibc
import POSIX
import TestSupport

@testable import HCI

/// A kernel with adapters of which a test decides everything; an open channel is one end of a pair of sockets.
final class FakeKernel: AdapterKernel {
  struct State: Sendable {
    var records: [UInt16: AdapterRecord] = [:]
    /// On a user channel of somebody else.
    var programs: Set<UInt16> = []
    /// What each attempt to open fails with, in order; then they succeed.
    var openErrors: [Errno] = []
    /// What every request fails with.
    var error: Errno?
    var takeDownError: Errno?
    /// Whether bluetoothd brings an adapter up again as soon as it is down, that many times.
    var comebacks = 0
    /// What becomes of a filter.
    var filter: (@Sendable ([UInt8]) -> [UInt8])?
    /// The other ends of what was opened.
    var ends: [Int32] = []
    /// `open 0 user`, `down 0`, `up 0`.
    var log: [String] = []
  }

  let state = Monitor(State())

  init(_ records: [AdapterRecord]) {
    state.withLock { state in for record in records { state.records[record.index] = record } }
  }

  deinit { state.withLock { for end in $0.ends { close(end) } } }

  var log: [String] { state.withLock { $0.log } }

  /// The other end of what was opened last.
  var end: Int32 { state.withLock { $0.ends.last ?? -1 } }

  func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  func indices() throws(Errno) -> [UInt16] {
    if let error = state.withLock({ $0.error }) { throw error }
    return state.withLock { Array($0.records.keys) }
  }

  func record(of index: UInt16) throws(Errno) -> AdapterRecord {
    guard let record = state.withLock({ $0.records[index] }) else { throw .noSuchDevice }
    return record
  }

  func isOnUserChannel(_ index: UInt16) throws(Errno) -> Bool { state.withLock { $0.programs.contains(index) } }

  func bringUp(_ index: UInt16) throws(Errno) { set(index, up: true) }

  func takeDown(_ index: UInt16) throws(Errno) {
    if let error = state.withLock({ $0.takeDownError }) { throw error }
    set(index, up: false)
    let comesBack = state.withLock { state in
      state.comebacks -= 1
      return state.comebacks >= 0
    }
    if comesBack { set(index, up: true) }
  }

  func open(_ index: UInt16, _ channel: AdapterChannel) throws(Errno) -> Socket {
    let failure = state.withLock { state -> Errno? in
      state.log.append("open \(index) \(channel)")
      if let error = state.error { return error }
      guard let record = state.records[index] else { return .noSuchDevice }
      if !state.openErrors.isEmpty { return state.openErrors.removeFirst() }
      return channel == .user && (record.isUp || state.programs.contains(index)) ? .busy : nil
    }
    if let failure { throw failure }
    var pair: [Int32] = [-1, -1]
    try systemCall { unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) }
    let other = pair[1]
    state.withLock { $0.ends.append(other) }
    return Socket(takingOwnershipOf: FileDescriptor(takingOwnershipOf: pair[0]))
  }

  func setFilter(_ filter: [UInt8], of socket: borrowing Socket) throws(Errno) -> [UInt8] {
    state.withLock { $0.filter }?(filter) ?? filter
  }

  private func set(_ index: UInt16, up: Bool) {
    state.withLock { state in
      state.log.append("\(up ? "up" : "down") \(index)")
      if let record = state.records[index] { state.records[index] = .sample(index, record.address, up: up) }
    }
  }
}

extension AdapterRecord {
  /// A record as the kernel writes it.
  static func sample(
    _ index: UInt16, _ address: DeviceAddress?, up: Bool = false, starting: Bool = false, features: [UInt8] = []
  ) -> AdapterRecord {
    var bytes = NativeOrder.bytes(index) + Array("hci\(index)".utf8)
    bytes += [UInt8](repeating: 0, count: 10 - bytes.count)
    bytes += address?.littleEndianBytes ?? [0, 0, 0, 0, 0, 0]
    bytes += NativeOrder.bytes(UInt32((up ? 1 : 0) | (starting ? 2 : 0))) + [1]
    bytes += features + [UInt8](repeating: 0, count: 92 - bytes.count - features.count)
    guard let record = AdapterRecord(parsing: bytes) else { fatalError("a record of 92 bytes is whole") }
    return record
  }
}

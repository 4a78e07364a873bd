internal import POSIX

/// The way to an adapter of the kernel: find it, take it if that was asked for, and say why where it can't be had.
struct AdapterOpening {
  let kernel: any AdapterKernel
  let spec: RadioSpec
  /// Whether an adapter that the kernel's host has up is taken down.
  let takesOver: Bool
  let deadline: BootInstant
  let cancel: WakeUp
  /// Of the file system that holds /sys and /proc.
  var root = ""

  /// Opens the user channel.
  ///
  /// - Parameters:
  ///   - index: of the adapter.
  ///   - address: what it must have once it is open, since numbers change hands; nil: any.
  func openUserChannel(_ index: UInt16, address: DeviceAddress? = nil) throws(RadioError) -> KernelTransport {
    var wasUp = false
    do throws(AdapterProblem) {
      let socket = try bindUserChannel(index, &wasUp)
      if let address, try record(index).address != address { throw .missing(present: try present()) }
      try enlarge(socket)
      let kernel = kernel
      let restores = wasUp
      // The kernel's host had it, and gets it back; where the adapter is gone meanwhile there is nothing to do.
      return KernelTransport(spec, socket, isShared: false) { if restores { try? kernel.bringUp(index) } }
    } catch {
      if wasUp { try? kernel.bringUp(index) }
      throw error == .cancelled ? .stopped : .adapter(spec, error)
    }
  }

  /// Opens the user channel of the adapter that has this address now.
  func openUserChannel(of address: DeviceAddress) throws(RadioError) -> KernelTransport {
    let index: UInt16
    do throws(AdapterProblem) {
      let records = try records()
      guard let found = records.first(where: { $0.address == address }) else {
        throw .missing(present: records.map { AdapterName($0) })
      }
      index = found.index
    } catch {
      throw .adapter(spec, error)
    }
    return try openUserChannel(index, address: address)
  }

  /// Opens the raw channel, with a filter for the events of use.
  func openRawChannel(_ index: UInt16) throws(RadioError) -> KernelTransport {
    do throws(AdapterProblem) {
      let socket: Socket
      do throws(Errno) { socket = try kernel.open(index, .raw) } catch { throw try problem(error, index, .raw) }
      guard try record(index).isUp else {
        let killSwitch = KillSwitch(ofAdapter: index, root: root)
        throw killSwitch.map { $0.isBlocked ? .blocked($0) : .down } ?? .down
      }
      if try isProgram(index) { throw .held(holder(isProgram: true)) }
      try setFilter(socket)
      try enlarge(socket)
      return KernelTransport(spec, socket, isShared: true)
    } catch {
      throw .adapter(spec, error)
    }
  }
}

// The user channel: EBUSY while the adapter is up, held, or just being set up.
extension AdapterOpening {
  private func bindUserChannel(_ index: UInt16, _ wasUp: inout Bool) throws(AdapterProblem) -> Socket {
    while true {
      do throws(Errno) { return try kernel.open(index, .user) } catch {
        guard error == .busy || error == .tooManyUsers else { throw try problem(error, index, .user) }
      }
      if try isProgram(index) { throw .held(holder(isProgram: true)) }
      let isUp = try record(index).isUp
      // Blocked while it was being set up: that can take as long as somebody likes.
      if !isUp, let killSwitch = KillSwitch(ofAdapter: index, root: root), killSwitch.isBlocked {
        throw .blocked(killSwitch)
      }
      if isUp, !takesOver { throw .held(holder(isProgram: false)) }
      guard BootInstant.now() < deadline else { throw isUp ? .held(holder(isProgram: false)) : .starting }
      // The first time it is bound at once: who manages the adapter may bring it up again. Where that was quicker it is
      // tried again, but not without end or beyond being cancelled.
      if !isUp || wasUp { try pause() }
      if isUp {
        try takeDown(index)
        wasUp = true
      }
    }
  }

  private func takeDown(_ index: UInt16) throws(AdapterProblem) {
    do throws(Errno) { try kernel.takeDown(index) } catch {
      // Busy: a program was quicker; the next round says so.
      if error != .busy { throw try problem(error, index, .user) }
    }
  }

  /// Waits a moment for the kernel to be done.
  private func pause() throws(AdapterProblem) {
    var poller = Poller([(cancel.descriptor, .readable)])
    do throws(Errno) {
      if try poller.wait(until: .now() + .milliseconds(20)) { throw Errno.canceled }
    } catch {
      throw .failed(operation: "wait for", error)
    }
  }
}

extension AdapterProblem {
  /// Not the adapter's: the caller wants no more of it.
  fileprivate static let cancelled = AdapterProblem.failed(operation: "wait for", .canceled)
}

// The raw channel's filter.
extension AdapterOpening {
  private func setFilter(_ socket: borrowing Socket) throws(AdapterProblem) {
    do throws(Errno) {
      let set = try kernel.setFilter(EventFilter.wanted, of: socket)
      guard EventFilter.hasLEMeta(set) else { throw Errno.notPermitted }
    } catch .notPermitted {
      throw .missingCapability(.rawNetwork)
    } catch {
      throw .failed(operation: "set the filter of", error)
    }
  }
}

// What is asked of the kernel, and what its errors mean.
extension AdapterOpening {
  private func records() throws(AdapterProblem) -> [AdapterRecord] {
    do throws(Errno) { return try kernel.records() } catch { throw .init(asking: error) }
  }

  private func present() throws(AdapterProblem) -> [AdapterName] { try records().map { AdapterName($0) } }

  private func record(_ index: UInt16) throws(AdapterProblem) -> AdapterRecord {
    do throws(Errno) { return try kernel.record(of: index) } catch { throw try problem(error, index, .raw) }
  }

  private func isProgram(_ index: UInt16) throws(AdapterProblem) -> Bool {
    do throws(Errno) { return try kernel.isOnUserChannel(index) } catch { throw try problem(error, index, .raw) }
  }

  private func holder(isProgram: Bool) -> AdapterHolder {
    AdapterUsers.holder(isProgram: isProgram, among: AdapterUsers.all(root: root))
  }

  private func enlarge(_ socket: borrowing Socket) throws(AdapterProblem) {
    do throws(Errno) { try socket.setReceiveBuffer(KernelTransport.receiveBuffer) } catch {
      throw .failed(operation: "make room for the packets of", error)
    }
  }

  private func problem(
    _ errno: Errno, _ index: UInt16, _ channel: AdapterChannel
  ) throws(AdapterProblem) -> AdapterProblem {
    switch errno {
    case .noSuchDevice: .missing(present: try present())
    case .blockedByKillSwitch:
      .blocked(KillSwitch(ofAdapter: index, root: root) ?? KillSwitch(soft: false, hard: false))
    case .networkDown: .down
    case .notPermitted, .permissionDenied:
      .missingCapability(channel == .user ? .networkAdministration : .rawNetwork)
    default: .init(asking: errno)
    }
  }
}

extension AdapterProblem {
  /// What an error means that isn't about one adapter.
  init(asking errno: Errno) {
    switch errno {
    case .addressFamilyNotSupported, .protocolNotSupported: self = .noBluetooth
    default: self = .failed(operation: "open", errno)
    }
  }
}

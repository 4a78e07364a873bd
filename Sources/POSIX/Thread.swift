internal import CPOSIX
internal import Glibc
internal import Synchronization

/// A thread of the operating system, for work that blocks: a read of a transport, a lock's timer, the door itself.
public final class Thread: Sendable {
  private let handle: pthread_t
  private let joined = Mutex(false)

  /// Starts a thread.
  ///
  /// - Parameters:
  ///   - name: shown by the system's tools; cut to 15 bytes (PR_SET_NAME of prctl(2)).
  ///   - body: runs once on the new thread.
  /// - Throws: `Errno` where the system gives no more threads.
  public init(name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
    let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
    var handle = pthread_t()
    let result = unsafe pthread_create(
      &handle, nil,
      { raw in
        guard let raw = unsafe raw else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(raw).takeRetainedValue()
        unsafe cposix_name_thread(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    guard result == 0 else {
      unsafe start.release()
      throw Errno(rawValue: result)
    }
    self.handle = handle
  }

  deinit {
    if !joined.withLock({ $0 }) { pthread_detach(handle) }
  }

  /// Waits for the end of the thread; a second call returns at once.
  public func join() {
    let first = joined.withLock { joined in
      defer { joined = true }
      return !joined
    }
    if first { pthread_join(handle, nil) }
  }

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}

internal import CPOSIX
internal import Glibc

/// A value that several threads share: a mutex around it, and a condition to wait for a change of it.
///
/// The standard library's `Mutex` has no condition variable; this is the one place that makes up for it.
@safe public final class Monitor<Value>: @unchecked Sendable {
  // Safety: `value` is touched only between lock and unlock; the C objects live at fixed addresses until deinit.
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  public init(_ value: sending Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition.initialize(to: pthread_cond_t())
    unsafe pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Runs `body` alone with the value; waiting threads look again afterwards when `waking` is set.
  public func withLock<Result, Failure: Error>(
    waking: Bool = true, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer {
      if waking { unsafe pthread_cond_broadcast(condition) }
      unsafe pthread_mutex_unlock(mutex)
    }
    return try body(&value)
  }

  /// Waits until `ready` answers something other than nil, or the deadline passes (then nil).
  ///
  /// `ready` runs alone with the value, at once and after every change.
  public func wait<Result>(until deadline: BootInstant? = nil, _ ready: (inout Value) -> Result?) -> Result? {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = ready(&value) { return result }
      guard let deadline else {
        unsafe pthread_cond_wait(condition, mutex)
        continue
      }
      let left = (deadline - BootInstant.now()).wholeNanoseconds
      if left <= 0 { return nil }
      var time = timespec()
      unsafe clock_gettime(CLOCK_MONOTONIC, &time)
      let (sum, overflow) = Int64(time.tv_nsec).addingReportingOverflow(left)
      let nanoseconds = overflow ? Int64.max : sum
      time.tv_sec += Int(nanoseconds / 1_000_000_000)
      time.tv_nsec = Int(nanoseconds % 1_000_000_000)
      unsafe pthread_cond_timedwait(condition, mutex, &time)
    }
  }
}

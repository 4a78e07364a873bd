internal import CGPIO
internal import Glibc
public import POSIX
public import RelayGuard

/// A GPIO line that this process reads (libgpiod 1, gpiod.h): by its edges, or, at a chip that has no interrupts, by looking.
///
/// For one thread.
@safe public final class GPIOInputLine: InputLine {
  public let descriptor: Int32?
  private let chip: OpaquePointer
  private let line: OpaquePointer

  /// Requests the line as an input, for both edges where the chip can tell them.
  ///
  /// - Parameter consumer: what the kernel shows as its user.
  /// - Throws: `isBusy` where another process, or a driver, has it.
  public init(_ wanted: RelayLine, consumer: String) throws(GPIOError) {
    let chip = unsafe try openChip(wanted.chip)
    do throws(GPIOError) {
      let line = unsafe try find(wanted, in: chip)
      descriptor = unsafe try request(line, wanted, consumer)
      unsafe self.line = line
    } catch {
      unsafe gpiod_chip_close(chip)
      throw error
    }
    unsafe self.chip = chip
  }

  /// Releases the line with its chip.
  deinit { unsafe gpiod_chip_close(chip) }

  public func isActive() throws(Errno) -> Bool {
    let line = unsafe line
    return try systemCall { unsafe gpiod_line_get_value(line) } == 1
  }

  public func takeEdges() throws(Errno) -> [LineEdge] {
    // As many as the kernel keeps (DECLARE_KFIFO of gpiolib-cdev.c).
    var events = [gpiod_line_event](repeating: gpiod_line_event(), count: 16)
    let line = unsafe line
    let count = try systemCall { () -> Int32 in
      unsafe events.withUnsafeMutableBufferPointer { buffer in
        unsafe gpiod_line_event_read_multiple(line, buffer.baseAddress, UInt32(buffer.count))
      }
    }
    let now = (monotonic: monotonicNanoseconds(), boot: BootInstant.now())
    return events.prefix(Int(count)).map { event in
      LineEdge(
        isActive: event.event_type == GPIOD_LINE_EVENT_RISING_EDGE, at: moment(of: event.ts, now.monotonic, now.boot))
    }
  }
}

/// - Returns: the descriptor of its edges; nil where the chip has none.
private func request(_ line: OpaquePointer, _ wanted: RelayLine, _ consumer: String) throws(GPIOError) -> Int32? {
  let flags = requestFlags(wanted)
  if unsafe gpiod_line_request_both_edges_events_flags(line, consumer, flags) == 0 {
    return unsafe gpiod_line_event_get_fd(line)
  }
  // A line without an interrupt, or with one that knows no edges.
  guard unsafe gpiod_line_request_input_flags(line, consumer, flags) == 0 else {
    throw GPIOError("line \(wanted.place.text) of \(wanted.chip)", .current)
  }
  return nil
}

/// An edge's time by CLOCK_BOOTTIME; the kernel gives it by CLOCK_MONOTONIC (since 5.7), which stands still in sleep.
///
/// One that can't be, as of an older kernel that gives it by the wall clock, is now.
private func moment(of time: timespec, _ monotonic: Int64, _ boot: BootInstant) -> BootInstant {
  let (seconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
  let age = overflow ? 0 : monotonic &- (seconds &+ Int64(time.tv_nsec))
  return (0...60_000_000_000).contains(age) ? boot + .nanoseconds(-age) : boot
}

private func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

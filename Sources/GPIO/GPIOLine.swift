internal import CGPIO
public import POSIX
public import RelayGuard

/// A GPIO line that this process drives, requested at its safe value (libgpiod 1, gpiod.h).
///
/// The kernel lets go of it when the value, or the process, ends. How the line stands then is the chip's driver's matter:
/// it may stay as it was driven last, or become an input. For one thread.
@safe public final class GPIOLine: OutputLine {
  private let chip: OpaquePointer
  private let line: OpaquePointer

  /// Requests the line as an output at its safe value, which is the first that it ever drives.
  ///
  /// - Parameter consumer: what the kernel shows as its user.
  /// - Throws: `isBusy` where another process, or a driver, has it.
  public init(_ wanted: RelayLine, consumer: String) throws(GPIOError) {
    let chip = unsafe try openChip(wanted.chip)
    do throws(GPIOError) {
      unsafe line = try request(wanted, of: chip, consumer)
    } catch {
      unsafe gpiod_chip_close(chip)
      throw error
    }
    unsafe self.chip = chip
  }

  /// Releases the line with its chip.
  deinit { unsafe gpiod_chip_close(chip) }

  public func set(_ open: Bool) throws(Errno) {
    let line = unsafe line
    try systemCall { unsafe gpiod_line_set_value(line, open ? 1 : 0) }
  }
}

private func request(
  _ wanted: RelayLine, of chip: OpaquePointer, _ consumer: String
) throws(GPIOError) -> OpaquePointer {
  let line = unsafe try find(wanted, in: chip)
  // The value that it is requested with is logical: 0 is the safe one, active low or not.
  guard unsafe gpiod_line_request_output_flags(line, consumer, requestFlags(wanted), 0) == 0 else {
    throw GPIOError("line \(wanted.place.text) of \(wanted.chip)", .current)
  }
  return unsafe line
}

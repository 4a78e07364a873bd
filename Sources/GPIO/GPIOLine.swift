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

/// Why a line can't be had, in words.
public struct GPIOError: Error, CustomStringConvertible {
  public let description: String
  /// Whether somebody has the line, who may let go of it.
  public let isBusy: Bool

  init(_ description: String, _ errno: Errno? = nil) {
    self.description = errno.map { "\(description): \($0)" } ?? description
    isBusy = errno == .busy
  }
}

/// Opens a chip by its name, else by its label.
private func openChip(_ text: String) throws(GPIOError) -> OpaquePointer {
  let names = directoryEntries("/dev").filter { $0.hasPrefix("gpiochip") }.sorted()
  if names.contains(text) {
    guard let chip = unsafe gpiod_chip_open_by_name(text) else { throw GPIOError("chip \(text)", .current) }
    return unsafe chip
  }
  var found: OpaquePointer?
  var isAmbiguous = false
  for name in names {
    // One that this process may not open isn't its own.
    guard let chip = unsafe gpiod_chip_open_by_name(name) else { continue }
    let label = unsafe gpiod_chip_label(chip).map { unsafe String(cString: $0) }
    if label == text, unsafe found == nil {
      unsafe found = chip
    } else {
      if label == text { isAmbiguous = true }
      unsafe gpiod_chip_close(chip)
    }
  }
  guard let chip = unsafe found else {
    let known = names.isEmpty ? "there is none" : "there are \(names.joined(separator: ", "))"
    throw GPIOError("no GPIO chip with the name or label “\(text)”; \(known)")
  }
  if isAmbiguous {
    unsafe gpiod_chip_close(chip)
    throw GPIOError("more than one GPIO chip has the label “\(text)”: name it (gpiochip0)")
  }
  return unsafe chip
}

private func request(
  _ wanted: RelayLine, of chip: OpaquePointer, _ consumer: String
) throws(GPIOError) -> OpaquePointer {
  let line = unsafe try find(wanted, in: chip)
  var flags: Int32 = 0
  if wanted.isActiveLow { flags |= Int32(cgpio_active_low) }
  switch wanted.bias {
  case nil: break
  case .disabled: flags |= Int32(cgpio_bias_disabled)
  case .pullUp: flags |= Int32(cgpio_pull_up)
  case .pullDown: flags |= Int32(cgpio_pull_down)
  }
  // The value that it is requested with is logical: 0 is the safe one, active low or not.
  guard unsafe gpiod_line_request_output_flags(line, consumer, flags, 0) == 0 else {
    throw GPIOError("line \(wanted.place.text) of \(wanted.chip)", .current)
  }
  return unsafe line
}

private func find(_ wanted: RelayLine, in chip: OpaquePointer) throws(GPIOError) -> OpaquePointer {
  let count = unsafe gpiod_chip_num_lines(chip)
  switch wanted.place {
  case .number(let number):
    guard number < count else { throw GPIOError("\(wanted.chip) has \(count) lines, and no line \(number)") }
    guard let line = unsafe gpiod_chip_get_line(chip, number) else {
      throw GPIOError("line \(number) of \(wanted.chip)", .current)
    }
    return unsafe line
  case .name(let name):
    var found: OpaquePointer?
    for number in 0..<count {
      guard let line = unsafe gpiod_chip_get_line(chip, number) else { continue }
      guard unsafe gpiod_line_name(line).map({ unsafe String(cString: $0) }) == name else { continue }
      guard unsafe found == nil else { throw GPIOError("\(wanted.chip) has more than one line with the name \(name)") }
      unsafe found = line
    }
    guard let line = unsafe found else { throw GPIOError("\(wanted.chip) has no line with the name \(name)") }
    return unsafe line
  }
}

internal import CGPIO
internal import POSIX
internal import RelayGuard

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
func openChip(_ text: String) throws(GPIOError) -> OpaquePointer {
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

func find(_ wanted: RelayLine, in chip: OpaquePointer) throws(GPIOError) -> OpaquePointer {
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

/// How a line is requested, in either direction.
func requestFlags(_ wanted: RelayLine) -> Int32 {
  var flags: Int32 = wanted.isActiveLow ? Int32(cgpio_active_low) : 0
  switch wanted.bias {
  case nil: break
  case .disabled: flags |= Int32(cgpio_bias_disabled)
  case .pullUp: flags |= Int32(cgpio_pull_up)
  case .pullDown: flags |= Int32(cgpio_pull_down)
  }
  return flags
}

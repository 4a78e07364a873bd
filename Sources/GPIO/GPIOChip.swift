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
  if names.contains(text) { return unsafe try openChip(named: text) }
  let name = try search { () throws(RelayLine.NotFound) in
    try RelayLine.chip(labelled: text, among: names.map { ($0, label(ofChipNamed: $0)) })
  }
  let chip = unsafe try openChip(named: name)
  // One may have been pulled out meanwhile, and another have taken its number.
  guard unsafe label(of: chip) == text else {
    unsafe gpiod_chip_close(chip)
    throw GPIOError("the GPIO chip with the label “\(text)” has just gone")
  }
  return unsafe chip
}

private func openChip(named name: String) throws(GPIOError) -> OpaquePointer {
  guard let chip = unsafe gpiod_chip_open_by_name(name) else { throw GPIOError("chip \(name)", .current) }
  return unsafe chip
}

private func label(of chip: OpaquePointer) -> String? {
  unsafe gpiod_chip_label(chip).map { unsafe String(cString: $0) }
}

/// Nil where this process may not open it.
private func label(ofChipNamed name: String) -> String? {
  guard let chip = unsafe gpiod_chip_open_by_name(name) else { return nil }
  defer { unsafe gpiod_chip_close(chip) }
  return unsafe label(of: chip)
}

private func search<Found>(_ body: () throws(RelayLine.NotFound) -> Found) throws(GPIOError) -> Found {
  do throws(RelayLine.NotFound) { return try body() } catch { throw GPIOError(error.reason) }
}

func find(_ wanted: RelayLine, in chip: OpaquePointer) throws(GPIOError) -> OpaquePointer {
  let count = unsafe gpiod_chip_num_lines(chip)
  let number: UInt32
  switch wanted.place {
  case .number(let wantedNumber):
    guard wantedNumber < count else {
      throw GPIOError("\(wanted.chip) has \(count) lines, and no line \(wantedNumber)")
    }
    number = wantedNumber
  case .name(let name):
    let names = (0..<count).map { number in
      unsafe gpiod_chip_get_line(chip, number).flatMap { unsafe gpiod_line_name($0) }.map { unsafe String(cString: $0) }
    }
    number = try search { () throws(RelayLine.NotFound) in
      try RelayLine.line(named: name, among: names, of: wanted.chip)
    }
  }
  guard let line = unsafe gpiod_chip_get_line(chip, number) else {
    throw GPIOError("line \(number) of \(wanted.chip)", .current)
  }
  return unsafe line
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

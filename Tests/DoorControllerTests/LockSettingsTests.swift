import POSIX
import RelayGuard
import TestSupport
import Testing

@testable import DoorController

/// `lock: { gpio: … }` of a door.
@Suite struct LockSettingsTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func load(_ doors: String...) throws -> DoorConfiguration {
    let text = (["site-key: \(String(repeating: "A", count: 43))", "doors:"] + doors).joined(separator: "\n") + "\n"
    try replaceFile(folder("d.yaml"), contents: Array(text.utf8))
    return try DoorConfiguration.load(path: folder("d.yaml"))
  }

  private func lock(_ lock: String) throws -> LockSettings? {
    try load("  front:", "    bundle: front.bundle", "    lock: { \(lock) }").doors.first?.lock
  }

  private func complaint(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "none"
    } catch {
      return "\(error)"
    }
  }

  @Test func aLineIsChipAndNumberOrName() throws {
    #expect(
      try lock("gpio: { chip: gpiochip0, line: 17 }") == .gpio([RelayLine(chip: "gpiochip0", place: .number(17))]))
    #expect(
      try lock("gpio: { chip: pinctrl-bcm2711, line: GPIO17, active-low: true, bias: pull-down }")
        == .gpio([
          RelayLine(chip: "pinctrl-bcm2711", place: .name("GPIO17"), isActiveLow: true, bias: .pullDown)
        ]))
  }

  @Test func severalLinesAreAList() throws {
    #expect(
      try lock("gpio: [{ chip: gpiochip0, line: 17 }, { chip: gpiochip0, line: 18, active-low: true }]")
        == .gpio([
          RelayLine(chip: "gpiochip0", place: .number(17)),
          RelayLine(chip: "gpiochip0", place: .number(18), isActiveLow: true),
        ]))
  }

  @Test(arguments: [
    ("gpio: { line: 17 }", "doors.front.lock.gpio: expected the key “chip”"),
    ("gpio: { chip: gpiochip0 }", "doors.front.lock.gpio: expected the key “line”"),
    ("gpio: { chip: gpiochip0, line: 17, active: low }", "doors.front.lock.gpio.active: unknown key"),
    ("gpio: { chip: gpiochip0, line: 17, active-low: yes }", "gpio.active-low: expected true or false"),
    ("gpio: { chip: gpiochip0, line: 17, bias: up }", "doors.front.lock.gpio.bias: expected one of disabled, pull-up"),
    ("gpio: { chip: gpiochip0, line: 65536 }", "doors.front.lock.gpio.line: expected a line's number, 0 to 65535"),
    ("gpio: { chip: gpiochip0, line: \"\" }", "doors.front.lock.gpio.line: expected a line's number, 0 to 65535"),
    ("gpio: { chip: \"\", line: 1 }", "doors.front.lock.gpio.chip: expected a GPIO chip's name or label"),
    ("gpio: { chip: \"gpio\\nchip0\", line: 1 }", "doors.front.lock.gpio.chip: expected a GPIO chip's name or label"),
    ("gpio: { chip: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, line: 1 }", "gpio.chip: expected a GPIO chip's"),
    ("gpio: []", "doors.front.lock.gpio: expected 1 to 8 lines, found 0"),
    ("gpio: [{ chip: gpiochip0 }]", "doors.front.lock.gpio[0]: expected the key “line”"),
    ("gpio: 17", "doors.front.lock.gpio: expected a mapping"),
    ("gpio: [{ chip: g, line: 1 }, { chip: g, line: 1, active-low: true }]", "line 1 of g is in use already"),
  ])
  func anythingElseIsRefusedWithFileAndLine(_ text: String, _ problem: String) {
    let said = complaint { _ = try lock(text) }
    #expect(said.contains(problem), "\(said)")
    #expect(said.contains("d.yaml:5: ") || said.contains("d.yaml:3: "), "\(said)")
  }

  @Test func aLineBelongsToOneDoor() {
    let said = complaint {
      _ = try load(
        "  front: { bundle: front.bundle, lock: { gpio: { chip: gpiochip0, line: 17 } } }",
        "  back: { bundle: back.bundle, lock: { gpio: { chip: gpiochip0, line: 17 } } }")
    }
    #expect(said.hasSuffix("d.yaml:4: doors.back: line 17 of gpiochip0 is in use already: a relay belongs to one lock"))
  }
}

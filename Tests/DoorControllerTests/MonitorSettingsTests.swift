import AccessControl
import LockHardware
import POSIX
import RelayGuard
import TestSupport
import Testing

@testable import DoorController

/// `sensor`, `request-to-exit` and what belongs to them.
@Suite struct MonitorSettingsTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func load(_ lines: [String]) throws -> [MonitorSettings] {
    let text = (["site-key: \(String(repeating: "A", count: 43))", "doors:"] + lines).joined(separator: "\n") + "\n"
    try replaceFile(folder("d.yaml"), contents: Array(text.utf8))
    return try DoorConfiguration.load(path: folder("d.yaml")).doors.map(\.monitor)
  }

  private func settings(_ lines: String..., lock: String = "dry-run: {}") throws -> MonitorSettings {
    try #require(
      load(["  front:", "    bundle: b", "    lock: { \(lock) }", "    pulse: 4s"] + lines.map { "    \($0)" }).first)
  }

  @Test func nothingIsSeenUnlessItIsSaid() throws {
    #expect(try settings().inputs.isEmpty && settings().siren == nil)
  }

  @Test func inputsAreOfThreeKinds() throws {
    let gpio = try settings(
      "sensor: { gpio: { chip: gpiochip0, line: 22, bias: pull-up } }",
      "request-to-exit: { gpio: { chip: gpiochip0, line: REX, active-low: true, debounce: 50ms } }")
    #expect(
      gpio.inputs == [
        .sensor: .gpio(
          RelayLine(chip: "gpiochip0", place: .number(22), bias: .pullUp), debounce: .milliseconds(30)),
        .exit: .gpio(
          RelayLine(chip: "gpiochip0", place: .name("REX"), isActiveLow: true), debounce: .milliseconds(50)),
      ])
    #expect(try settings("sensor: { pipe: contact }").inputs == [.sensor: .pipe(folder("contact"))])
    #expect(
      try settings("sensor: { serial: {} }", "request-to-exit: { serial: }", lock: "serial: { port: tty }").inputs
        == [.sensor: .board, .exit: .board])
  }

  @Test func aSirenHasLinesAndALimit() throws {
    let sensor = "sensor: { pipe: a }"
    let line = RelayLine(chip: "c", place: .number(1), isActiveLow: true)
    #expect(
      try settings(sensor, "siren: { gpio: { chip: c, line: 1, active-low: true } }").siren
        == MonitorSettings.Siren(lines: [line], limit: .seconds(60)))
    let two = try settings(sensor, "siren: { for: none, gpio: [{ chip: c, line: 1 }, { chip: c, line: HORN }] }").siren
    #expect(two?.lines.map(\.place) == [.number(1), .name("HORN")] && two?.limit == nil)
    #expect(try settings(sensor, "siren: { gpio: { chip: c, line: 1 }, for: 1h }").siren?.limit == .seconds(3_600))
  }

  @Test func whatIsNotSaidIsStandard() throws {
    let plain = try settings("sensor: { pipe: a }", "request-to-exit: { pipe: b }")
    #expect(plain.exitPulse == .seconds(4) && !plain.relocksOnClose && plain.spans == .standard)
    let silent = try settings(
      "sensor: { pipe: a }", "request-to-exit: { pipe: b }", "exit-pulse: none", "relock-on-close: true", "shunt: 0s",
      "held-open-warning: none", "held-open-alarm: 2m")
    #expect(silent.exitPulse == nil && silent.relocksOnClose)
    #expect(
      silent.spans
        == DoorMonitor.Settings(shunt: .zero, heldOpenWarning: nil, heldOpenAlarm: .seconds(120)))
  }

  @Test(arguments: [
    (["relock-on-close: true"], "d.yaml:7: doors.front.relock-on-close: expected the key “sensor” beside it"),
    (["shunt: 5s", "request-to-exit: { pipe: b }"], "doors.front.shunt: expected the key “sensor” beside it"),
    (["held-open-alarm: 5s"], "doors.front.held-open-alarm: expected the key “sensor” beside it"),
    (["exit-pulse: 5s", "sensor: { pipe: b }"], "front.exit-pulse: expected the key “request-to-exit” beside it"),
    (
      ["sensor: { pipe: a }", "held-open-alarm: 30s"],
      "d.yaml:8: doors.front.held-open-alarm: expected more than held-open-warning, which is 30s where it isn't set"
    ),
    (
      ["sensor: { pipe: a }", "held-open-warning: 60s"],
      "doors.front.held-open-warning: expected less than held-open-alarm, which is 60s where it isn't set"
    ),
    (["sensor: { pipe: a }", "held-open-warning: never"], "expected a duration from 1s to 24h, or none"),
    (["sensor: { pipe: a }", "shunt: 2h"], "doors.front.shunt: expected a duration from 0s to 1h"),
    (["sensor: { pipe: a, serial: {} }"], "doors.front.sensor: expected one key, found 2"),
    (["sensor: { file: a }"], "doors.front.sensor.file: unknown key"),
    (["sensor: { serial: {} }"], "doors.front.sensor.serial: expected a lock of the kind serial"),
    (["sensor: { gpio: { chip: c, line: 1, debounce: 2s } }"], "debounce: expected a duration from 0s to 1s"),
    (
      ["request-to-exit: { gpio: { chip: c, line: 1, debounce: 500ms } }"],
      "debounce: expected a duration from 0s to 300ms"
    ),
    (["sensor: { pipe: a }", "request-to-exit: { pipe: a }"], "is in use already: an input belongs to one door"),
    (
      ["sensor: { gpio: { chip: c, line: 1 } }", "request-to-exit: { gpio: { chip: c, line: 1 } }"],
      "line 1 of c is in use already"
    ),
    (["siren: { gpio: { chip: c, line: 1 } }"], "d.yaml:7: doors.front.siren: expected the key “sensor” beside it"),
    (["sensor: { pipe: a }", "siren: { for: 5s }"], "d.yaml:8: doors.front.siren: expected the key “gpio”"),
    (["sensor: { pipe: a }", "siren: { gpio: [] }"], "siren.gpio: expected 1 to 8 lines, found 0"),
    (["sensor: { pipe: a }", "siren: { gpio: { line: 1 } }"], "siren.gpio: expected the key “chip”"),
    (["sensor: { pipe: a }", "siren: { gpio: { chip: c, line: 1, bounce: 5ms } }"], "siren.gpio.bounce: unknown key"),
    (["sensor: { pipe: a }", "siren: { pipe: b }"], "doors.front.siren.pipe: unknown key"),
    (
      ["sensor: { pipe: a }", "siren: { gpio: { chip: c, line: 1 }, for: 2h }"],
      "doors.front.siren.for: expected a duration from 1s to 1h, or none"
    ),
    (
      ["sensor: { pipe: a }", "siren: { gpio: { chip: c, line: 1 }, for: 0s }"],
      "doors.front.siren.for: expected a duration from 1s to 1h, or none"
    ),
    (
      ["sensor: { gpio: { chip: c, line: 1 } }", "siren: { gpio: { chip: c, line: 1 } }"],
      "line 1 of c is in use already: a siren has relays of its own"
    ),
    (["sensor: { pipe: a }", "siren: { gpio: [{ chip: c, line: 1 }, { chip: c, line: 1 }] }"], "line 1 of c is in"),
  ])
  func whatMakesNoSenseIsRefused(_ lines: [String], _ complaint: String) {
    let all = ["  front:", "    bundle: b", "    lock: { dry-run: {} }", "    pulse: 4s"] + lines.map { "    \($0)" }
    expectComplaint(complaint) { _ = try load(all) }
  }

  @Test func aRelaysLineIsNoInput() {
    expectComplaint("line 1 of c is in use already") {
      _ = try load([
        "  front: { bundle: b, lock: { gpio: { chip: c, line: 1 } } }",
        "  back: { bundle: b, lock: { dry-run: {} }, sensor: { gpio: { chip: c, line: 1 } } }",
      ])
    }
  }

  @Test(
    "a siren's line is no lock's and no other siren's",
    arguments: [
      "lock: { gpio: { chip: c, line: 1 } }",
      "lock: { dry-run: {} }, sensor: { pipe: b }, siren: { gpio: { chip: c, line: 1 } }",
    ])
  func aSirensLineIsItsOwn(_ other: String) {
    let siren = "sensor: { pipe: a }, siren: { gpio: { chip: c, line: 1 } }"
    expectComplaint("d.yaml:4: doors.back: line 1 of c is in use already") {
      _ = try load([
        "  front: { bundle: b, lock: { dry-run: {} }, \(siren) }", "  back: { bundle: b, \(other) }",
      ])
    }
  }

  private func expectComplaint(_ complaint: String, _ body: () throws -> Void) {
    do {
      try body()
      Issue.record("it was taken")
    } catch {
      #expect("\(error)".contains(complaint), "\(error)")
    }
  }
}

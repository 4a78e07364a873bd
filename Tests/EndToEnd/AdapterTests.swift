import Glibc
import JSON
import TestSupport
import Testing

/// Whether this machine's kernel has Bluetooth.
private let hasBluetooth: Bool = {
  // AF_BLUETOOTH, BTPROTO_HCI.
  let number = socket(31, Int32(SOCK_RAW.rawValue), 1)
  if number >= 0 { close(number) }
  return number >= 0
}()

/// Adapters of the kernel on a machine that has none; what there is with one is tested in Tests/KernelVM.
@Suite("Adapters, where the kernel has no Bluetooth", .enabled(if: !hasBluetooth))
struct AdapterTests {
  private let words = "this kernel has no Bluetooth"

  @Test("radios says so, with exit 5", arguments: [["radios"], ["radios", "--json"], ["radios", "--probe"]])
  func radios(arguments: [String]) throws {
    try withWorkbench { bench in
      let outcome = try bench.run(.latchkeyd, arguments).expecting(exit: 5)
      #expect(outcome.stdout == "" && outcome.stderr.hasPrefix("latchkeyd: \(words)"))
    }
  }

  @Test("A holder says so, with exit 5", arguments: ["hci:0", "hci:00:AA:01:00:00:23", "hci-raw:0"])
  func holder(radio: String) throws {
    try withWorkbench { bench in
      let outcome = try bench.run(.latchkey, ["broadcast", "020106", "--radio", radio, "--take-over"])
      try outcome.expecting(exit: 5)
      #expect(outcome.stderr.hasPrefix("latchkey: radio \(radio): \(words)"))
    }
  }

  @Test("A door says so and ends with exit 5, its lock closed: waiting can't help")
  func door() async throws {
    try await withWorkbench { bench in
      let site = try Site(bench)
      try site.addDoors("front")
      _ = try site.issue("alice")
      let door = try Door(site, radio: "hci:0\ntake-over: true")
      let outcome = try bench.run(.latchkeyd, ["run", "--config", door.configuration, "--json"]).expecting(exit: 5)
      #expect(outcome.stderr.contains("latchkeyd: radio hci:0: \(words)"))
      #expect(outcome.stdout.contains("\"state\":\"unsupported\""))
    }
  }
}

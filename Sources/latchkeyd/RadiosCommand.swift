internal import CommandLineTool
internal import HCI
internal import JSON

private let probe = Flag(
  "--probe", "also ask the controllers themselves, for which each adapter that may be used is opened for a moment")

let radiosCommand = Subcommand(
  "radios", "The adapters of this machine: address, state, features, and who has them.", options: [probe]
) { (arguments, output) throws(CommandError) in
  let adapters: [Adapter]
  do throws(AdapterProblem) { adapters = try Adapter.all() } catch { throw CommandError(error) }
  if adapters.isEmpty { throw CommandError(.missing(present: [])) }
  let shown = arguments[probe] ? adapters.map { asked($0, output) } : adapters
  for line in aligned(shown.map { cells($0) }) { output.say(line) }
  for adapter in shown { output.emit(.object(object(adapter))) }
  return .done
}

/// The adapter with what its controller says; where that can't be asked, as it is, with a note why.
private func asked(_ adapter: Adapter, _ output: Output) -> Adapter {
  do throws(RadioError) { return try adapter.probed() } catch {
    output.note("hci\(adapter.index) can't be asked: \(error)")
    return adapter
  }
}

/// For example `hci0`, `00:AA:01:00:00:23`, `USB`, `on`, `Bluetooth 5.0, LE, extended`, `used by the kernel`.
private func cells(_ adapter: Adapter) -> [String] {
  [
    "hci\(adapter.index)", adapter.address.map { "\($0)" } ?? "address unknown", adapter.bus, state(adapter),
    features(adapter.features), "used by \(adapter.holder.words)",
  ]
}

/// The cells of each row in a line, those of one column below each other.
private func aligned(_ rows: [[String]]) -> [String] {
  rows.map { row in
    let padded = row.enumerated().map { column, cell in
      let width = rows.map { $0[column].count }.max() ?? 0
      return column == row.count - 1 ? cell : cell + String(repeating: " ", count: width - cell.count)
    }
    return padded.joined(separator: "  ")
  }
}

private func state(_ adapter: Adapter) -> String {
  let word = adapter.condition.rawValue
  guard let killSwitch = adapter.killSwitch, killSwitch.isBlocked else { return word }
  let kinds = [killSwitch.hard ? "hard" : nil, killSwitch.soft ? "soft" : nil].compactMap { $0 }
  return "\(word) (rfkill, \(kinds.joined(separator: " and ")))"
}

private func features(_ features: AdapterFeatures) -> String {
  let version = features.coreVersion.map { "Bluetooth \($0)" }
  let le = features.hasLE.map { $0 ? "LE" : "no LE" }
  let extended = features.hasExtendedAdvertising.map { $0 ? "extended" : "legacy only" }
  let words = [version, le, extended].compactMap { $0 }
  return words.isEmpty ? "features unknown" : words.joined(separator: ", ")
}

/// The adapter for programs; what isn't known is null.
private func object(_ adapter: Adapter) -> JSONObject {
  let features = adapter.features
  let (kind, users): (String, [AdapterUser]) =
    switch adapter.holder {
    case .nobody: ("nobody", [])
    case .kernel(let users): ("kernel", users)
    case .program(let users): ("program", users)
    }
  let processes = users.map { user -> JSONValue in
    ["process": .integer(Int64(user.process)), "name": .string(user.name)]
  }
  return [
    "adapter": .string("hci\(adapter.index)"), "number": .integer(Int64(adapter.index)),
    "address": known(adapter.address) { .string("\($0)") }, "bus": .string(adapter.bus),
    "state": .string(adapter.condition.rawValue), "up": .bool(adapter.isUp), "permitted": .bool(adapter.isPermitted),
    "rfkill": known(adapter.killSwitch) { ["soft": .bool($0.soft), "hard": .bool($0.hard)] },
    "usedBy": .string(kind), "processes": .array(processes),
    "hciVersion": known(features.hciVersion) { .integer(Int64($0)) },
    "manufacturer": known(features.manufacturer) { .integer(Int64($0)) },
    "le": known(features.hasLE) { .bool($0) },
    "extendedAdvertising": known(features.hasExtendedAdvertising) { .bool($0) },
  ]
}

private func known<Value>(_ value: Value?, _ json: (Value) -> JSONValue) -> JSONValue { value.map(json) ?? .null }

extension CommandError {
  /// Adapters that can't be listed: exit 5, or 77 for a missing capability.
  fileprivate init(_ problem: AdapterProblem) {
    var exit = ExitCode.radio
    if case .missingCapability = problem { exit = .permission }
    self.init(exit, "\(problem)")
  }
}

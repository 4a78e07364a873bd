import Configuration
import LockHardware
import POSIX
import RelayGuard

@testable import DoorController

/// Configurations: what is taken is within its limits, and what is refused is said in one line with file and line.
func checkConfiguration(_ input: [UInt8]) throws {
  let name = "door.yaml"
  do {
    let root = try YAMLNode(parsing: input, file: name)
    try checkDepth(of: root, levels: YAMLLimits().depth)
    try checkFields(of: DoorConfiguration(ConfigurationReader(root, file: name), folder: "/etc/latchkey"))
  } catch let error as BrokenProperty {
    throw error
  } catch {
    try checkComplaint(error, name)
  }
}

private func checkDepth(of node: YAMLNode, levels: Int) throws {
  try require(levels >= 0, "nothing is nested too deeply")
  switch node.content {
  case .null, .scalar: break
  case .sequence(let nodes): for node in nodes { try checkDepth(of: node, levels: levels - 1) }
  case .mapping(let entries):
    try require(Set(entries.map(\.key)).count == entries.count, "a key stands once")
    for entry in entries { try checkDepth(of: entry.value, levels: levels - 1) }
  }
}

private func checkFields(of configuration: DoorConfiguration) throws {
  try require(!configuration.doors.isEmpty, "there is a door")
  try require(Set(configuration.doors.map(\.id)).count == configuration.doors.count, "a door stands once")
  for door in configuration.doors {
    try require(DoorSettings.pulseRange.contains(door.pulse), "a pulse is within its limits")
    try require(door.pulse <= door.longestPulse, "a pulse is no longer than the longest")
    try require(door.bundlePath.hasPrefix("/"), "a path is absolute")
    if case .gpio(let lines) = door.lock {
      try require((1...8).contains(lines.count) && Set(lines).count == lines.count, "a lock has lines of its own")
      try require(
        lines.allSatisfy { RelayOptions(arguments: RelayOptions($0).arguments)?.line == $0 }, "a guard can be told")
    }
    if case .serial(let port, let baud) = door.lock {
      try require(port.hasPrefix("/") && SerialPort.speeds.contains(baud), "a serial line is one that can be opened")
    }
    if case .command(let commands) = door.lock {
      try require(
        [commands.unlock, commands.lock, [commands.directory]].allSatisfy { $0.first?.hasPrefix("/") == true },
        "paths are absolute")
    }
  }
}

private func checkComplaint(_ error: any Error, _ name: String) throws {
  try require(error is ConfigurationError || error is LoadError, "an error of another type: \(error)")
  let text = "\(error)"
  let place = text.dropFirst(name.count + 1).prefix { $0 != ":" }
  try require(text.hasPrefix("\(name):") && Int(place) ?? 0 >= 1, "a complaint names file and line")
  try require(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "a complaint is one line")
}

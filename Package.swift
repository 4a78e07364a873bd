// swift-tools-version: 6.3
// Latchkey: a door that opens to a broadcast. The rooms, and what each may import, are in docs/architecture.md.

import PackageDescription

/// What every Swift target is compiled with (docs/architecture.md, "Compiler settings").
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  // Fault points let the crash tests stop the daemon at an exact step. Release builds lack them.
  .define("FAULT_POINTS", .when(configuration: .debug)),
]

/// A Debian library: a module map, a shim header, nothing of ours.
func debian(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
  .systemLibrary(name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// A room of the house: `imports` is the whole list of what it may see.
func room(_ name: String, _ imports: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: imports, path: "Sources/\(name)", swiftSettings: strict)
}

/// The tests of a room.
func tests(_ name: String, _ imports: [Target.Dependency]) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: imports + ["TestSupport"], path: "Tests/\(name)Tests", swiftSettings: strict)
}

/// One of the programs.
func program(_ name: String, _ imports: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: imports, path: "Sources/\(name)", swiftSettings: strict)
}

/// What the parsers of untrusted bytes are fed, and what must hold then (Tests/FuzzTests).
///
/// Ordinarily these are tests over the seeds in Tests/Corpus. Where `LATCHKEY_FUZZ` is set, as scripts/fuzz does, they are a
/// program over libFuzzer instead: other sources of the same folder.
let fuzzed: [Target.Dependency] = [
  "AccessControl", "AirProtocol", "Advertising", "Configuration", "DoorController", "HCI", "JSON", "LatchkeyCrypto",
  "LockHardware", "POSIX", "Provisioning", "RelayGuard",
]
let fuzzing: [Target] =
  if Context.environment["LATCHKEY_FUZZ"] != nil {
    [
      .systemLibrary(name: "CFuzzer", path: "Tests/CFuzzer"),
      .executableTarget(
        name: "latchkey-fuzz", dependencies: fuzzed + ["CFuzzer"], path: "Tests/FuzzTests", exclude: ["Seeds"],
        swiftSettings: strict),
    ]
  } else {
    [
      .testTarget(
        name: "FuzzTests", dependencies: fuzzed + ["TestSupport"], path: "Tests/FuzzTests", exclude: ["Fuzzer"],
        swiftSettings: strict)
    ]
  }

let package = Package(
  name: "latchkey",
  products: [
    .executable(name: "latchkeyd", targets: ["latchkeyd"]),
    .executable(name: "latchkey", targets: ["latchkey"]),
    .executable(name: "latchkey-keys", targets: ["latchkey-keys"]),
    .executable(name: "latchkey-relay", targets: ["latchkey-relay"]),
  ],
  targets: [
    // C libraries
    debian("COpenSSL", "libcrypto", "libssl-dev"),
    debian("CBluetooth", "bluez", "libbluetooth-dev"),
    debian("CSQLite", "sqlite3", "libsqlite3-dev"),
    debian("CYAML", "yaml-0.1", "libyaml-dev"),
    debian("CJansson", "jansson", "libjansson-dev"),
    debian("CGPIO", "libgpiod", "libgpiod-dev"),
    .target(name: "CPOSIX", path: "Sources/CPOSIX"),

    // Rooms, from the ground up
    room("POSIX", ["CPOSIX"]),
    room("Wording", []),
    room("LatchkeyCrypto", ["COpenSSL"]),
    room("JSON", ["CJansson"]),
    room("AirProtocol", ["LatchkeyCrypto"]),
    room("Advertising", ["AirProtocol"]),
    room("HCI", ["POSIX", "Advertising", "CBluetooth"]),
    room("AccessControl", []),
    room("Database", ["CSQLite"]),
    room("Ledger", ["Database", "AccessControl", "Wording", "POSIX"]),
    room("Provisioning", ["AccessControl", "AirProtocol", "LatchkeyCrypto", "Database", "JSON", "POSIX"]),
    room("RelayGuard", ["Wording", "POSIX"]),
    room("GPIO", ["CGPIO", "RelayGuard", "POSIX"]),
    room("LockHardware", ["GPIO", "RelayGuard", "Wording", "POSIX"]),
    room("Configuration", ["CYAML", "Wording", "POSIX"]),
    room(
      "Holder",
      [
        "AccessControl", "AirProtocol", "Advertising", "HCI", "Provisioning", "LatchkeyCrypto", "JSON", "Wording",
        "POSIX",
      ]),
    room(
      "DoorController",
      [
        "AirProtocol", "Advertising", "HCI", "AccessControl", "Ledger", "Provisioning", "LockHardware", "Configuration",
        "RelayGuard", "LatchkeyCrypto", "JSON", "Wording", "POSIX",
      ]),
    room("CommandLineTool", ["JSON", "Wording", "POSIX"]),

    // Programs
    program(
      "latchkeyd",
      [
        "DoorController", "AccessControl", "Configuration", "Provisioning", "HCI", "CommandLineTool", "JSON", "Wording",
        "POSIX",
      ]),
    program(
      "latchkey",
      [
        "Holder", "AccessControl", "AirProtocol", "Advertising", "HCI", "Provisioning", "LatchkeyCrypto",
        "CommandLineTool", "JSON", "Wording", "POSIX",
      ]),
    program(
      "latchkey-keys",
      [
        "Provisioning", "AccessControl", "AirProtocol", "Database", "LatchkeyCrypto", "CommandLineTool", "Wording",
        "JSON",
        "POSIX",
      ]),
    // It shuts the lock when the daemon is gone: no more in it than that takes.
    program("latchkey-relay", ["RelayGuard", "GPIO", "POSIX"]),

    // Benchmarks: one program, run by scripts/bench
    .target(name: "CBenchmark", path: "Benchmarks/CBenchmark"),
    .target(name: "RoundTrip", dependencies: ["HCI", "POSIX"], path: "Benchmarks/RoundTrip", swiftSettings: strict),
    .executableTarget(
      name: "latchkey-bench",
      dependencies: [
        "AirProtocol", "Advertising", "AccessControl", "HCI", "Ledger", "LockHardware", "Provisioning",
        "DoorController", "LatchkeyCrypto", "JSON", "Wording", "POSIX", "CBenchmark", "RoundTrip",
      ],
      path: "Benchmarks", exclude: ["CBenchmark", "RoundTrip"], swiftSettings: strict),

    // Tests mirror Sources
    .target(
      name: "TestSupport", dependencies: ["CPOSIX", "JSON", "POSIX"], path: "Tests/TestSupport", swiftSettings: strict),
    tests("POSIX", ["POSIX"]),
    tests("Wording", ["Wording"]),
    tests("LatchkeyCrypto", ["LatchkeyCrypto"]),
    tests("JSON", ["JSON"]),
    tests("AirProtocol", ["AirProtocol", "LatchkeyCrypto"]),
    tests("Advertising", ["Advertising", "AirProtocol"]),
    tests("HCI", ["HCI", "Advertising", "AirProtocol", "POSIX", "CBluetooth"]),
    tests("AccessControl", ["AccessControl"]),
    tests("Database", ["Database", "POSIX"]),
    tests("Ledger", ["Ledger", "Database", "AccessControl", "POSIX"]),
    tests(
      "Provisioning", ["Provisioning", "AccessControl", "AirProtocol", "LatchkeyCrypto", "Database", "JSON", "POSIX"]),
    tests("RelayGuard", ["RelayGuard", "POSIX"]),
    tests("LockHardware", ["LockHardware", "GPIO", "RelayGuard", "POSIX"]),
    tests("Configuration", ["Configuration"]),
    tests(
      "Holder",
      [
        "Holder", "AccessControl", "AirProtocol", "Advertising", "HCI", "Provisioning", "LatchkeyCrypto", "JSON",
        "Wording", "POSIX",
      ]),
    tests(
      "DoorController",
      [
        "DoorController", "AirProtocol", "Advertising", "HCI", "AccessControl", "Ledger", "Database", "Provisioning",
        "LockHardware", "RelayGuard", "Configuration",
        "LatchkeyCrypto", "JSON", "POSIX",
      ]),
    tests("CommandLineTool", ["CommandLineTool", "Wording", "JSON", "POSIX"]),
    tests("RoundTrip", ["RoundTrip", "HCI", "POSIX"]),
    .testTarget(
      name: "EndToEndTests", dependencies: ["TestSupport", "Database", "JSON", "POSIX"], path: "Tests/EndToEnd",
      exclude: ["bumble"],
      swiftSettings: strict),
  ] + fuzzing
)

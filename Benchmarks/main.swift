internal import Glibc
internal import JSON
internal import POSIX

private let usage = """
  usage: latchkey-bench [--json] [--credentials N] [--only door|processes|path|hall|roundtrip]
                         [--programs DIR] [--soak MINUTES] [--air PORT [--rounds N]]
  Measures what Latchkey promises, at N credentials (default: 1,000,000) and a tenth of them for the daemon's start.
  The hall, a controller that plays crowded air to a daemon, takes some minutes; --soak goes on at half of what it bears.
  The programs that are measured are those in DIR (default: beside this one).
  The round trip needs RootCanal, which listens on --air; it is taken over so many --rounds (default: 40), a minute.

  """

private enum Part: String, CaseIterable {
  case door
  case processes
  case path
  case hall
  case roundtrip
}

private func number(_ text: String?, of option: String, in range: ClosedRange<Int>) throws -> Int {
  guard let number = text.flatMap({ Int($0) }), range.contains(number) else {
    throw BenchmarkError("\(option): expected a number from \(range.lowerBound) to \(range.upperBound)")
  }
  return number
}

do {
  var json = false
  var credentials = 1_000_000
  var parts = Part.allCases
  // Those that were built with this one.
  var programs = directoryName(CommandLine.arguments[0])
  var soak = 0
  var air: UInt16?
  var rounds = 40
  var arguments = CommandLine.arguments.dropFirst()
  while let argument = arguments.popFirst() {
    switch argument {
    case "--json": json = true
    case "--credentials": credentials = try number(arguments.popFirst(), of: argument, in: 10...4_000_000)
    case "--only":
      guard let part = arguments.popFirst().flatMap({ Part(rawValue: $0) }) else {
        throw BenchmarkError("--only: expected \(Part.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      parts = [part]
    case "--soak": soak = try number(arguments.popFirst(), of: argument, in: 1...1_440)
    case "--programs":
      guard let directory = arguments.popFirst() else { throw BenchmarkError("--programs: expected a directory") }
      programs = directory
    case "--air": air = UInt16(try number(arguments.popFirst(), of: argument, in: 1...65_535))
    case "--rounds": rounds = try number(arguments.popFirst(), of: argument, in: 5...10_000)
    case "--help":
      try StandardStream.output.writeAll(Array(usage.utf8))
      exit(0)
    default: throw BenchmarkError("unknown argument “\(argument)”\n\(usage)")
    }
  }
  var measurements: [Measurement] = []
  for part in parts {
    switch part {
    case .door: measurements += try DoorBenchmarks.run(credentials: credentials)
    case .processes: measurements += try ProcessBenchmarks.run(programs: programs, credentials: credentials / 10)
    case .path: measurements.append(try RadioPathBenchmark.run())
    case .roundtrip:
      guard let air else {
        if parts.count == 1 { throw BenchmarkError("the round trip needs --air PORT") }
        try StandardStream.error.writeAll(Array("roundtrip: left out, since there is no --air\n".utf8))
        continue
      }
      measurements += try RoundTripBenchmarks.run(programs: programs, air: air, rounds: rounds)
    case .hall: measurements += try HallBenchmarks.run(programs: programs, soakMinutes: soak)
    }
  }
  let text = json ? measurements.json.text() : measurements.table
  try StandardStream.output.writeAll(Array((text + "\n").utf8))
} catch {
  try? StandardStream.error.writeAll(Array("latchkey-bench: \(error)\n".utf8))
  exit(1)
}

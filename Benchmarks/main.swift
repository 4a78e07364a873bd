internal import Glibc
internal import JSON
internal import POSIX

private let usage = """
  usage: latchkey-bench [--json] [--credentials N]
  Measures what Latchkey promises, at N credentials (default: 1,000,000) and a tenth of them for the daemon's start.

  """

do {
  var json = false
  var credentials = 1_000_000
  var arguments = CommandLine.arguments.dropFirst()
  while let argument = arguments.popFirst() {
    switch argument {
    case "--json": json = true
    case "--credentials":
      guard let number = arguments.popFirst().flatMap({ Int($0) }), (10...4_000_000).contains(number) else {
        throw BenchmarkError("--credentials: expected a number from 10 to 4000000")
      }
      credentials = number
    case "--help":
      try StandardStream.output.writeAll(Array(usage.utf8))
      exit(0)
    default: throw BenchmarkError("unknown argument “\(argument)”\n\(usage)")
    }
  }
  // The programs to measure were built with this one.
  let programs = directoryName(CommandLine.arguments[0])
  let measurements =
    try DoorBenchmarks.run(credentials: credentials)
    + ProcessBenchmarks.run(programs: programs, credentials: credentials / 10)
  let text = json ? measurements.json.text() : measurements.table
  try StandardStream.output.writeAll(Array((text + "\n").utf8))
} catch {
  try? StandardStream.error.writeAll(Array("latchkey-bench: \(error)\n".utf8))
  exit(1)
}

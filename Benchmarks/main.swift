// `latchkey-bench [CREDENTIALS]`: prints a table of what it measured; 1,000,000 credentials unless told otherwise.

let credentials = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
for measurement in try IndexBenchmarks.run(credentials: credentials) {
  let key = measurement.key + String(repeating: " ", count: max(1, 28 - measurement.key.count))
  let value = Double(Int(measurement.value * 1000)) / 1000
  print("\(key)\(value) \(measurement.unit) at \(measurement.credentials)")
}

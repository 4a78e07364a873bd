// The vectors through the core: Tests/Vectors/air-protocol-1.json is the one argument. Says what is wrong, and exits 1.

import Foundation

let file = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]))
let vectors = try JSONDecoder().decode(Vectors.self, from: file)
var checks = Checks()
for (number, sample) in vectors.cases.enumerated() { try checks.checkCase(number, sample) }
try checks.checkBeacons(vectors)
try checks.checkRefusals(vectors)
print("\(checks.count) checks, \(checks.failures) failures")
exit(checks.failures == 0 ? 0 : 1)

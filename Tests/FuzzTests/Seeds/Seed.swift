/// An input that the corpus begins with, made here so that it can be made again.
struct Seed {
  let target: String
  let name: String
  let bytes: [UInt8]

  init(_ target: String, _ name: String, _ bytes: [UInt8]) {
    self.target = target
    self.name = name
    self.bytes = bytes
  }

  init(_ target: String, _ name: String, _ text: String) { self.init(target, name, Array(text.utf8)) }

  /// All of them; what a fuzzer has found lies beside them in Tests/Corpus and isn't made.
  static func all() throws -> [Seed] {
    let all = try [
      radioSeeds(), advertSeeds(), frameSeeds(), captureSeeds(), bundleSeeds(), credentialSeeds(), configurationSeeds(),
      boardSeeds(), relaySeeds(), pipeSeeds(),
    ]
    return all.flatMap { $0 }
  }
}

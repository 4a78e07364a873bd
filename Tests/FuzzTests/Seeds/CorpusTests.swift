import POSIX
import TestSupport
import Testing

/// The corpus of the fuzzers as a regression test: every input that is kept there, once, without libFuzzer.
@Suite struct CorpusTests {
  // This file is Tests/FuzzTests/Seeds/CorpusTests.swift.
  private static let folder = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Corpus"

  @Test(arguments: FuzzTarget.all)
  func holdsForTheCorpus(_ target: FuzzTarget) throws {
    let names = directoryEntries("\(Self.folder)/\(target)")
    #expect(names.count >= 5)
    for name in names {
      let input = try readFile("\(Self.folder)/\(target)/\(name)", limit: 1 << 20)
      #expect(throws: Never.self, "\(target)/\(name)") { try target.check(input) }
    }
  }

  @Test(arguments: FuzzTarget.all)
  func holdsForNothingAndForAnyByte(_ target: FuzzTarget) {
    for input in [[]] + (0...255).map({ [UInt8($0)] }) {
      #expect(throws: Never.self, "\(input)") { try target.check(input) }
    }
  }

  /// The seeds are what their makers make; `LATCHKEY_WRITE_CORPUS=1` writes those that differ.
  @Test func seedsAreAsTheyAreMade() throws {
    let writes = ProcessEnvironment["LATCHKEY_WRITE_CORPUS"] != nil
    for seed in try Seed.all() {
      let path = "\(Self.folder)/\(seed.target)/\(seed.name)"
      let isThere = try fileStatus(path) != nil
      if isThere, try readFile(path, limit: 1 << 20) == seed.bytes { continue }
      #expect(writes, "\(seed.target)/\(seed.name) isn't what is made")
      guard writes else { continue }
      try makeDirectories("\(Self.folder)/\(seed.target)")
      try replaceFile(path, contents: seed.bytes, mode: 0o644)
    }
  }

  /// A target that can't fail would be no test: each finds what is wrong with a parser that was broken for it.
  @Test func aBrokenPropertyIsThrown() {
    #expect(throws: BrokenProperty.self) { try require(false, "something") }
    #expect(throws: Never.self) { try require(true, "something") }
  }
}

import AccessControl
import POSIX
import TestSupport
import Testing

@testable import DoorController

/// Closing without a daemon: who is in charge, and what is left behind.
@Suite struct LockClosingTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    let text = """
      site-key: \(String(repeating: "A", count: 43))
      doors: { front: { bundle: front.bundle, lock: { dry-run: {} } } }

      """
    try replaceFile(folder("d.yaml"), contents: Array(text.utf8))
  }

  private func close() throws -> [String?] {
    try LockClosing.run(configurationPath: folder("d.yaml")).outcomes.map(\.failure)
  }

  @Test func closesWithoutMakingTheFileThatADaemonLocks() throws {
    try replaceFile(folder("state.db"), contents: [])
    #expect(try close() == [nil])
    #expect(try fileStatus(folder("state.db.lock")) == nil)
  }

  private func record(_ lock: String) throws {
    let text =
      "{\"format\":\"latchkey-locks/1\",\"configuration\":\"/d.yaml\",\"doors\":[{\"id\":\"back\",\"unlock\":[\"/bin/true\"],"
    let rest = "\"lock\":\(lock),\"timeLimitMs\":5000,\"directory\":\"/\"}]}"
    try replaceFile(folder("state.db.locks"), contents: Array((text + rest).utf8))
  }

  @Test func closesWhatARunHasLeft() throws {
    try record("[\"/bin/touch\",\"\(folder("closed"))\"]")
    #expect(try LockClosing.run(configurationPath: folder("d.yaml")).outcomes.map(\.door.text) == ["front", "back"])
    #expect(try fileStatus(folder("closed")) != nil)
  }

  @Test("programs of a file that others can write, or that isn't whole, aren't run", arguments: [0, 1, 2])
  func hostileRecord(_ kind: Int) throws {
    try record(kind == 1 ? "[\"touch\",\"\(folder("closed"))\"]" : "[\"/bin/touch\",\"\(folder("closed"))\"]")
    switch kind {
    case 0: try run(executable: "/bin/chmod", ["660", folder("state.db.locks")]).expecting(exit: 0)
    case 1: break
    default:
      let text = try folder.text("state.db.locks")
      try replaceFile(folder("state.db.locks"), contents: Array(text.utf8.dropLast(4)))
    }
    #expect(try close() == [nil])
    #expect(try LockClosing.run(configurationPath: folder("d.yaml")).warnings.count == 1)
    #expect(try fileStatus(folder("closed")) == nil)
  }

  @Test func aPathIsTheSameByWhateverSteps() {
    #expect(LocksInCharge.absolute("/a/./b/../c.yaml") == "/a/c.yaml")
    #expect(LocksInCharge.absolute("//a//c.yaml") == "/a/c.yaml")
    #expect(LocksInCharge.absolute("./c.yaml") == LocksInCharge.absolute("c.yaml"))
  }

  @Test(.enabled(if: ProcessEnvironment.user == 0, "giving a file away needs root"))
  func aRecordOfAnotherUserIsNotRun() throws {
    try record("[\"/bin/touch\",\"\(folder("closed"))\"]")
    try run(executable: "/bin/chown", ["4321", folder("state.db.locks")]).expecting(exit: 0)
    #expect(try close() == [nil])
    #expect(try fileStatus(folder("closed")) == nil)
  }

  @Test("a siren is closed as well, and its failure is its own")
  func siren() throws {
    let text = try folder.text("d.yaml").replacing(
      "dry-run: {} }", with: "dry-run: {} }, sensor: { pipe: c }, siren: { gpio: { chip: nowhere, line: 1 } }")
    try replaceFile(folder("d.yaml"), contents: Array(text.utf8))
    let outcomes = try LockClosing.run(configurationPath: folder("d.yaml")).outcomes
    #expect(outcomes.map(\.isSiren) == [false, true] && outcomes.map { $0.failure == nil } == [true, false])
  }

  @Test func leavesTheLocksToWhoHoldsTheFile() throws {
    let held = try FileLock.acquire(folder("state.db.lock"))
    #expect(throws: DaemonError.self) { try close() }
    withExtendedLifetime(held) {}
  }
}

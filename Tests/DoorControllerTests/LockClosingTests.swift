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

  private func close() throws -> [String?] { try LockClosing.run(configurationPath: folder("d.yaml")).map(\.failure) }

  @Test func closesWithoutMakingTheFileThatADaemonLocks() throws {
    try replaceFile(folder("state.db"), contents: [])
    #expect(try close() == [nil])
    #expect(try fileStatus(folder("state.db.lock")) == nil)
  }

  @Test func leavesTheLocksToWhoHoldsTheFile() throws {
    let held = try FileLock.acquire(folder("state.db.lock"))
    #expect(throws: DaemonError.self) { try close() }
    withExtendedLifetime(held) {}
  }
}

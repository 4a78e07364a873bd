import AirProtocol
import POSIX
import Synchronization
import TestSupport
import Testing

@testable import Holder

private let site = SiteID(text: "8ded4b41-24f1-6fb9-f79e-64bba2d7f109")
private let front = DoorNumber(rawValue: 1)
private let back = DoorNumber(rawValue: 65_535)

private func beginIntent(_ state: inout HolderState) -> UInt8 {
  state.use(press: state.nextPress)
  return state.press
}

@Suite struct HolderStateFileTests {
  private let folder: TemporaryDirectory
  private let file: HolderStateFile

  init() throws {
    folder = try TemporaryDirectory()
    file = HolderStateFile(directory: folder("a/b"), site: try #require(site), credential: "alice-phone")
  }

  /// A state with something of everything.
  private func filled() throws -> HolderState {
    var state = HolderState(site: try #require(site), credential: "alice-phone", now: 7, random: 255)
    let challenge = try #require(Challenge(bytes: 0x8EA3_FB43_E4C0_A066))
    state.use(slot: 8, sequence: 0, at: try #require(front))
    state.use(slot: UInt64(Int64.max), sequence: 255, at: try #require(front))
    state.use(challenge, at: try #require(back), now: 9, pause: 5)
    return state
  }

  private func update<Value>(now: UInt64 = 7, _ body: (inout HolderState) -> Value) throws -> Value {
    try file.update(now: now) { (state) throws(Never) in body(&state) }.get()
  }

  @Test func aNewStateIsBegunAndKept() throws {
    let first = try update { $0 }
    #expect(first.begun == 7)
    #expect(first.doors.isEmpty)
    #expect(try update(now: 9) { $0 } == first)
    #expect(try fileStatus(file.path)?.permissions == 0o600)
    #expect(try fileStatus(folder("a"))?.permissions == 0o700)
    #expect(directoryName(file.path) == folder("a/b"))
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let state = try filled()
    #expect(try HolderState(text: try state.text()) == state)
    try update { $0 = state }
    #expect(try update { $0 } == state)
  }

  @Test func whatThrowsWritesNothing() throws {
    struct Refusal: Error {}
    let before = try update { $0 }
    let result = try file.update(now: 8) { (state) throws(Refusal) in
      _ = beginIntent(&state)
      throw Refusal()
    }
    #expect(throws: Refusal.self) { try result.get() }
    #expect(try update { $0 } == before)
  }

  @Test func pressesRise() throws {
    let first = try update { beginIntent(&$0) }
    for step in UInt8(1)...255 { #expect(try update { beginIntent(&$0) } == first &+ step) }
  }

  @Test func firstPressesAreRandom() throws {
    let presses = try (0..<64).map { index in
      let file = HolderStateFile(directory: folder.path, site: try #require(site), credential: "c\(index)")
      return try file.update(now: 1) { (state) throws(Never) in beginIntent(&state) }.get()
    }
    #expect(Set(presses).count > 16)
  }

  /// A file cut off at every length, and with every byte changed, is refused and left as it is.
  @Test func aDamagedStateIsRefusedAndKept() throws {
    let text = try filled().text()
    for length in 0..<text.count {
      #expect(throws: HolderStateFault.self) { try HolderState(text: Array(text[..<length])) }
    }
    for index in text.indices {
      for bit in 0..<8 {
        var changed = text
        changed[index] ^= 1 << UInt8(bit)
        #expect(throws: HolderStateFault.self) { try HolderState(text: changed) }
      }
    }
    for damaged in [[], Array(text.dropLast(5)), Array("garbage".utf8), [UInt8](repeating: 0, count: 4_096)] {
      try update { _ in }
      try folder.write("a/b/alice-phone@\(try #require(site)).state", bytes: damaged)
      let error = #expect(throws: HolderStateError.self) { try update { beginIntent(&$0) } }
      #expect(error?.description.hasPrefix("\(file.path): damaged (") == true)
      #expect(error?.description.contains("mv -- '\(file.path)' '\(file.path).damaged'") == true)
      #expect(try readFile(file.path, limit: 10_000) == damaged)
      try removeFile(file.path)
    }
  }

  @Test func aLaterVersionIsRefusedAndKept() throws {
    let text = try filled().text(of: "latchkey-holder-state/2")
    try update { _ in }
    try replaceFile(file.path, contents: text)
    let error = #expect(throws: HolderStateError.self) { try update { beginIntent(&$0) } }
    #expect(error == .newer(path: file.path, format: "latchkey-holder-state/2"))
    #expect(try readFile(file.path, limit: 10_000) == text)
  }

  @Test func anotherCredentialsStateIsRefused() throws {
    let other = HolderStateFile(directory: folder("a/b"), site: try #require(site), credential: "bob")
    try update { _ in }
    try replaceFile(other.path, contents: try readFile(file.path, limit: 10_000))
    #expect(throws: HolderStateError.self) { try other.update(now: 7) { (_) throws(Never) in } }
  }

  @Test func theDirectoryMustBeOne() throws {
    try folder.write("a", "")
    let error = #expect(throws: HolderStateError.self) { try update { _ in } }
    guard case .file(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.errno == .notDirectory)
  }

  /// Locks count between threads as between processes: none of the presses and sequences comes twice.
  @Test func manyAtOnceUseNothingTwice() throws {
    let door = try #require(front)
    let used = Monitor<[(press: UInt8, sequence: UInt8)]>([])
    let threads = try (0..<8).map { _ in
      try Thread(name: "holder") { [file] in
        for _ in 0..<8 {
          let result = try? file.update(now: 8) { (state) throws(Never) -> (UInt8, UInt8)? in
            guard case .slot(let slot, let sequence) = state[door].place(now: 9, skewSlots: 0, pause: 5) else {
              return nil
            }
            state.use(slot: slot, sequence: sequence, at: door)
            return (beginIntent(&state), sequence)
          }.get()
          if let result { used.withLock { $0.append(result) } }
        }
      }
    }
    for thread in threads { thread.join() }
    let all = used.withLock { $0 }
    #expect(Set(all.map(\.sequence)) == Set(0..<64))
    #expect(Set(all.map(\.press)).count == 64)
  }

  @Test func aHeldLockIsBusyAfterAWhile() throws {
    try update { _ in }
    let lock = try FileLock.acquire(file.path + ".lock")
    let error = #expect(throws: FileError.self) {
      _ = try FileLock.acquire(file.path + ".lock", until: .now() + .milliseconds(20))
    }
    #expect(error?.problem == .busy)
    withExtendedLifetime(lock) {}
  }
}

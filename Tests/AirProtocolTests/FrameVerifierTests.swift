import AirProtocol
import LatchkeyCrypto
import Synchronization
import Testing

struct FrameVerifierTests {
  @Test("a right hint with a wrong tag is forged, a wrong hint foreign")
  func forgedAndForeign() throws {
    let doors = try TestTable([20, 30])
    let index = try HintIndex.build(doors.table, from: nil, epochs: [doors.slot(4), doors.slot(5)])
    let hints = try Set(
      (0..<50).flatMap { key in
        try [4, 5].map { try doors.frame(key: key, .time(slot: $0)).hint }
      })
    var verifier = try FrameVerifier()
    for key in 0..<50 {
      let frame = try doors.frame(key: key, .time(slot: 4))
      for bit in 0..<128 {
        let verdict = try verifier.verify(frame.flipping(bit), index: index)
        #expect(verdict == (hints.contains(frame.flipping(bit).hint) ? .forged : .foreign), "bit \(bit) of key \(key)")
      }
    }
    var random = Pseudorandom(seed: 8)
    for _ in 0..<20_000 {
      let frame = Frame(high: random.next(), low: random.next())
      #expect(try verifier.verify(frame, index: index) == (hints.contains(frame.hint) ? .forged : .foreign))
    }
  }

  @Test("a command is told with its key, door, freshness and every byte of its plaintext")
  func commands() throws {
    let doors = try TestTable([1, 4, 0, 3])
    let index = try HintIndex.build(doors.table, from: nil, epochs: [doors.slot(4)])
    var verifier = try FrameVerifier()
    for key in 0..<8 {
      // Neither an unknown command nor a flag that means nothing makes a frame less authentic.
      let plaintext = CommandPlaintext(sequence: 255, code: 200, argument: 7, flags: 0xFE, press: UInt8(key))
      let frame = try doors.frame(key: key, .time(slot: 4), plaintext)
      let (door, _) = try doors.place(ofKey: key)
      let expected = VerifiedCommand(
        frame: frame, key: key, doorIndex: door, door: doors.table.doors[door].number, freshness: .time(slot: 4),
        plaintext: plaintext)
      #expect(try verifier.verify(frame, index: index) == .verified(expected))
    }
  }

  @Test("of credentials that share a hint, each opens its own frames")
  func sharedHints() throws {
    // The same hint secret for all: one hint, as it happens by chance among a million.
    let door = try #require(DoorNumber(rawValue: 3))
    let hintRoot = try #require(HintRoot(testBytes(1)))
    let hintSecret = Block(high: 5, low: 6)
    let keys = (0..<40).map { CredentialKeys(frameKey: Block(high: 1, low: $0), hintSecret: hintSecret) }
    let table = try KeyTable([
      try DoorKeys(
        number: door, hintRoot: hintRoot, beaconKey: BeaconKey(.zero),
        frameKeys: SecretBytes(copying: keys.flatMap(\.frameKey.bytes)),
        hintSecrets: SecretBytes(copying: keys.flatMap(\.hintSecret.bytes)))
    ])
    let index = try HintIndex.build(table, from: nil, epochs: [.time(slot: 1, doors: 1), .time(slot: 2, doors: 1)])
    for (number, keys) in keys.enumerated() {
      for slot in UInt64(1)...2 {
        let exchange = try Exchange(keys: keys, hintRoot: hintRoot, door: door, freshness: .time(slot: slot))
        let command = try index.command(try exchange.seal(.sample))
        #expect(command?.key == number && command?.freshness == .time(slot: slot))
      }
    }
    let stranger = try Exchange(
      keys: CredentialKeys(frameKey: Block(high: 9, low: 9), hintSecret: hintSecret), hintRoot: hintRoot, door: door,
      freshness: .time(slot: 1))
    #expect(try index.verdict(try stranger.seal(.sample)) == .forged)
  }

  @Test("without credentials, and without epochs, everything is foreign", arguments: [[], [0], [0, 0]])
  func nothing(counts: [Int]) throws {
    let doors = try TestTable(counts)
    let one = try TestTable([1])
    var random = Pseudorandom(seed: 2)
    let indexes = [
      try HintIndex.build(doors.table, from: nil, epochs: [doors.slot(1)]),
      try HintIndex.build(doors.table, from: nil, epochs: []), try HintIndex.build(one.table, from: nil, epochs: []),
    ]
    for index in indexes {
      #expect(try index.verdict(one.frame(key: 0, .time(slot: 1))) == .foreign)
      for _ in 0..<1_000 {
        #expect(try index.verdict(Frame(high: random.next(), low: random.next())) == .foreign)
      }
    }
  }

  @Test("an index is used on several threads while the next one is built from it")
  func concurrentUse() async throws {
    let doors = try TestTable([2_000])
    let current = Current(try HintIndex.build(doors.table, from: nil, epochs: (0...4).map(doors.slot)))
    let frames = try (0..<2_000).map { try doors.frame(key: $0, .time(slot: 4)) }
    // Slot 4 is in every index of these.
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for slot in UInt64(1)...4 {
          let index = current.index
          let next = try HintIndex.build(doors.table, from: index, epochs: (slot...(slot + 4)).map(doors.slot))
          current.index = next
        }
      }
      for _ in 0..<3 {
        group.addTask {
          var verifier = try FrameVerifier()
          for (key, frame) in frames.enumerated() {
            guard case .verified(let command) = try verifier.verify(frame, index: current.index) else {
              Issue.record("key \(key) isn't found")
              return
            }
            #expect(command.key == key)
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

/// The index that runs now, as a door's threads share it.
private final class Current: Sendable {
  private let stored: Mutex<HintIndex>

  init(_ index: HintIndex) { stored = Mutex(index) }

  var index: HintIndex {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}

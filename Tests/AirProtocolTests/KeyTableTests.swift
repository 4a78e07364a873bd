import AirProtocol
import LatchkeyCrypto
import Testing

struct KeyTableTests {
  @Test("keys are numbered through, door after door", arguments: [[], [0], [1], [3, 0, 2], [0, 0, 1], [2, 5, 1, 9]])
  func numbering(counts: [Int]) throws {
    let table = try TestTable(counts).table
    #expect(table.count == counts.reduce(0, +))
    var key = 0
    for (door, count) in counts.enumerated() {
      #expect(table.keys(ofDoor: door) == key..<(key + count))
      for number in key..<(key + count) { #expect(table.doorIndex(ofKey: number) == door) }
      key += count
    }
    #expect(table.keys(ofDoor: counts.count).isEmpty && table.keys(ofDoor: -1).isEmpty)
    #expect(table.doorIndex(ofKey: key) == nil && table.doorIndex(ofKey: -1) == nil)
    #expect(table.doorIndex(ofKey: .max) == nil && table.doorIndex(ofKey: .min) == nil)
  }

  @Test(
    "sections that aren't the same whole number of keys are refused",
    arguments: [(16, 0), (0, 16), (17, 17), (32, 16), (15, 15)])
  func unevenSections(frameKeys: Int, hintSecrets: Int) throws {
    let door = try #require(DoorNumber(rawValue: 7))
    #expect(throws: KeyTableError.unevenSections(door: door, frameKeys: frameKeys, hintSecrets: hintSecrets)) {
      try door.keys(testBytes(1, count: frameKeys), testBytes(2, count: hintSecrets))
    }
  }

  @Test("more keys than an entry can number are refused, however they are spread")
  func tooManyKeys() throws {
    let half = SecretBytes(copying: [UInt8](repeating: 0, count: KeyTable.limit / 2 * Block.size))
    let one = SecretBytes(copying: Block.zero)
    let doors = try (UInt16(1)...3).map { number in
      let bytes = number < 3 ? half : one
      return try #require(DoorNumber(rawValue: number)).keys(bytes, bytes)
    }
    #expect(try KeyTable(Array(doors.prefix(2))).count == KeyTable.limit)
    let error = KeyTableError.tooManyKeys(KeyTable.limit + 1)
    #expect(throws: error) { try KeyTable(doors) }
    #expect("\(error)" == "4194305 credentials at all doors together, expected at most 4194304")
  }

  @Test("a key's exchange is its holder's")
  func exchanges() throws {
    let doors = try TestTable([2, 0, 3])
    let freshness = Freshness.time(slot: 77)
    for key in 0..<5 {
      let frame = try doors.frame(key: key, freshness)
      for other in 0..<5 {
        let exchange = try #require(try doors.table.exchange(ofKey: other, freshness: freshness))
        #expect(try exchange.openCommand(frame) == (other == key ? .sample : nil))
      }
    }
    for key in [-1, 5, .max] { #expect(try doors.table.exchange(ofKey: key, freshness: freshness) == nil) }
  }
}

extension DoorNumber {
  fileprivate func keys(_ frameKeys: SecretBytes, _ hintSecrets: SecretBytes) throws -> DoorKeys {
    try DoorKeys(
      number: self, hintRoot: #require(HintRoot(testBytes(3))), beaconKey: BeaconKey(.zero), frameKeys: frameKeys,
      hintSecrets: hintSecrets)
  }
}

import Advertising
import AirProtocol
import Testing

struct AdvertisingDataTests {
  @Test("sizes with flags, as the protocol says", arguments: [(Carrier.uuid128, 21), (.name, 29), (.uuid16, 23)])
  func sizes(carrier: Carrier, size: Int) throws {
    let whole = try AdvertisingData(frame: sampleFrame, carrier: carrier, markers: .standard).bytes
    #expect(whole.count == size)
    #expect(whole.prefix(3) == [2, 1, 6])
    let bare = try AdvertisingData(frame: sampleFrame, carrier: carrier, markers: .standard, flags: false).bytes
    #expect(bare == Array(whole.dropFirst(3)))
  }

  @Test("the longest name marker just fits")
  func longestMarker() throws {
    let markers = try #require(CarrierMarkers(name: "DOOR", uuid16: 1))
    #expect(try AdvertisingData(frame: sampleFrame, carrier: .name, markers: markers).bytes.count == 31)
  }

  @Test("too much is refused, by how many bytes and of what")
  func structuresTooLong() throws {
    let name = ADStructure(.completeLocalName, Array("twelve chars".utf8))
    let frame = try ADStructure(frame: sampleFrame, carrier: .uuid128, markers: .standard)
    let error = #expect(throws: AdvertisingDataError.self) {
      try AdvertisingData(structures: [.flags, frame, name])
    }
    #expect(
      error.map { "\($0)" } == """
        4 bytes too many: flags 3 + list of 128-bit UUIDs 18 + name 14 = 35, and advertising data has at most 31
        """)
    #expect(
      try AdvertisingData(structures: [frame, ADStructure(.completeLocalName, Array("11 chars...".utf8))]).bytes.count
        == 31)
  }

  @Test("bytes as they are: at most 31", arguments: [0, 1, 31, 32, 500])
  func rawBytes(count: Int) throws {
    let bytes = [UInt8](repeating: 0xFF, count: count)
    if count <= 31 {
      #expect(try AdvertisingData(bytes: bytes).bytes == bytes)
    } else {
      let error = #expect(throws: AdvertisingDataError.bytesTooLong(count: count)) {
        try AdvertisingData(bytes: bytes)
      }
      #expect(
        error.map { "\($0)" } == "\(count - 31) bytes too many: \(count), and advertising data has at most 31")
    }
  }

  /// Words of the frame, what is said, and whether another sequence may help.
  static let repetitions: [([UInt16], String, Bool)] = [
    ([0xF5FF, 2, 3, 4, 5, 6, 7, 8], "16-bit UUIDs must differ, and the marker and word 1 are both F5FF", false),
    ([1, 2, 3, 4, 5, 6, 7, 0xF5FF], "16-bit UUIDs must differ, and the marker and word 8 are both F5FF", true),
    ([1, 2, 3, 0x0A, 5, 6, 0x0A, 8], "16-bit UUIDs must differ, and word 4 and word 7 are both 000A", true),
    // The marker at the first word counts before everything else.
    ([0xF5FF, 2, 2, 4, 5, 6, 7, 8], "16-bit UUIDs must differ, and the marker and word 1 are both F5FF", false),
  ]

  @Test("repeated words are refused by name", arguments: repetitions)
  func repeatedWords(words: [UInt16], text: String, anotherSequence: Bool) throws {
    let frame = try #require(Frame(bytes: words.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }))
    let error = #expect(throws: AdvertisingDataError.self) {
      try AdvertisingData(frame: frame, carrier: .uuid16, markers: .standard)
    }
    #expect(error.map { "\($0)" } == text)
    #expect(error?.mayFitUnderAnotherSequence == anotherSequence)
  }
}

import Advertising
import AirProtocol
import TestSupport
import Testing

struct FrameSearchTests {
  @Test("any bytes at all, of any length, never trap and give at most four frames")
  func randomBytes() {
    var random = SystemRandomNumberGenerator()
    for round in 0..<20_000 {
      // Half of them look like structures of the types that carry frames.
      var data = (0..<Int.random(in: 0...260, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if round % 2 == 0, data.count > 2 {
        data[0] = UInt8.random(in: 0...UInt8(min(255, data.count)), using: &random)
        data[1] = [1, 2, 3, 6, 7, 8, 9].randomElement(using: &random) ?? 7
      }
      let found = frames(in: data)
      #expect(found.count <= 4)
    }
  }

  @Test("truncated at every length, a frame is whole or absent", arguments: try Vectors.records("adverts"))
  func truncated(vector: VectorRecord) throws {
    let data = try vector.bytes("advertisingData")
    let markers = try markers(of: vector)
    let whole = frames(in: data, markers: markers)
    for length in 0..<data.count {
      let found = frames(in: Array(data.prefix(length)), markers: markers)
      #expect(found == Array(whole.prefix(found.count)))
    }
    #expect(frames(in: data + [0, 1, 2, 3], markers: markers) == whole)
  }

  @Test("every changed byte of an advert never traps", arguments: Carrier.allCases)
  func changedBytes(carrier: Carrier) throws {
    let data = try AdvertisingData(frame: sampleFrame, carrier: carrier, markers: .standard).bytes
    for index in data.indices {
      for value in UInt8.min...UInt8.max {
        var changed = data
        changed[index] = value
        #expect(frames(in: changed).count <= 1)
      }
    }
  }

  @Test("random frames come back from every carrier", arguments: Carrier.allCases)
  func roundTrips(carrier: Carrier) throws {
    let markers = try #require(CarrierMarkers(name: "q7Zx", uuid16: 0x1234))
    for _ in 0..<2_000 {
      let frame = Frame(high: .random(in: 0...(.max)), low: .random(in: 0...(.max)))
      guard let data = try? AdvertisingData(frame: frame, carrier: carrier, markers: markers) else { continue }
      #expect(frames(in: data.bytes, markers: markers) == [FoundFrame(frame: frame, carrier: carrier)])
    }
  }

  @Test("at most four frames of one report, in their order", arguments: 0...6)
  func limit(limit: Int) {
    let list = (0..<6).map { Frame(high: UInt64($0), low: 1) }
    let content = list.reduce(into: [UInt8]()) { $0 += $1.bytes.reversed() }
    let data = bytes(of: [ADStructure(.complete128BitUUIDs, content)])
    #expect(frames(in: data, limit: limit).map(\.frame) == Array(list.prefix(limit)))
    #expect(frames(in: data).count == 4)
  }

  @Test("the limit counts across structures and carriers")
  func mixedLimit() throws {
    let structures = try Carrier.allCases.map { try ADStructure(frame: sampleFrame, carrier: $0, markers: .standard) }
    let data = bytes(of: structures + structures)
    #expect(frames(in: data, limit: 6).count == 6)
    #expect(frames(in: data).map(\.carrier) == [.uuid128, .name, .uuid16, .uuid128])
  }

  @Test("a marker within a frame hides no frame behind it")
  func overlappingMarkers() {
    let data = bytes(of: [uuid16List([0xF5FF, 7, 0xF5FF, 1, 2, 3, 4, 5, 6, 7, 8])])
    #expect(frames(in: data).map(\.frame).contains(Frame(high: 0x0001_0002_0003_0004, low: 0x0005_0006_0007_0008)))
    #expect(frames(in: data).count == 2)
  }

  @Test("structures are handed over with type and content")
  func structures() {
    let data: [UInt8] = [2, 1, 6, 1, 0xFF, 3, 0x16, 8, 9, 5, 9, 1]
    var seen: [String] = []
    ADStructures.forEach(in: data.span) { type, content in
      seen.append("\(type):" + content.indices.map { "\(content[$0])" }.joined(separator: ","))
    }
    #expect(seen == ["flags:6", "type 0xFF:", "type 0x16:8,9"])
  }
}

import Advertising
import AirProtocol
import TestSupport
import Testing

struct VectorTests {
  @Test("every carrier of every frame, both ways", arguments: try Vectors.records("cases"))
  func carriers(vector: VectorRecord) throws {
    let markers = try markers(of: vector)
    let frame = try #require(Frame(bytes: try vector.bytes("commandFrame")))
    let expected = try vector.record("carriers")
    for carrier in Carrier.allCases {
      if expected.isNull(carrier.rawValue) {
        #expect(throws: AdvertisingDataError.self) {
          try AdvertisingData(frame: frame, carrier: carrier, markers: markers)
        }
        continue
      }
      let data = try AdvertisingData(frame: frame, carrier: carrier, markers: markers)
      #expect(hexadecimalText(data.bytes) == (try expected.text(carrier.rawValue)))
      #expect(frames(in: data.bytes, markers: markers) == [FoundFrame(frame: frame, carrier: carrier)])
    }
    #expect(frame.uuid128Text == (try expected.text("uuid128Text")))
    #expect(frame.nameText(markers: markers) == (try expected.text("nameText")))
    if !expected.isNull("uuid16Words") {
      let words = try expected.texts("uuid16Words").map { UInt16($0, radix: 16) }
      #expect(try frame.uuid16Words(markers: markers) == words)
    }
  }

  @Test("beacons travel as a UUID", arguments: try Vectors.records("beacons"))
  func beacons(vector: VectorRecord) throws {
    let frame = try #require(Frame(bytes: try vector.bytes("frame")))
    let data = try vector.bytes("advertisingData")
    #expect(try AdvertisingData(frame: frame, carrier: .uuid128, markers: .standard).bytes == data)
    #expect(frames(in: data) == [FoundFrame(frame: frame, carrier: .uuid128)])
  }

  @Test("frames in adverts of all kinds", arguments: try Vectors.records("adverts"))
  func adverts(vector: VectorRecord) throws {
    let found = frames(in: try vector.bytes("advertisingData"), markers: try markers(of: vector))
    #expect(found.map { hexadecimalText($0.frame.bytes) } == (try vector.texts("frames")))
  }
}

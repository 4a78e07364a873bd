import Advertising
import AirProtocol
import TestSupport
import Testing

/// A frame and the carrier it was found in.
struct FoundFrame: Hashable, CustomStringConvertible {
  let frame: Frame
  let carrier: Carrier

  var description: String { "\(frame) in \(carrier)" }
}

/// All frames in advertising data.
func frames(
  in data: [UInt8], markers: CarrierMarkers = .standard, limit: Int = FrameSearch.limit
) -> [FoundFrame] {
  var found: [FoundFrame] = []
  FrameSearch.forEachFrame(in: data.span, markers: markers, limit: limit) {
    found.append(FoundFrame(frame: $0, carrier: $1))
  }
  return found
}

func markers(of vector: VectorRecord) throws -> CarrierMarkers {
  try #require(
    CarrierMarkers(name: try vector.text("nameMarker"), uuid16: UInt16(try vector.number("uuid16Marker"))))
}

/// A frame whose nine words differ.
let sampleFrame = Frame(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)

/// Structures as bytes, without the limit of legacy advertising.
func bytes(of structures: [ADStructure]) -> [UInt8] {
  structures.reduce(into: []) { $0 += [UInt8($1.content.count + 1), $1.type.rawValue] + $1.content }
}

/// The words of a list of 16-bit UUIDs as a structure.
func uuid16List(_ words: [UInt16]) -> ADStructure {
  ADStructure(.complete16BitUUIDs, words.reduce(into: []) { $0 += [UInt8(truncatingIfNeeded: $1), UInt8($1 >> 8)] })
}

import Advertising
import AirProtocol

/// Carriers: the frames found are those that a sender with these bytes would have meant.
///
/// The first byte chooses the site's markers; the rest is advertising data.
func checkCarriers(_ input: [UInt8]) throws {
  var source = ByteSource(input)
  let markers = source.byte() & 1 == 0 ? CarrierMarkers.standard : try otherMarkers()
  let data = source.rest
  let all = frames(in: data, markers, limit: .max)
  let some = frames(in: data, markers, limit: FrameSearch.limit)
  try require(some == Array(all.prefix(FrameSearch.limit)), "the search ends behind so many frames and not before")

  for found in all {
    let made = Result { () throws(AdvertisingDataError) in
      try ADStructure(frame: found.frame, carrier: found.carrier, markers: markers)
    }
    switch made {
    case .success(let structure):
      try require(data.contains(structure.content), "a frame is found where its carrier stands")
      let advert = try AdvertisingData(structures: [.flags, structure]).bytes
      try require(frames(in: advert, markers, limit: .max) == [found], "what is sent again is found again")
    case .failure(.wordsRepeat):
      try require(found.carrier == .uuid16, "only words repeat")
    case .failure(let error):
      throw error
    }
  }
}

private struct Found: Equatable {
  let frame: Frame
  let carrier: Carrier
}

private func frames(in data: [UInt8], _ markers: CarrierMarkers, limit: Int) -> [Found] {
  var found: [Found] = []
  FrameSearch.forEachFrame(in: data.span, markers: markers, limit: limit) {
    found.append(Found(frame: $0, carrier: $1))
  }
  return found
}

private func otherMarkers() throws -> CarrierMarkers {
  guard let markers = CarrierMarkers(name: "q7Z", uuid16: 0x0102) else { throw BrokenProperty(description: "markers") }
  return markers
}

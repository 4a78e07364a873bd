import Advertising

/// AD structures: they are those that stand in the data, up to a zero length or one that overruns.
func checkStructures(_ data: [UInt8]) throws {
  var structures: [ADStructure] = []
  ADStructures.forEach(in: data.span) { structures.append(ADStructure($0, bytes($1))) }
  let made = structures.flatMap { [UInt8($0.content.count + 1), $0.type.rawValue] + $0.content }
  try require(data.starts(with: made), "structures are what stands in the data, without gaps")
  let rest = data[made.count...]
  if let length = rest.first, length > 0 {
    try require(rest.count <= Int(length), "a whole structure is handed on")
  }

  let again = Result { () throws(AdvertisingDataError) in try AdvertisingData(structures: structures).bytes }
  try require(
    again == (made.count <= AdvertisingData.limit ? .success(made) : .failure(.structuresTooLong(structures))),
    "structures are written as they were read, and no more than the format takes")
}

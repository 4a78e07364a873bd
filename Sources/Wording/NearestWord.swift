/// The known word that a mistyped one most likely meant; nil where none is near.
///
/// Near is at most one edit for each three characters, and at least one: an edit adds, drops or changes a character,
/// or swaps two neighbours (the optimal string alignment distance). Of several equally near the first is taken.
public func nearestWord(to word: String, among known: some Sequence<String>) -> String? {
  // A longer word is no typing mistake, and would cost time.
  guard word.utf8.count <= 100 else { return nil }
  let limit = max(1, word.utf8.count / 3)
  var best: (word: String, distance: Int)?
  for candidate in known {
    let distance = editDistance(Array(word.utf8), Array(candidate.utf8))
    if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
  }
  return best?.word
}

/// Fewest edits that make one word of the other (three rows of the classic table).
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var beforeLast = [Int](repeating: 0, count: right.count + 1)
  var last = Array(0...right.count)
  for i in left.indices {
    var row = [i + 1]
    for j in right.indices {
      var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
      if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { cost = min(cost, beforeLast[j - 1] + 1) }
      row.append(cost)
    }
    beforeLast = last
    last = row
  }
  return last[right.count]
}

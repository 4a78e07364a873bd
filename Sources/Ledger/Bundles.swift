internal import Database
internal import POSIX
internal import Wording

extension Ledger {
  /// The bundle that a door accepted last: the higher of what the state and the file beside it say.
  public func acceptedBundle(ofDoor door: UInt16) throws(LedgerError) -> AcceptedBundle? {
    try later(recordedBundle(ofDoor: door), SerialFile(path: serialPath).read()[door])
  }

  /// Refuses a bundle that isn't the newest that its door accepted; a look before anything is changed.
  ///
  /// - Throws: kind `bundleRefused`.
  public func check(_ bundle: AcceptedBundle, door: UInt16) throws(LedgerError) {
    guard let accepted = try acceptedBundle(ofDoor: door) else { return }
    if bundle.serial < accepted.serial {
      throw LedgerError(
        .bundleRefused, "serial \(bundle.serial) is lower than \(accepted.serial), which this door accepted before")
    }
    if bundle.serial == accepted.serial, bundle.digest != accepted.digest {
      throw LedgerError(
        .bundleRefused,
        "serial \(bundle.serial) is that of a bundle with other content, which this door accepted before")
    }
  }

  /// Records the bundles of these doors as accepted, all or none, in the state and in the file beside it.
  ///
  /// The serial is durable in both when this returns; where it throws, the bundles may count as accepted already.
  /// - Throws: kind `bundleRefused` where one isn't the newest, with nothing changed.
  public func accept(_ bundles: [UInt16: AcceptedBundle]) throws(LedgerError) {
    for (door, bundle) in bundles { try check(bundle, door: door) }
    try change(recorded: nil) { (store) throws(DatabaseError) in
      for (door, bundle) in bundles.sorted(by: { $0.key < $1.key }) {
        try store.connection.run(acceptance, door, bundle.serial, bundle.digest)
      }
    }
    let file = SerialFile(path: serialPath)
    var all = try file.read()
    for (door, bundle) in bundles { all[door] = later(all[door], bundle) }
    try file.write(all)
  }

  private var serialPath: String { path + ".serials" }

  private func recordedBundle(ofDoor door: UInt16) throws(LedgerError) -> AcceptedBundle? {
    try read { (store) throws(DatabaseError) in
      let query = "SELECT serial, digest FROM door WHERE number = ? AND serial IS NOT NULL"
      return try store.connection.prepare(query).first(door) { (row) throws(DatabaseError) in
        guard let bundle = AcceptedBundle(serial: try row.integer(0), digest: try row.blob(1)) else {
          throw row.unexpected(1, expected: "32 bytes")
        }
        return bundle
      }
    }
  }
}

private let acceptance = """
  INSERT INTO door (number, serial, digest) VALUES (?, ?, ?)
  ON CONFLICT (number) DO UPDATE SET serial = excluded.serial, digest = excluded.digest
  """

private func later(_ first: AcceptedBundle?, _ second: AcceptedBundle?) -> AcceptedBundle? {
  guard let first, let second else { return first ?? second }
  return second.serial > first.serial ? second : first
}

/// Accepted serials outside the state, so that restoring an old state brings no old bundle back.
///
/// A line a door, `number serial digest`, behind a line that names the format; replaced whole.
private struct SerialFile {
  private static let format = "latchkey-serials/1"
  let path: String

  func read() throws(LedgerError) -> [UInt16: AcceptedBundle] {
    let bytes: [UInt8]
    do throws(FileError) {
      guard try fileStatus(path) != nil else { return [:] }
      bytes = try readFile(path, limit: 8 << 20)
    } catch {
      throw LedgerError(error)
    }
    var bundles: [UInt16: AcceptedBundle] = [:]
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first == Self.format[...] else { throw damaged(1, "\"\(Self.format)\"") }
    guard lines.last == "" else { throw damaged(lines.count, "a line end") }
    for (index, line) in lines.enumerated().dropFirst().dropLast() {
      let fields = line.split(separator: " ", omittingEmptySubsequences: false)
      guard fields.count == 3, let door = UInt16(fields[0]), let serial = Int64(fields[1]),
        let digest = Hexadecimal.bytes(fields[2]), let bundle = AcceptedBundle(serial: serial, digest: digest),
        bundles.updateValue(bundle, forKey: door) == nil
      else { throw damaged(index + 1, "\"door-number serial digest\"") }
    }
    return bundles
  }

  func write(_ bundles: [UInt16: AcceptedBundle]) throws(LedgerError) {
    var text = Self.format + "\n"
    for (door, bundle) in bundles.sorted(by: { $0.key < $1.key }) {
      text += "\(door) \(bundle.serial) \(Hexadecimal.text(bundle.digest))\n"
    }
    do throws(FileError) { try replaceFile(path, contents: Array(text.utf8)) } catch { throw LedgerError(error) }
  }

  private func damaged(_ line: Int, _ expected: String) -> LedgerError {
    LedgerError(.damaged, "\(path):\(line): expected \(expected); without this file the state's own serials count")
  }
}

/// Where what stands in a door bundle (docs/bundle-format.md).
enum BundleLayout {
  static let magic: [UInt8] = Array("LKbundle".utf8)
  static let version: UInt16 = 1

  // Offsets of the header's fields.
  static let versionAt = 8
  static let lengthAt = 10
  static let signerAt = 18
  static let siteAt = 50
  static let numberAt = 66
  static let serialAt = 68
  static let issuedAt = 76
  static let validUntilAt = 84
  static let slotSecondsAt = 92
  static let skewSlotsAt = 93
  static let challengeSecondsAt = 94
  static let nameMarkerLengthAt = 95
  static let nameMarkerAt = 96
  static let uuid16MarkerAt = 100
  static let hintRootAt = 102
  static let beaconKeyAt = 134
  static let countAt = 150
  static let heapLengthAt = 154
  static let doorLengthAt = 158
  static let doorNameLengthAt = 159
  static let siteNameLengthAt = 160
  static let zoneNameLengthAt = 161
  static let zoneDataLengthAt = 162

  static let headerSize = 164
  static let keySize = 16
  static let recordSize = 32
  static let digestSize = 32
  static let signatureSize = 64
  /// What is signed: this label and the SHA-256 digest of all that stands before the signature.
  static let signatureLabel: [UInt8] = Array("latchkey/1 bundle".utf8)

  /// No more keys than a daemon's key table has numbers for (22 bits, docs/protocol.md, "hint index").
  static let mostCredentials = 1 << 22
  /// More than that many credentials with the longest names take.
  static let longestFile = 1 << 31

  /// Bytes of a whole bundle.
  static func size(credentials: Int, heap: Int) -> Int {
    headerSize + credentials * (2 * keySize + recordSize) + heap + signatureSize
  }
}

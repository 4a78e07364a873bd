package import AccessControl
package import AirProtocol
package import LatchkeyCrypto

/// Rules of a bundle in the making, encoded as they come.
package struct BundleBody {
  private(set) var records: [UInt8] = []
  private(set) var heap: [UInt8]
  private(set) var count = 0

  /// Begins the heap with the texts of the header.
  package init(_ header: BundleHeader) {
    heap = Array(header.door.text.utf8) + Array(header.doorName.text.utf8) + Array(header.site.name.text.utf8)
    heap += Array(header.zone.name.utf8) + header.zone.bytes
  }

  /// Appends a rule; they come in rising order of their ids.
  package mutating func append(_ rule: CredentialRule) {
    RuleRecord(rule, heapOffset: UInt32(clamping: heap.count)).write(to: &records)
    heap += rule.id.text.utf8
    heap += rule.holder.text.utf8
    count += 1
  }
}

/// A door's own keys and those of its credentials, as a bundle carries them.
package struct BundleKeys {
  let hintRoot: HintRoot
  let beaconKey: BeaconKey
  /// All frame keys, then all hint secrets, 16 bytes each.
  let sections: SecretBytes

  package init(hintRoot: HintRoot, beaconKey: BeaconKey, sections: SecretBytes) {
    self.hintRoot = hintRoot
    self.beaconKey = beaconKey
    self.sections = sections
  }
}

/// The bytes of a signed bundle.
package func makeBundle(
  _ header: BundleHeader, _ keys: BundleKeys, _ body: BundleBody, signedBy signingKey: SigningKey
) throws(CryptoError) -> SecretBytes {
  let size = BundleLayout.size(credentials: body.count, heap: body.heap.count)
  guard keys.sections.count == body.count * 2 * BundleLayout.keySize, body.heap.count <= UInt32.max else {
    throw CryptoError(function: "makeBundle", reason: "\(keys.sections.count) bytes of keys for \(body.count) rules")
  }
  let fields = header.fields(size: size, signer: signingKey.verificationKey, body)
  return try SecretBytes(count: size) { (bytes: inout MutableSpan<UInt8>) throws(CryptoError) in
    var position = 0
    func append(_ part: Span<UInt8>) {
      for index in part.indices { bytes[position + index] = part[index] }
      position += part.count
    }
    append(fields.beforeKeys.span)
    keys.hintRoot.bytes.withBytes { append($0) }
    SecretBytes(copying: keys.beaconKey.block).withBytes { append($0) }
    append(fields.afterKeys.span)
    keys.sections.withBytes { append($0) }
    append(body.records.span)
    append(body.heap.span)
    let digest = try SHA256.digest(of: bytes.span.extracting(0..<position))
    let message = BundleLayout.signatureLabel + digest
    let signature = try signingKey.sign(message.span)
    append(signature.span)
  }
}

extension BundleHeader {
  /// The header's bytes before and behind the door's two keys.
  fileprivate func fields(
    size: Int, signer: VerificationKey, _ body: BundleBody
  ) -> (beforeKeys: [UInt8], afterKeys: [UInt8]) {
    var before = BundleLayout.magic
    before.append(bigEndian: BundleLayout.version)
    before.append(bigEndian: UInt64(size))
    before += signer.rawRepresentation
    before += site.id.bytes
    before.append(bigEndian: number.rawValue)
    before.append(bigEndian: serial)
    before.append(bigEndian: issuedAt)
    before.append(bigEndian: validUntil ?? 0)
    before += [site.slotClock.slotSeconds, site.slotClock.skewSlots, site.challengeSeconds].map(UInt8.init(clamping:))
    before.append(UInt8(clamping: site.markers.name.count))
    before += site.markers.name + [UInt8](repeating: 0, count: max(0, 4 - site.markers.name.count))
    before.append(bigEndian: site.markers.uuid16)

    var after: [UInt8] = []
    after.append(bigEndian: UInt32(clamping: body.count))
    after.append(bigEndian: UInt32(clamping: body.heap.count))
    let texts = [door.text, doorName.text, site.name.text, zone.name]
    after += texts.map { UInt8(clamping: $0.utf8.count) }
    after.append(bigEndian: UInt16(clamping: zone.bytes.count))
    return (before, after)
  }
}

internal import AccessControl
internal import AirProtocol
internal import LatchkeyCrypto

extension DoorBundle {
  /// Takes the bytes of a bundle apart, after its signature was found right.
  ///
  /// - Parameter expected: the only signer that is accepted; nil: the one that the bundle names.
  init(parsing bytes: SecretBytes, signer expected: VerificationKey?) throws(BundleError) {
    self = try bytes.withBytes { (span: Span<UInt8>) throws(BundleError) in
      try checkEnvelope(span)
      let signer = try Self.signer(span, expected)
      let digest = try Self.verifiedDigest(span, signer)
      return try DoorBundle(verified: span, signer: signer, digest: digest)
    }
  }

  private static func signer(
    _ bytes: Span<UInt8>, _ expected: VerificationKey?
  ) throws(BundleError) -> VerificationKey {
    let named = copy(bytes, BundleLayout.signerAt, VerificationKey.size)
    if let expected {
      guard named == expected.rawRepresentation else { throw .otherSigner }
      return expected
    }
    do throws(CryptoError) { return try VerificationKey(rawRepresentation: named) } catch { throw .crypto(error) }
  }

  /// The digest of what is signed, once the signature is found to be the signer's.
  private static func verifiedDigest(
    _ bytes: Span<UInt8>, _ signer: VerificationKey
  ) throws(BundleError) -> [UInt8] {
    let signed = bytes.count - BundleLayout.signatureSize
    let digest: [UInt8]
    do throws(CryptoError) { digest = try SHA256.digest(of: bytes.extracting(0..<signed)) } catch {
      throw .crypto(error)
    }
    let signature = copy(bytes, signed, BundleLayout.signatureSize)
    guard signer.isValidSignature(signature, of: (BundleLayout.signatureLabel + digest).span) else {
      throw .badSignature
    }
    return digest
  }

  /// Reads every field of bytes that are the signer's.
  private init(verified bytes: Span<UInt8>, signer: VerificationKey, digest: [UInt8]) throws(BundleError) {
    let count = Int(bytes.integer(at: BundleLayout.countAt, as: UInt32.self))
    let heapLength = Int(bytes.integer(at: BundleLayout.heapLengthAt, as: UInt32.self))
    guard count <= BundleLayout.mostCredentials else { throw .malformed("expected at most 4194304 credentials") }
    guard BundleLayout.size(credentials: count, heap: heapLength) == bytes.count else {
      throw .malformed("expected as many bytes as \(count) credentials and \(heapLength) bytes of names take")
    }
    let keys = BundleLayout.headerSize
    let secrets = keys + count * BundleLayout.keySize
    let records = secrets + count * BundleLayout.keySize
    let heap = records + count * BundleLayout.recordSize

    var texts = HeapReader(position: heap, end: heap + heapLength)
    header = try BundleHeader(reading: bytes, &texts)
    guard let hintRoot = HintRoot(secret(bytes, BundleLayout.hintRootAt, HintRoot.size)),
      let beaconKey = secret(bytes, BundleLayout.beaconKeyAt, BundleLayout.keySize).block(at: 0)
    else { throw .malformed("expected the door's keys") }
    self.hintRoot = hintRoot
    self.beaconKey = BeaconKey(beaconKey)
    frameKeys = secret(bytes, keys, secrets - keys)
    hintSecrets = secret(bytes, secrets, records - secrets)
    rules = try BundleRules(
      checking: bytes.extracting(records..<(heap + heapLength)), count: count, heapStart: texts.position - heap)
    self.signer = signer
    self.digest = digest
  }
}

/// What can be told before the signature: that it is a bundle of this format and as long as it says.
private func checkEnvelope(_ bytes: Span<UInt8>) throws(BundleError) {
  guard bytes.count >= BundleLayout.magic.count, copy(bytes, 0, BundleLayout.magic.count) == BundleLayout.magic else {
    throw .notABundle
  }
  let shortest = BundleLayout.size(credentials: 0, heap: 0)
  guard bytes.count >= BundleLayout.signerAt else { throw .length(expected: UInt64(shortest), found: bytes.count) }
  let version = bytes.integer(at: BundleLayout.versionAt, as: UInt16.self)
  guard version == BundleLayout.version else { throw .otherFormat(version) }
  let length = bytes.integer(at: BundleLayout.lengthAt, as: UInt64.self)
  guard bytes.count >= shortest, length == bytes.count else {
    throw .length(expected: max(length, UInt64(shortest)), found: bytes.count)
  }
}

/// Takes one text after another from the heap.
private struct HeapReader {
  var position: Int
  let end: Int

  /// The place of the next `count` bytes.
  mutating func next(_ count: Int, _ what: String) throws(BundleError) -> Range<Int> {
    guard count <= end - position else { throw .malformed("\(what): expected \(count) bytes of names") }
    defer { position += count }
    return position..<(position + count)
  }
}

extension BundleHeader {
  fileprivate init(reading bytes: Span<UInt8>, _ texts: inout HeapReader) throws(BundleError) {
    guard let number = DoorNumber(rawValue: bytes.integer(at: BundleLayout.numberAt)) else {
      throw .malformed("door number: expected 1 to 65535")
    }
    self.number = number
    serial = bytes.integer(at: BundleLayout.serialAt)
    guard serial >= 1 else { throw .malformed("serial: expected at least 1") }
    issuedAt = bytes.integer(at: BundleLayout.issuedAt)
    let end: Int64 = bytes.integer(at: BundleLayout.validUntilAt)
    validUntil = end == 0 ? nil : end

    let doorText = try texts.next(Int(bytes[BundleLayout.doorLengthAt]), "door id")
    guard let door = Identifier(utf8: bytes.extracting(doorText)) else { throw .malformed("door id: expected an id") }
    self.door = door
    doorName = try name(bytes, try texts.next(Int(bytes[BundleLayout.doorNameLengthAt]), "door name"), "door name")
    let site = try name(bytes, try texts.next(Int(bytes[BundleLayout.siteNameLengthAt]), "site name"), "site name")
    self.site = try profile(bytes, name: site)

    let zoneName = try texts.next(Int(bytes[BundleLayout.zoneNameLengthAt]), "time zone")
    let length = Int(bytes.integer(at: BundleLayout.zoneDataLengthAt, as: UInt16.self))
    let zoneData = try texts.next(length, "time zone data")
    do throws(TimeZoneError) {
      zone = try TimeZoneData(
        name: text(bytes, zoneName), bytes: copy(bytes, zoneData.lowerBound, zoneData.count))
    } catch {
      throw .malformed("time zone: \(error)")
    }
  }
}

private func profile(_ bytes: Span<UInt8>, name: DisplayName) throws(BundleError) -> SiteProfile {
  let clock = SlotClock(
    slotSeconds: Int(bytes[BundleLayout.slotSecondsAt]), skewSlots: Int(bytes[BundleLayout.skewSlotsAt]))
  guard let clock else { throw .malformed("slots: expected 1 to 60 seconds and a skew of 0 to 5") }

  let length = Int(bytes[BundleLayout.nameMarkerLengthAt])
  let marker = copy(bytes, BundleLayout.nameMarkerAt, 4)
  guard length <= marker.count, marker[length...].allSatisfy({ $0 == 0 }),
    let markers = CarrierMarkers(
      name: String(decoding: marker[..<length], as: UTF8.self),
      uuid16: bytes.integer(at: BundleLayout.uuid16MarkerAt))
  else { throw .malformed("name marker: expected 2 to 4 characters of A-Z a-z 0-9") }

  guard let id = SiteID(bytes: copy(bytes, BundleLayout.siteAt, 16)),
    let profile = SiteProfile(
      id: id, name: name, slotClock: clock, challengeSeconds: Int(bytes[BundleLayout.challengeSecondsAt]),
      markers: markers)
  else { throw .malformed("challenge: expected 1 to 60 seconds") }
  return profile
}

private func name(_ bytes: Span<UInt8>, _ range: Range<Int>, _ what: String) throws(BundleError) -> DisplayName {
  guard isDisplayName(bytes, range) else { throw .malformed("\(what): expected a name") }
  do throws(DisplayNameError) { return try DisplayName(text(bytes, range)) } catch {
    throw .malformed("\(what): \(error)")
  }
}

/// A copy of bytes that aren't secret.
private func copy(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> [UInt8] {
  (start..<(start + count)).map { bytes[$0] }
}

/// A copy of secret bytes, so that the file's own memory can end.
private func secret(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> SecretBytes {
  SecretBytes(copying: bytes.extracting(start..<(start + count)))
}

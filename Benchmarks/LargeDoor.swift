internal import AccessControl
internal import AirProtocol
internal import DoorController
internal import JSON
internal import LatchkeyCrypto
internal import POSIX
internal import Provisioning

/// A door's bundle and configuration on disk, with as many credentials as wanted, made without a site's database.
///
/// Ids and names have 14 bytes each; keys are random.
struct LargeDoor {
  let credentials: Int
  let folder: ScratchDirectory
  let configurationPath: String

  /// Its radio is the socket `radio` in the folder.
  ///
  /// - Parameters:
  ///   - slotSeconds: so long, unless told otherwise, that no slot ends within a measurement.
  ///   - directory: where the folder is made; nil: where scratch files are.
  init(credentials: Int, slotSeconds: Int = 60, in directory: String? = nil) throws {
    self.credentials = credentials
    folder = try ScratchDirectory(prefix: "latchkey-bench", in: directory)
    configurationPath = folder.path + "/latchkeyd.yaml"
    let signingKey = try SigningKey.generate()
    let bundle = try Self.bundle(credentials, slotSeconds, signingKey)
    try bundle.withBytes { try createFile(folder.path + "/front.bundle", contents: $0) }
    let lines = [
      "radio: unix:\(folder.path)/radio",
      "site-key: \(Base64URL.encode(signingKey.verificationKey.rawRepresentation))", "state: state.db",
      "volatile: \(folder.path)", "clock: battery", "doors:", "  front:", "    bundle: front.bundle",
      "    lock: { dry-run: {} }", "    freshness: time",
    ]
    try createFile(configurationPath, contents: Array((lines.joined(separator: "\n") + "\n").utf8))
  }

  /// The site that all of it belongs to.
  static func site(slotSeconds: Int = 60) throws -> SiteProfile {
    guard let id = SiteID(bytes: [UInt8](repeating: 7, count: 16)),
      let clock = SlotClock(slotSeconds: slotSeconds, skewSlots: 2),
      let site = SiteProfile(
        id: id, name: try DisplayName("Benchmark"), slotClock: clock, challengeSeconds: 2, markers: .standard)
    else { throw BenchmarkError("no site") }
    return site
  }

  static func door() throws -> (id: Identifier, number: DoorNumber) {
    guard let id = Identifier("front"), let number = DoorNumber(rawValue: 1) else { throw BenchmarkError("no door") }
    return (id, number)
  }

  private static func bundle(_ credentials: Int, _ slotSeconds: Int, _ signingKey: SigningKey) throws -> SecretBytes {
    let door = try door()
    let header = BundleHeader(
      site: try site(slotSeconds: slotSeconds), door: door.id, doorName: try DisplayName("Front door"),
      number: door.number, serial: 1,
      issuedAt: 1, validUntil: nil, zone: try TimeZoneData.load("Etc/UTC"))
    guard let hintRoot = HintRoot(try SystemRandom.bytes(HintRoot.size)) else { throw BenchmarkError("no root") }
    let keys = BundleKeys(
      hintRoot: hintRoot, beaconKey: BeaconKey(.zero),
      sections: try SystemRandom.bytes(credentials * 2 * Block.size))
    var body = BundleBody(header)
    for number in 0..<credentials {
      let digits = "\(10_000_000 + number)".dropFirst()
      guard let id = Identifier("holder-\(digits)") else { throw BenchmarkError("no id") }
      body.append(
        try CredentialRule(
          id: id, holder: DisplayName("Holder \(digits)"), status: .active, permissions: [.unlock, .status],
          freshness: .time, validFrom: nil, validUntil: nil, uses: nil))
    }
    return try makeBundle(header, keys, body, signedBy: signingKey)
  }
}

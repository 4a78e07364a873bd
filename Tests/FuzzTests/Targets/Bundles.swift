import AccessControl
import LatchkeyCrypto

@testable import Provisioning

/// Door bundles, first as they come, then with envelope and signature set right, so that what is behind is reached.
func checkBundle(_ input: [UInt8]) throws {
  let key = try bundleKey.get()
  if case .success(let bundle) = verify(input, key) { try checkFields(of: bundle, input, key) }

  let signed = try setRight(input, key)
  switch verify(signed, key) {
  case .success(let bundle): try checkFields(of: bundle, signed, key)
  case .failure(.malformed), .failure(.otherDoor): break
  case .failure(let error): throw BrokenProperty(description: "a signed bundle is refused: \(error)")
  }
}

/// The key of the tests' site, the same in every run.
let bundleKey = Result {
  try SigningKey(rawRepresentation: SecretBytes(copying: [UInt8](repeating: 0x4C, count: SigningKey.size)))
}

private func verify(_ bytes: [UInt8], _ key: SigningKey) -> Result<DoorBundle, BundleError> {
  Result { () throws(BundleError) in
    guard let front = Identifier("front") else { throw .notABundle }
    return try DoorBundle.verify(SecretBytes(copying: bytes), siteKey: key.verificationKey, door: front)
  }
}

/// The same bytes with the magic, version, length and signer of a bundle, and signed.
private func setRight(_ input: [UInt8], _ key: SigningKey) throws -> [UInt8] {
  let padding = [UInt8](repeating: 0, count: max(0, BundleLayout.size(credentials: 0, heap: 0) - input.count))
  var bytes = Array((input + padding).dropLast(BundleLayout.signatureSize))
  var envelope = BundleLayout.magic
  envelope.append(bigEndian: BundleLayout.version)
  envelope.append(bigEndian: UInt64(bytes.count + BundleLayout.signatureSize))
  envelope += key.verificationKey.rawRepresentation
  bytes.replaceSubrange(0..<envelope.count, with: envelope)
  let message = BundleLayout.signatureLabel + (try SHA256.digest(of: bytes.span))
  return bytes + (try key.sign(message.span))
}

/// Every rule can be read and found, and the bundle written from its fields is the same one.
private func checkFields(of bundle: DoorBundle, _ bytes: [UInt8], _ key: SigningKey) throws {
  try require(bundle.signer == key.verificationKey, "only the site's bundles are taken")
  try require(bundle.frameKeys.blockCount == bundle.rules.count, "each rule has a frame key")
  try require(bundle.hintSecrets.blockCount == bundle.rules.count, "each rule has a hint secret")
  var body = BundleBody(bundle.header)
  for index in 0..<bundle.rules.count {
    guard let rule = bundle.rules[index] else { throw BrokenProperty(description: "every rule can be read") }
    try require(bundle.rules.index(of: rule.id) == index, "every rule is found by its id")
    body.append(rule)
  }
  try require(bundle.rules[bundle.rules.count] == nil, "there is no rule behind the last")
  try require(bundle.differences(to: bundle).isEmpty, "a bundle doesn't differ from itself")

  let sections = [bundle.frameKeys, bundle.hintSecrets].flatMap {
    $0.withBytes { span in span.indices.map { span[$0] } }
  }
  let keys = BundleKeys(
    hintRoot: bundle.hintRoot, beaconKey: bundle.beaconKey, sections: SecretBytes(copying: sections))
  let again = try makeBundle(bundle.header, keys, body, signedBy: key)
  try require(again == SecretBytes(copying: bytes), "a bundle is written as it was read")
}

// Tests/Vectors/air-protocol-1.json, as far as a holder has to do with it.

import Foundation

struct Vectors: Decodable {
  struct Case: Decodable {
    struct Carriers: Decodable {
      let uuid128Text: String
      let nameText: String
      let uuid16Words: [String]?
    }
    let siteID, siteKey, secret, mode, nameMarker: String
    let slotSeconds: Int64
    let uuid16Marker, target: UInt16
    let unixSeconds: Int64?
    let challenge: String?
    let freshness, frameKey, hintSecret, hintRoot, block: String
    let commandPlaintext, commandFrame, answerPlaintext, answerFrame: String
    let carriers: Carriers
  }
  struct Beacon: Decodable {
    let siteKey, beaconKey, challenge, frame: String
    let target: UInt16
    let state, slotLow: UInt8
  }
  struct RefusedBeacon: Decodable { let why, siteKey, frame: String }
  struct RefusedAnswer: Decodable {
    let why, commandFrame, frame: String
    let `case`: Int
  }
  let cases: [Case]
  let beacons: [Beacon]
  let refusedBeacons: [RefusedBeacon]
  let refusedAnswers: [RefusedAnswer]
}

extension Vectors.Case {
  func keys() throws -> LatchkeyDoorKeys {
    try LatchkeyDoorKeys(
      site: LatchkeySite(id: bytes(siteID), key: bytes(siteKey)), secret: bytes(secret), target: target)
  }

  func bound() throws -> LatchkeyFreshness {
    if let challenge { return try .challenge(bytes(challenge)) }
    return try .slot(unixSeconds: unixSeconds ?? 0, slotSeconds: slotSeconds)
  }
}

/// Bytes of hexadecimal text, with or without hyphens.
func bytes(_ text: String) -> [UInt8] {
  let digits = text.compactMap { $0.hexDigitValue }
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func hexText(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

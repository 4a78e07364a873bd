// What the core has to make of the vectors.

struct Checks {
  private(set) var count = 0
  private(set) var failures = 0

  mutating func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) {
    count += 1
    if value != expected {
      failures += 1
      print("\(what): \(value), and not \(expected)")
    }
  }

  mutating func expectRefused(_ what: String, _ body: () throws -> Void) {
    count += 1
    do {
      try body()
      failures += 1
      print("\(what): not refused")
    } catch {}
  }

  mutating func checkCase(_ number: Int, _ sample: Vectors.Case) throws {
    let keys = try sample.keys()
    let freshness = try sample.bound()
    expect(hexText(keys.frameKey), sample.frameKey, "case \(number), frameKey")
    expect(hexText(keys.hintSecret), sample.hintSecret, "case \(number), hintSecret")
    expect(hexText(keys.hintRoot), sample.hintRoot, "case \(number), hintRoot")
    expect(hexText(freshness.bytes), sample.freshness, "case \(number), freshness")
    expect(hexText(try keys.block(freshness)), sample.block, "case \(number), block")

    let plain = bytes(sample.commandPlaintext)
    guard let command = LatchkeyCommand(rawValue: plain[1]) else {
      return expect(plain[1], 1, "case \(number), command")
    }
    let frame = try keys.seal(
      command, argument: plain[2], freshness: freshness, sequence: plain[0],
      press: plain[4], wantsAnswer: plain[3] == 1)
    expect(hexText(frame), sample.commandFrame, "case \(number), command")
    expect(LatchkeyCarrier.uuid128(frame), sample.carriers.uuid128Text, "case \(number), uuid128")
    expect(LatchkeyCarrier.name(frame, marker: sample.nameMarker), sample.carriers.nameText, "case \(number), name")
    expect(
      LatchkeyCarrier.uuid16(frame, marker: sample.uuid16Marker), sample.carriers.uuid16Words, "case \(number), uuid16")

    let answer = bytes(sample.answerFrame)
    let told = bytes(sample.answerPlaintext)
    let expected = LatchkeyAnswer(result: told[0], state: told[1], detail: UInt16(told[2]) << 8 | UInt16(told[3]))
    expect(try keys.openAnswer(answer, to: frame, freshness: freshness), expected, "case \(number), answer")
    for bit in 0..<128 {
      var wrong = answer
      wrong[bit / 8] ^= 1 << UInt8(bit % 8)
      expect(try keys.openAnswer(wrong, to: frame, freshness: freshness), nil, "case \(number), answer, bit \(bit)")
    }
  }

  mutating func checkBeacons(_ vectors: Vectors) throws {
    for (number, sample) in vectors.beacons.enumerated() {
      let site = try LatchkeySite(id: bytes(vectors.cases[0].siteID), key: bytes(sample.siteKey))
      expect(hexText(site.beaconKey), sample.beaconKey, "beacon \(number), key")
      let expected = LatchkeyBeacon(
        challenge: bytes(sample.challenge), target: sample.target, doorState: sample.state & 0x0F,
        takesTime: sample.state & 0x40 != 0, isOpen: sample.state & 0x80 != 0, slotLow: sample.slotLow)
      expect(try site.openBeacon(bytes(sample.frame)), expected, "beacon \(number)")
    }
    for sample in vectors.refusedBeacons {
      let site = try LatchkeySite(id: bytes(vectors.cases[0].siteID), key: bytes(sample.siteKey))
      expect(try site.openBeacon(bytes(sample.frame)), nil, "beacon, \(sample.why)")
    }
    let beacon = LatchkeyBeacon(
      challenge: [], target: 1, doorState: 1, takesTime: true, isOpen: false, slotLow: 2)
    expect(beacon.slotsAhead(of: try .slot(unixSeconds: 0x1FF, slotSeconds: 1)), 3, "slots ahead")
    expect(beacon.slotsAhead(of: try .slot(unixSeconds: 0x205, slotSeconds: 1)), -3, "slots behind")
  }

  mutating func checkRefusals(_ vectors: Vectors) throws {
    for sample in vectors.refusedAnswers {
      let other = vectors.cases[sample.case]
      let answer = try other.keys().openAnswer(
        bytes(sample.frame), to: bytes(sample.commandFrame), freshness: other.bound())
      expect(answer, nil, "answer, \(sample.why)")
    }
    let keys = try vectors.cases[0].keys()
    let slot = try LatchkeyFreshness.slot(unixSeconds: 0, slotSeconds: 5)
    expectRefused("lock with an argument") {
      _ = try keys.seal(.lock, argument: 1, freshness: slot, sequence: 0, press: 0)
    }
    expectRefused("a slot as a challenge") { _ = try LatchkeyFreshness.challenge([0, 1, 2, 3, 4, 5, 6, 7]) }
    expectRefused("a short challenge") { _ = try LatchkeyFreshness.challenge([0x80]) }
    expectRefused("no slot length") { _ = try LatchkeyFreshness.slot(unixSeconds: 0, slotSeconds: 0) }
    expectRefused("door 0") {
      _ = try LatchkeyDoorKeys(
        site: LatchkeySite(id: [UInt8](repeating: 0, count: 16), key: [UInt8](repeating: 0, count: 32)),
        secret: [UInt8](repeating: 0, count: 32), target: 0)
    }
    expectRefused("a short key") { _ = try LatchkeySite(id: [], key: []) }
  }
}

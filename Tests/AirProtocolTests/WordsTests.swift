import AirProtocol
import LatchkeyCrypto
import Testing

struct SlotClockTests {
  @Test(
    "slots are whole divisions of Unix time",
    arguments: [
      (5, Int64(0), UInt64(0)), (5, 4, 0), (5, 5, 1), (1, 1_800_000_000, 1_800_000_000), (60, 119, 1), (5, -1, 0),
      (5, .min, 0), (1, .max, UInt64(Int64.max)),
    ])
  func slots(seconds: Int, time: Int64, slot: UInt64) throws {
    let clock = try #require(SlotClock(slotSeconds: seconds))
    #expect(clock.slot(at: time) == slot)
    #expect(clock.start(ofSlot: slot) <= max(0, time))
  }

  @Test(
    "accepted slots lie on both sides and end where slots end",
    arguments: [
      (2, UInt64(100), UInt64(98)...UInt64(102)), (0, 100, 100...100), (2, 1, 0...3), (5, 0, 0...5),
      (2, SlotClock.lastSlot, (SlotClock.lastSlot - 2)...SlotClock.lastSlot),
      (2, UInt64.max, (SlotClock.lastSlot - 2)...SlotClock.lastSlot),
    ])
  func accepted(skew: Int, slot: UInt64, range: ClosedRange<UInt64>) throws {
    let clock = try #require(SlotClock(slotSeconds: 1, skewSlots: skew))
    #expect(clock.acceptedSlots(around: slot) == range)
    if slot <= SlotClock.lastSlot { #expect(clock.acceptedSlots(at: Int64(slot)) == range) }
  }

  @Test("values outside the ranges make no clock", arguments: [(0, 2), (61, 2), (-5, 2), (5, -1), (5, 6), (.max, 2)])
  func outside(seconds: Int, skew: Int) { #expect(SlotClock(slotSeconds: seconds, skewSlots: skew) == nil) }

  @Test("the start of a slot saturates")
  func start() throws {
    let clock = try #require(SlotClock(slotSeconds: 60))
    #expect(clock.start(ofSlot: 3) == 180)
    #expect(clock.start(ofSlot: SlotClock.lastSlot) == .max)
    #expect(clock.start(ofSlot: .max) == .max)
  }
}

struct FreshnessTests {
  @Test("the first bit tells a challenge from a slot", arguments: [0, 1, UInt64.max >> 1, 1 << 63, UInt64.max])
  func firstBit(bytes: UInt64) {
    #expect((Challenge(bytes: bytes) != nil) == (bytes >= 1 << 63))
    #expect(Freshness(bytes: bytes).bytes == bytes)
    #expect(Challenge(random: bytes).bytes == bytes | 1 << 63)
  }

  @Test("no slot becomes a challenge")
  func hugeSlot() {
    #expect(Freshness.time(slot: .max).bytes == UInt64.max >> 1)
  }
}

struct CommandTests {
  @Test("every pair of code and argument is one command or none")
  func allPairs() {
    var count = 0
    for code in UInt8.min...UInt8.max {
      for argument in UInt8.min...UInt8.max {
        guard let command = Command(code: code, argument: argument) else { continue }
        count += 1
        #expect(command.code == code && command.argument == argument)
        #expect(Command(name: command.name, argument: argument) == command)
      }
    }
    // Unlock and hold take any argument, lockdown two, the other four none.
    #expect(count == 256 + 256 + 2 + 4)
  }

  @Test("words that aren't commands", arguments: ["", "Unlock", "open", "unlock "])
  func unknownWord(word: String) { #expect(Command(name: word, argument: 0) == nil) }

  @Test("flag bits other than 0 make a frame malformed", arguments: UInt8.min...UInt8.max)
  func flags(flags: UInt8) {
    let plaintext = CommandPlaintext(sequence: 0, code: 1, argument: 0, flags: flags, press: 0)
    #expect((plaintext.command != nil) == (flags < 2))
    #expect(plaintext.wantsAnswer == (flags % 2 == 1))
  }
}

struct SiteIDTests {
  @Test("the text of a UUID, either case")
  func text() throws {
    let site = try #require(SiteID(text: "8DED4B41-24f1-6fb9-F79e-64bba2d7f109"))
    #expect(site.bytes.first == 0x8D && site.bytes.last == 9)
    #expect("\(site)" == "8ded4b41-24f1-6fb9-f79e-64bba2d7f109")
    #expect(SiteID(bytes: site.bytes) == site)
  }

  @Test(
    "what isn't one",
    arguments: [
      "", "8ded4b4124f16fb9f79e64bba2d7f109", "8ded4b41-24f1-6fb9-f79e-64bba2d7f10",
      "8ded4b41-24f1-6fb9-f79e-64bba2d7f10g",
      "8ded4b41-24f1-6fb9-f79e64-bba2d7f109", "{ded4b41-24f1-6fb9-f79e-64bba2d7f109",
      "8ded4b41-24f1-6fb9-f79e-64bba2d7f1099",
      "８ded4b41-24f1-6fb9-f79e-64bba2d7f1",
    ])
  func refused(text: String) { #expect(SiteID(text: text) == nil) }
}

struct SecretLengthTests {
  @Test("keys have 32 bytes", arguments: [0, 16, 31, 33, 64])
  func refused(count: Int) {
    let bytes = testBytes(1, count: count)
    #expect(SiteKey(bytes) == nil)
    #expect(CredentialSecret(bytes) == nil)
    #expect(HintRoot(bytes) == nil)
  }

  @Test("door 0 doesn't exist, in a type or in a beacon")
  func doorZero() {
    #expect(DoorNumber(rawValue: 0) == nil)
    #expect(DoorNumber(rawValue: 65535)?.rawValue == 65535)
  }
}

struct DoorStateTests {
  @Test("the state byte's bits", arguments: UInt8.min...UInt8.max)
  func bits(byte: UInt8) {
    let state = DoorStateByte(rawValue: byte)
    #expect(state.state.rawValue == byte & 15)
    #expect(state.clockTrusted == (byte & 0x40 != 0))
    #expect(state.doorOpen == (byte & 0x80 != 0))
    let sent = DoorStateByte(state.state, clockTrusted: state.clockTrusted, doorOpen: state.doorOpen)
    #expect(sent.rawValue == byte & 0xCF)
  }

  @Test(
    "a holder sees by how many slots the door is ahead", arguments: [(0, 0), (100, 5), (255, 1), (3, -4), (128, 127)])
  func slotsAhead(own: UInt64, ahead: Int) throws {
    let door = try #require(DoorNumber(rawValue: 1))
    let beacon = Beacon(
      challenge: Challenge(random: 0), door: door, state: DoorStateByte(.locked, clockTrusted: true),
      slotLow: UInt8(truncatingIfNeeded: Int(own) + ahead))
    #expect(beacon.slotsAhead(of: own + 512) == ahead)
  }

  @Test("numbers nobody knows are shown as numbers")
  func unknownNumbers() {
    #expect("\(AnswerResult(rawValue: 200))" == "result 200")
    #expect(DoorState(rawValue: 9).map { "\($0)" } == "state 9")
    #expect(DoorState(rawValue: 16) == nil)
  }
}

struct CarrierMarkersTests {
  @Test("two to four characters of [A-Za-z0-9]", arguments: ["LK", "a0Z", "DOOR"])
  func markers(text: String) { #expect(CarrierMarkers(name: text, uuid16: 0xF5FF)?.nameText == text) }

  @Test("anything else is none", arguments: ["", "L", "DOORS", "L-", "L ", "Lé", "L_", "ＬＫ"])
  func refused(text: String) { #expect(CarrierMarkers(name: text, uuid16: 0xF5FF) == nil) }

  @Test("the standard markers")
  func standard() {
    #expect(CarrierMarkers.standard == CarrierMarkers(name: "LK", uuid16: 62975))
  }
}

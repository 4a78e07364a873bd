import AirProtocol
import Holder
import JSON
import Provisioning
import TestSupport
import Testing

@Suite struct PayloadTests {
  @Test(arguments: try Vectors.records("cases"))
  func everyVectorInEveryForm(_ vector: VectorRecord) throws {
    let door = try heldDoor(of: vector)
    let bytes = try vector.bytes("commandPlaintext")
    let plaintext = CommandPlaintext(
      sequence: bytes[0], code: bytes[1], argument: bytes[2], flags: bytes[3], press: bytes[4])
    let freshness =
      try vector.text("mode") == "time"
      ? Freshness.time(slot: door.credential.site.slotClock.slot(at: try vector.number("unixSeconds")))
      : Freshness(bytes: try vector.word("challenge"))
    let json = try Payload(plaintext, to: door, under: freshness).json
    let carriers = try vector.record("carriers")
    let data = try present(json["advertisingData"])
    #expect(json["frame"]?.string == (try vector.text("commandFrame")))
    #expect(json["uuid128"]?.string == (try carriers.text("uuid128Text")))
    #expect(json["name"]?.string == (try carriers.text("nameText")))
    #expect(data["uuid128"]?.string == (try carriers.text("uuid128")))
    #expect(data["name"]?.string == (try carriers.text("name")))
    if carriers.isNull("uuid16") {
      #expect(json["uuid16"] == .null)
      #expect(data["uuid16"] == .null)
    } else {
      let words = try carriers.texts("uuid16Words").map { $0.lowercased() }
      #expect(json["uuid16"]?.array?.map(\.string) == words)
      #expect(data["uuid16"]?.string == (try carriers.text("uuid16")))
    }
  }
}

@Suite struct ExplanationTests {
  @Test(arguments: try Vectors.records("beacons"))
  func beaconsOfTheSite(_ vector: VectorRecord) throws {
    let sameSite = try Vectors.records("cases").first { try $0.text("siteKey") == (try vector.text("siteKey")) }
    let credential = try heldDoor(of: try present(sameSite)).credential
    let frame = try present(Frame(bytes: try vector.bytes("frame")))
    let explanation = try Explanation(of: frame, to: [credential]) { _ in [] }
    guard case .beacon(let beacon, _) = explanation else {
      Issue.record("\(explanation)")
      return
    }
    #expect(Int64(beacon.door.rawValue) == (try vector.number("target")))
    #expect(Int64(beacon.state.rawValue) == (try vector.number("state")))
  }

  @Test func commandsAndAnswersOfListedDoors() throws {
    let alice = try sampleCredential()
    let bob = try sampleCredential("bob", secret: 8)
    let door = HeldDoor(try present(alice.doors.last).number, of: alice)
    let freshness = Freshness.time(slot: 42)
    let exchange = try door.exchange(freshness)
    let plaintext = CommandPlaintext(sequence: 3, command: .lock, press: 9, wantsAnswer: true)
    let command = try exchange.seal(plaintext)
    let state = DoorStateByte(.locked, clockTrusted: true)
    let answer = try exchange.seal(Answer(result: .done, state: state), to: command)
    func explain(_ frame: Frame, _ credentials: [CredentialFile], _ slots: [UInt64] = [41, 42]) throws -> Explanation {
      try Explanation(of: frame, to: credentials) { _ in slots.map { .time(slot: $0) } }
    }

    guard case .command(plaintext, let found, freshness) = try explain(command, [bob, alice]) else {
      Issue.record("no command")
      return
    }
    #expect(found.id == "back" && found.credential.id == alice.id)
    guard case .answer = try explain(answer, [alice]) else {
      Issue.record("no answer")
      return
    }
    guard case .foreign = try explain(command, [bob]), case .foreign = try explain(command, [alice], [41, 43]),
      case .foreign = try explain(command, [])
    else {
      Issue.record("not foreign")
      return
    }
  }
}

@Suite struct HeldDoorTests {
  @Test func idsFirstThenNumbers() throws {
    let alice = try sampleCredential()
    #expect(try HeldDoor.find("front", among: [alice]).number.rawValue == 1)
    #expect(try HeldDoor.find("2", among: [alice]).id == "back")
    let unlisted = try HeldDoor.find("65535", among: [alice])
    #expect(unlisted.listed == nil && unlisted.id == "65535")
  }

  @Test(arguments: [
    (
      "frnt",
      "expected a door of the credential file (front, back) or a door number from 1 to 65535, not “frnt”; "
        + "did you mean “front”?"
    ),
    ("0", "expected a door of the credential file (front, back) or a door number from 1 to 65535, not “0”"),
    ("65536", "expected a door of the credential file (front, back) or a door number from 1 to 65535, not “65536”"),
    ("+1", "expected a door of the credential file (front, back) or a door number from 1 to 65535, not “+1”"),
  ])
  func refused(_ text: String, _ message: String) throws {
    let alice = try sampleCredential()
    let error = #expect(throws: DoorLookupError.self) { try HeldDoor.find(text, among: [alice]) }
    #expect(error?.description == message)
  }

  @Test(arguments: ["front", "1", "77"])
  func ofTwoCredentialsOneMustBeMeant(_ text: String) throws {
    let credentials = [try sampleCredential(), try sampleCredential("bob", secret: 8)]
    let error = #expect(throws: DoorLookupError.self) { try HeldDoor.find(text, among: credentials) }
    #expect(error?.description == "reached by several of the credentials (alice-phone, bob): give one of them")
  }
}

import AccessControl
import AirProtocol
import CommandLineTool
import JSON
import LatchkeyCrypto
import Provisioning
import Wording

private let name = Option("--name", "TEXT", .text, required: true, "the site's name, in any language")
private let zone = Option("--timezone", "ZONE", .text, required: true, "its IANA time zone, like Europe/Berlin")
private let slotSeconds = Option(
  "--slot-seconds", "N", .integer(in: SlotClock.slotSecondsRange),
  "length of a slot, fixed for the life of the site (default 5)")
private let skewSlots = Option(
  "--skew-slots", "N", .integer(in: SlotClock.skewSlotsRange), "slots a clock may be off, each way (default 2)")
private let challengeSeconds = Option(
  "--challenge-seconds", "N", .integer(in: SiteProfile.challengeSecondsRange),
  "seconds between two challenges of a door (default 2)")
private let nameMarker = Option(
  "--name-marker", "TEXT",
  ValueReader(expected: "2 to 4 characters of A-Z a-z 0-9") { CarrierMarkers(name: $0, uuid16: 0)?.nameText },
  "what frames in local names begin with (default LK)")
private let uuid16Marker = Option(
  "--uuid16-marker", "HEX", ValueReader<UInt16>.hexadecimal(digits: 4),
  "the 16-bit UUID that stands before a frame (default F5FF)")

let initialize = Subcommand(
  "init", "make a site with new keys",
  options: [name, zone, slotSeconds, skewSlots, challengeSeconds, nameMarker, uuid16Marker]
) { (arguments, output) throws(CommandError) in
  let directory = siteDirectory(arguments)
  let settings = try settings(arguments)
  let site: Site
  do throws(SiteError) { site = try Site.create(in: directory, settings, now: now()) } catch {
    throw CommandError(error)
  }
  let key = Base64URL.encode(site.verificationKey.rawRepresentation)
  output.say("site “\(site.profile.name)” in \(directory.printable)")
  output.say("public key for latchkeyd.yaml: \(key)")
  noteLongChallenges(settings, output)
  output.emit([
    "id": .string("\(site.profile.id)"), "name": .string(site.profile.name.text), "timezone": .string(site.zoneName),
    "directory": .string(directory), "publicKey": .string(key),
  ])
  return .done
}

/// A press may go out under the last challenge of an intent and count until that is over: a door must remember it so long.
private func noteLongChallenges(_ settings: Site.Settings, _ output: Output) {
  let intent: Int64 = 3
  let window = settings.slotClock.pressWindow.components.seconds
  guard intent + 2 * Int64(settings.challengeSeconds) > window else { return }
  output.note(
    "--challenge-seconds: a frame counts for twice as long, but a door remembers a press for \(window) s: one that is jammed and sent on "
      + "late could open twice; take \((window - intent) / 2) at most, or longer slots")
}

private func settings(_ arguments: Arguments) throws(CommandError) -> Site.Settings {
  let clock = SlotClock(slotSeconds: arguments[slotSeconds] ?? 5, skewSlots: arguments[skewSlots] ?? 2)
  let markers = CarrierMarkers(
    name: arguments[nameMarker] ?? CarrierMarkers.standard.nameText,
    uuid16: arguments[uuid16Marker] ?? CarrierMarkers.standard.uuid16)
  // The options' own ranges rule this out.
  guard let clock, let markers else { throw .usage("expected a slot of 1 to 60 seconds and a skew of 0 to 5") }
  let settings = Site.Settings(
    name: try displayName(try arguments.required(name), option: "--name"),
    zone: try zoneData(try arguments.required(zone)), slotClock: clock,
    challengeSeconds: arguments[challengeSeconds] ?? 2, markers: markers)
  guard let settings else { throw .usage("expected 1 to 60 seconds between two challenges") }
  return settings
}

private func zoneData(_ name: String) throws(CommandError) -> TimeZoneData {
  do throws(TimeZoneError) { return try timeZone(name) } catch {
    guard case .unknown = error, let near = nearestWord(to: name, among: TimeZoneData.names(in: zoneDirectory)) else {
      throw CommandError(error)
    }
    throw .usage("--timezone: unknown time zone “\(name)”; did you mean “\(near)”?")
  }
}

let publicKey = Subcommand(
  "public-key", "the site's Ed25519 key for `site-key` of latchkeyd.yaml, base64url"
) { (arguments, output) throws(CommandError) in
  let key = try withSite(arguments) { (site) throws(SiteError) in site.verificationKey }
  let text = Base64URL.encode(key.rawRepresentation)
  output.say(text)
  output.emit(["publicKey": .string(text)])
  return .done
}

internal import AccessControl
internal import HCI
internal import JSON
internal import POSIX

/// What a door has counted since its start (cli.md, "Counters").
///
/// Everything that isn't authentic ends here and nowhere else.
package struct Counters: Hashable, Sendable {
  /// Frames that no key here expects now; adverts without a frame are counted as reports only.
  package var foreign: UInt64 = 0
  /// Frames that were heard moments ago, and intents that were handled in another frame.
  var repeated: UInt64 = 0
  /// Frames whose hint fits a key and whose tag doesn't.
  ///
  /// Chance alone makes some.
  package var forged: UInt64 = 0
  var replayed: UInt64 = 0
  var malformed: UInt64 = 0
  var granted: UInt64 = 0
  private(set) var denied: UInt64 = 0
  /// The same by reason.
  private(set) var denials: [Reason: UInt64] = [:]
  /// Commands whose answer went on the air.
  var answered: UInt64 = 0
  /// Authentic frames beyond ten in ten seconds of one credential.
  var slowDown: UInt64 = 0
  /// Authentic frames of now that came weaker than their door's `min-rssi`: as if they hadn't been heard.
  var weak: UInt64 = 0
  /// Frames that OpenSSL failed on, which says nothing about them.
  var cryptoFailures: UInt64 = 0
  /// Records that the ledger couldn't take.
  var ledgerFailures: UInt64 = 0
  /// Movements that a lock couldn't do.
  var lockFailures: UInt64 = 0
  /// What doors saw of themselves, by its kind.
  var doorEvents: [DoorEvent.Kind: UInt64] = [:]
  /// What the radio's input was worth: `reports`, and one for each kind of broken input.
  var radio = RadioCounters()
  /// From a frame's arrival to its decision.
  var decisionLatency = LatencyHistogram()
  /// From a frame's arrival to the durable record of its decision; the lock is told next.
  var recordLatency = LatencyHistogram()

  mutating func countDenied(_ reason: Reason) {
    denied &+= 1
    denials[reason, default: 0] &+= 1
  }

  /// All counters as one JSON object, those of the contract first.
  var json: JSONObject {
    var object: JSONObject = [:]
    for (name, value) in radio.entries where name == "reports" { object[name] = .integer(Int64(clamping: value)) }
    let own: [(String, UInt64)] = [
      ("foreign", foreign), ("repeated", repeated), ("forged", forged), ("replayed", replayed),
      ("malformed", malformed), ("granted", granted), ("denied", denied), ("answered", answered),
      ("slowDown", slowDown), ("weak", weak),
      ("cryptoFailures", cryptoFailures), ("ledgerFailures", ledgerFailures), ("lockFailures", lockFailures),
    ]
    for (name, value) in own { object[name] = .integer(Int64(clamping: value)) }
    for (name, value) in radio.entries where name != "reports" { object[name] = .integer(Int64(clamping: value)) }
    return object
  }
}

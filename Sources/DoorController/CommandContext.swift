internal import AccessControl
internal import AirProtocol
internal import Ledger
internal import POSIX

/// An authentic frame with whose it is, for which door, and when it came.
struct CommandContext {
  let command: VerifiedCommand
  let door: RunningDoor
  let rule: CredentialRule
  let heard: BootInstant
  let wall: WallTime
}

/// What is to be written down and told about a frame.
struct CommandNote {
  let kind: DoorEvent.Kind
  let reason: Reason?
  /// Whether the credential's mark goes into the same transaction.
  let movesMark: Bool
  /// The result byte that the holder would be answered; nil for no answer, or where the lock is waited for.
  let result: UInt8?
  /// The id of the event that this one belongs to.
  let follows: Int64?
  let consumesUse: Bool
  /// The door's mode from now on; nil: as before.
  let mode: DoorMode?
  let detail: String?

  init(
    _ kind: DoorEvent.Kind, _ reason: Reason?, movesMark: Bool = false, result: UInt8? = nil,
    follows: Int64? = nil, consumesUse: Bool = false, mode: DoorMode? = nil, detail: String? = nil
  ) {
    self.kind = kind
    self.reason = reason
    self.movesMark = movesMark
    self.result = result
    self.follows = follows
    self.consumesUse = consumesUse
    self.mode = mode
    self.detail = detail
  }
}

extension CommandContext {
  /// The event about it, as it is told.
  func event(_ note: CommandNote) -> DoorEvent {
    var event = DoorEvent(time: wall, kind: note.kind)
    event.door = door.id.text
    event.credential = rule.id.text
    event.holder = rule.holder.text
    // The word of an unknown command is its number: it is authentic, so it may be shown.
    let plaintext = command.plaintext
    event.command = plaintext.command?.name ?? "\(plaintext.code)"
    event.argument = plaintext.argument
    event.freshness = command.freshness.isChallenge ? "challenge" : "time"
    event.sequence = plaintext.sequence
    event.reason = note.reason?.rawValue
    event.detail = note.detail
    return event
  }

  /// The same as it is kept.
  func ledgerEvent(_ note: CommandNote) -> LedgerEvent {
    var event = LedgerEvent(note.kind.rawValue, at: wall)
    event.door = door.id
    event.credential = rule.id
    event.holder = rule.holder
    let plaintext = command.plaintext
    event.command = plaintext.command?.permission
    event.argument = plaintext.argument
    event.byChallenge = command.freshness.isChallenge
    event.sequence = plaintext.sequence
    event.press = plaintext.press
    event.reason = note.reason
    event.result = note.result
    event.follows = note.follows
    event.detail = note.detail
    return event
  }
}

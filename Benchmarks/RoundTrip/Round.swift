package import HCI
package import POSIX

/// All that was seen of one holder's command: its process, what passed between either host and its controller, and
/// what the door told.
package struct Round {
  /// Before the holder's process was made.
  package var started: BootInstant
  /// When it was gone.
  package var ended: BootInstant
  package var holder: [TappedPacket]
  package var door: [TappedPacket]
  /// When the door told the grant, which is durable then; nil: it told none.
  package var granted: BootInstant?
  /// When the door told that the lock moved.
  package var moved: BootInstant?
  /// What the holder says that it sent.
  package var advert: [UInt8]
  /// How long the holder waits for a stronger beacon behind the first one.
  package var choice: Duration

  package init(
    started: BootInstant, ended: BootInstant, holder: [TappedPacket], door: [TappedPacket], granted: BootInstant?,
    moved: BootInstant?, advert: [UInt8], choice: Duration
  ) {
    self.started = started
    self.ended = ended
    self.holder = holder
    self.door = door
    self.granted = granted
    self.moved = moved
    self.advert = advert
    self.choice = choice
  }
}

/// Why the parts of a round can't be told.
package struct IncompleteRound: Error, Hashable, CustomStringConvertible {
  /// What wasn't seen.
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// The parts of a round trip, one behind the other.
package enum RoundPart: String, CaseIterable, Sendable {
  /// From before the process is made to its first HCI command.
  case processStart
  /// Between the replies and the commands behind them, until the holder listens.
  case radioSetUp
  /// The controller's replies to those commands.
  case setUpReplies
  /// Until the door's first beacon is heard.
  case beacon
  /// The protocol's wait for a stronger beacon.
  case choice
  /// The holder's share until the first advert is switched on: the frame, the durable note of it, the commands.
  case firstAdvert
  /// The controller's replies to those commands.
  case advertReplies
  /// From the command that switches it on to the door's host.
  case heard
  /// Until the decision is durable and told.
  case recorded
  /// Until the lock has moved, and that is told.
  case moved
  /// The door's share until the command that lets its controller send the answer.
  case answered
  /// The controller's replies until then: an answer takes a shorter interval than a beacon.
  case answerReplies
  /// From there to the holder's host.
  case delivered
  /// The holder's share until its process is gone, off the air.
  case left
  /// The controller's replies meanwhile.
  case leavingReplies

  /// Whether it is the programs' own time, not the radio's or the protocol's.
  package var isOurs: Bool {
    switch self {
    case .processStart, .radioSetUp, .firstAdvert, .recorded, .moved, .answered, .left: true
    case .setUpReplies, .beacon, .choice, .advertReplies, .heard, .answerReplies, .delivered, .leavingReplies: false
    }
  }
}

/// How long each part of a round took.
package struct RoundParts: Sendable {
  private let durations: [RoundPart: Duration]
  /// The commands until the holder listens, in their order.
  package let setUpCommands: [Opcode]

  package subscript(part: RoundPart) -> Duration { durations[part] ?? .zero }

  /// From before the process is made until it is gone.
  package var whole: Duration { RoundPart.allCases.reduce(.zero) { $0 + self[$1] } }

  /// The programs' own time.
  package var ours: Duration { RoundPart.allCases.filter(\.isOurs).reduce(.zero) { $0 + self[$1] } }

  /// Tells the parts of a round; they add up to all of it.
  ///
  /// - Parameter isBeacon: whether advertising data are a beacon of the door.
  package init(_ round: Round, isBeacon: ([UInt8]) -> Bool) throws(IncompleteRound) {
    let holder = Conversation(round.holder)
    guard let first = holder.commands.first else { throw IncompleteRound("the holder's first command") }
    guard let scan = holder.commands.first(where: { $0.packet.enables(Self.scanning) }), let listening = scan.reply
    else {
      throw IncompleteRound("the reply to the command to scan")
    }
    guard let begin = holder.commands.first(where: { $0.packet.moment >= listening })?.packet.moment,
      let on = holder.commands.first(where: { $0.packet.moment >= begin && $0.packet.enables(Self.advertising) })
    else { throw IncompleteRound("the command to advertise") }
    let sent = on.packet.moment
    guard let heardBeacon = round.holder.first(where: { $0.dataHeard.contains(where: isBeacon) })?.moment else {
      throw IncompleteRound("a beacon")
    }
    // A second beacon within that time changes nothing: it is counted from the first one.
    let chosen = heardBeacon + round.choice
    guard begin >= chosen else { throw IncompleteRound("the wait for a stronger beacon") }
    guard
      let heard = round.door.first(where: { $0.moment >= sent && $0.dataHeard.contains(round.advert) })?.moment
    else { throw IncompleteRound("the advert at the door") }
    guard let granted = round.granted, let moved = round.moved else { throw IncompleteRound("the door's own words") }
    let door = Conversation(round.door)
    let set = door.commands.firstIndex { $0.packet.moment >= heard && $0.packet.dataSet.map { !isBeacon($0) } ?? false }
    guard let set, let data = door.commands[set].packet.dataSet else { throw IncompleteRound("the answer at the door") }
    // Sent at once, or when advertising is switched on again behind a change of its interval.
    let switches = door.commands.filter { $0.packet.isOne(of: Self.advertising) }.map(\.packet)
    let setAt = door.commands[set].packet.moment
    let isOn = switches.last { $0.moment < setAt }?.enables(Self.advertising) ?? true
    guard let answer = isOn ? setAt : switches.first(where: { $0.moment > setAt })?.moment else {
      throw IncompleteRound("the command to send the answer")
    }
    guard let delivered = round.holder.first(where: { $0.moment >= answer && $0.dataHeard.contains(data) })?.moment
    else { throw IncompleteRound("the answer at the holder") }
    let answerReplies = door.waiting(from: moved, to: answer)
    let setUpReplies = holder.waiting(from: first.packet.moment, to: listening)
    let advertReplies = holder.waiting(from: chosen, to: sent)
    let leavingReplies = holder.waiting(from: delivered, to: round.ended)
    durations = [
      .processStart: first.packet.moment - round.started,
      .radioSetUp: listening - first.packet.moment - setUpReplies, .setUpReplies: setUpReplies,
      .beacon: heardBeacon - listening, .choice: chosen - heardBeacon,
      .firstAdvert: sent - chosen - advertReplies, .advertReplies: advertReplies,
      .heard: heard - sent,
      .recorded: granted - heard, .moved: moved - granted,
      .answered: answer - moved - answerReplies, .answerReplies: answerReplies, .delivered: delivered - answer,
      .left: round.ended - delivered - leavingReplies, .leavingReplies: leavingReplies,
    ]
    setUpCommands = holder.commands.map(\.packet).filter { $0.moment < listening }.compactMap(\.command)
  }

  private static let scanning: Set<Opcode> = [.leSetScanEnable, .leSetExtendedScanEnable]
  private static let advertising: Set<Opcode> = [.leSetAdvertisingEnable, .leSetExtendedAdvertisingEnable]
}

/// A host's commands, and when its controller replied to each: one is in flight at a time.
private struct Conversation {
  private(set) var commands: [(packet: TappedPacket, reply: BootInstant?)] = []

  init(_ packets: [TappedPacket]) {
    for packet in packets {
      if packet.command != nil {
        commands.append((packet, nil))
      } else if let command = packet.repliesTo, let last = commands.last, last.reply == nil,
        last.packet.command == command
      {
        commands[commands.count - 1].reply = packet.moment
      }
    }
  }

  /// How long the host waited for replies between two moments.
  func waiting(from start: BootInstant, to end: BootInstant) -> Duration {
    commands.reduce(.zero) { sum, command in
      let from = max(start, command.packet.moment)
      let to = min(end, command.reply ?? end)
      return from < to ? sum + (to - from) : sum
    }
  }
}

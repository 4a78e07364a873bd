internal import AccessControl
public import Advertising
public import AirProtocol
internal import LatchkeyCrypto
public import POSIX
internal import Provisioning

/// What a holder wants of a door, until it is over: one press, and a new frame for each slot that it lasts into
/// (protocol.md, "press", "sequence").
public struct Intent: Sendable {
  /// After so long a frame is followed by that of a later slot: a door answers a frame again for 4 s at most.
  public static let frameLife = Duration.seconds(4)

  /// What to do next.
  public enum Step: Hashable, Sendable {
    /// Send this from now on; that it was used is durable already.
    case transmit(Transmission)
    /// Go on with what is sent: the slot is still the same.
    case goOn
    /// Nothing may be sent before this slot begins: those until then are used up.
    case wait(untilSlot: UInt64)
  }

  public let command: Command
  public let door: HeldDoor
  /// What was made last to be sent, once something was.
  public private(set) var transmission: Transmission?
  /// By how many slots the clock was behind the credential's last use, where that is more than a door accepts.
  public private(set) var slotsBehind: UInt64?
  private let carrier: Carrier
  let wantsAnswer: Bool
  private let state: HolderStateFile

  /// An intent of which nothing was sent yet.
  ///
  /// - Parameter stateDirectory: where the credential's state lies, or will.
  public init(_ command: Command, to door: HeldDoor, carrier: Carrier, wantsAnswer: Bool, stateDirectory: String) {
    self.command = command
    self.door = door
    self.carrier = carrier
    self.wantsAnswer = wantsAnswer
    state = HolderStateFile(
      directory: stateDirectory, site: door.credential.site.id, credential: "\(door.credential.id)")
  }

  /// The slot of what is sent.
  private var slot: UInt64? { if case .time(let slot) = transmission?.freshness { slot } else { nil } }

  /// Decides what to send now by the clock, and makes it durable that it was used, before it is.
  public mutating func next(now: WallTime) throws(TransmissionError) -> Step {
    let clock = door.credential.site.slotClock
    let slot = clock.slot(at: now.seconds)
    let result: Result<(Step, UInt64?), TransmissionError>
    do throws(HolderStateError) {
      result = try state.update(now: slot) { [self] (state) throws(TransmissionError) in
        let behind = state[door.number].slotsBehind(now: slot, skewSlots: clock.skewSlots)
        return (try choose(&state, now: slot, skewSlots: clock.skewSlots), behind)
      }
    } catch {
      throw .state(error)
    }
    let (step, behind) = try result.get()
    slotsBehind = slotsBehind ?? behind
    if case .transmit(let transmission) = step { self.transmission = transmission }
    return step
  }

  /// The frame under a challenge, and that it was used is durable before it is sent; nil where an intent began under that
  /// challenge before, or no sequence serves.
  ///
  /// All frames of the intent have the same press, whatever their freshness.
  public mutating func next(under challenge: Challenge, now: WallTime) throws(TransmissionError) -> Transmission? {
    let clock = door.credential.site.slotClock
    let slot = clock.slot(at: now.seconds)
    let result: Result<Transmission?, TransmissionError>
    do throws(HolderStateError) {
      result = try state.update(now: slot) { [self] (state) throws(TransmissionError) in
        guard state.mayUse(challenge) else { return nil }
        let press = transmission?.plaintext.press ?? state.nextPress
        let transmission = try Transmission.first(
          command, press: press, wantsAnswer: wantsAnswer, to: door, under: .challenge(challenge),
          from: try firstSequence(), carrier: carrier)
        guard let transmission else { return nil }
        if self.transmission == nil { state.use(press: press) }
        state.use(challenge, at: door.number, now: slot, pause: door.credential.site.pauseAfterChallenge)
        return transmission
      }
    } catch {
      throw .state(error)
    }
    let next = try result.get()
    if let next { transmission = next }
    return next
  }

  /// Under a challenge sequences begin anywhere in 0…127, so that a second device of the same credential meets none.
  private func firstSequence() throws(TransmissionError) -> UInt8 {
    do throws(CryptoError) { return try SystemRandom.number(UInt8.self) & 0x7F } catch { throw .crypto(error) }
  }

  /// When to ask again: the frame has lived for `frameLife` and its slot is over.
  ///
  /// - Parameter sentAt: when the frame went on the air, by the two clocks.
  public func nextFrameDue(sentAt: (boot: BootInstant, wall: WallTime)) -> BootInstant? {
    guard let slot else { return nil }
    let start = door.credential.site.slotClock.start(ofSlot: slot + 1)
    let (seconds, overflow) = start.subtractingReportingOverflow(sentAt.wall.seconds)
    return sentAt.boot + max(Intent.frameLife, overflow ? .zero : .seconds(seconds))
  }

  private func choose(
    _ state: inout HolderState, now: UInt64, skewSlots: Int
  ) throws(TransmissionError) -> Step {
    let pause = door.credential.site.pauseAfterChallenge
    switch state[door.number].place(now: now, skewSlots: skewSlots, pause: pause) {
    case .notBefore(let slot): return transmission == nil ? .wait(untilSlot: slot) : .goOn
    // The same intent under the same freshness is the same frame.
    case .slot(let place, _) where place == slot: return .goOn
    case .slot(let place, let sequence):
      let press = transmission?.plaintext.press ?? state.nextPress
      let transmission = try Transmission.first(
        command, press: press, wantsAnswer: wantsAnswer, to: door, under: .time(slot: place), from: sequence,
        carrier: carrier)
      guard let transmission else { return .wait(untilSlot: place + 1) }
      // Later frames of an intent leave the press to intents that began meanwhile.
      if self.transmission == nil { state.use(press: press) }
      state.use(slot: place, sequence: transmission.plaintext.sequence, at: door.number)
      return .transmit(transmission)
    }
  }
}

extension SiteProfile {
  /// For how many slots a holder sends a door no time frame after a challenge frame (protocol.md, "sequence").
  ///
  /// The door lifts its time mark to skewSlots beyond its own slot, which may be skewSlots beyond the holder's. It does so
  /// when it hears the frame, as long as the challenge is live: two periods of it, however long the frame is sent.
  var pauseAfterChallenge: UInt64 {
    let live = 2 * challengeSeconds
    return UInt64(2 * slotClock.skewSlots + 1 + (live + slotClock.slotSeconds - 1) / slotClock.slotSeconds)
  }
}

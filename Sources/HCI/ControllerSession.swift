internal import POSIX

/// What one controller has been told since its last Reset, and the way from there to what is wanted.
///
/// Pure, and level-triggered: the next command follows from the difference between wanted and told, so that after a
/// Reset, which forgets everything, the same comparison lays all of it anew. A controller that others use as well isn't
/// reset: there the preparation alone begins anew.
struct ControllerSession: Sendable {
  /// What is in flight.
  private enum Step {
    case reset
    case prepare(Preparation)
    case setAddress(DeviceAddress)
    case advertise(Advertiser.Step)
    case scan(Scanner.Step)
    /// Asks whether it is alive, and then switches scanning off and on.
    case probe
  }

  /// Whether others use the controller at the same time.
  let isShared: Bool
  /// Which commands it is told to advertise and to scan with; may be changed before `begin`.
  var families: FamilyDecision
  private var host: HostController
  private var inFlight: Step?
  private var preparation: Preparation? = .first
  private var address: DeviceAddress?
  private var advertiser = Advertiser()
  private var scanner = Scanner()
  private var wantsProbe = false
  private var rotation = AdvertisingRotation()

  /// What the controller said of itself.
  private(set) var info = ControllerInfo()
  /// Whether it can be told things: the last Reset was answered, or none is needed.
  private(set) var hasBegun = false
  /// Whether the controller may be sending or scanning: it was told to, or no Reset was answered yet, so that what a
  /// predecessor left on may still be.
  private(set) var mayBeOnAir = true
  /// What was counted, to be taken by `takeCounters`.
  private var counters = RadioCounters()

  init(timings: Timings, families: FamilyDecision, isShared: Bool) {
    host = HostController(timings: timings)
    self.families = families
    self.isShared = isShared
  }

  /// When to look whether something is overdue.
  var deadline: BootInstant? { [host.deadline, rotation.deadline].compactMap(\.self).min() }

  /// What hasn't come by now, if anything.
  func overdue(now: BootInstant) -> RadioError? { host.overdue(now: now) }

  /// The counts since the last call.
  mutating func takeCounters() -> RadioCounters {
    defer { counters = RadioCounters() }
    return counters
  }

  /// Begins anew: with a Reset, in place of whatever is in flight, or with the first question where others use it.
  mutating func begin(now: BootInstant) -> HCICommand {
    preparation = .first
    address = nil
    advertiser.forget()
    scanner.forget()
    wantsProbe = false
    hasBegun = isShared
    if isShared { mayBeOnAir = true }
    return send(isShared ? .prepare(.first) : .reset, now)
  }

  /// The next command towards what is wanted, where one is needed and the controller takes it now.
  mutating func nextCommand(towards wanted: WantedState, now: BootInstant) -> HCICommand? {
    rotation.turn(
      plan(wanted), isShown: advertiser.shows(rotation.current), dwell: advertiser.interval(for: .fast20ms).dwell,
      now: now)
    guard host.isReady, inFlight == nil, hasBegun else { return nil }
    if let preparation { return send(.prepare(preparation), now) }
    if wantsProbe { return send(.probe, now) }
    return nextStep(towards: wanted).map { send($0, now) }
  }

  /// The next command on the way off the air; what isn't known to be off is switched off.
  mutating func nextFarewell(now: BootInstant) -> HCICommand? {
    guard host.isReady, inFlight == nil else { return nil }
    return nextStep(towards: nil).map { send($0, now) }
  }

  /// Asks the controller something; where it answers, scanning is switched off and on again (radio.md, 11).
  mutating func probe() { wantsProbe = true }

  /// Gives up advertising, where it may be, for what a refused command stood for.
  ///
  /// - Returns: whether that helps.
  mutating func giveUpAdvertising(_ wanted: WantedState) -> Bool {
    guard wanted.advertisingIsOptional, wanted.scan != nil, plan(wanted) != nil else { return false }
    info.onlyScans = true
    return true
  }

  /// Whether the controller has been told, and has taken, all that is wanted.
  func isSettled(_ wanted: WantedState) -> Bool {
    hasBegun && inFlight == nil && preparation == nil && !wantsProbe && nextStep(towards: wanted) == nil
  }

  /// Whether there is nothing left to switch off: known to be off, or nothing switched on since an answered Reset.
  var isQuiet: Bool { inFlight == nil && (nextStep(towards: nil) == nil || hasBegun && !mayBeOnAir) }

  /// Why it can never do what is wanted; nil where it can, or hasn't said yet what it is.
  func isBeyond(_ wanted: WantedState) -> RadioError? {
    guard hasBegun, preparation == nil else { return nil }
    // A controller that doesn't answer the question may still know it.
    if info.features != 0, !info.hasLowEnergy { return .noLowEnergy }
    if plan(wanted) != nil, wanted.pdu == .extended, info.family == .legacy { return .noExtendedAdvertising }
    return nil
  }

  /// Takes an event.
  ///
  /// - Returns: the fault that it means, if any.
  mutating func take(_ event: HCIEvent, now: BootInstant) -> RadioError? {
    switch event {
    case .other: counters.otherEvents &+= 1
    case .malformed: counters.malformedEvents &+= 1
    case .hardwareError(let code):
      counters.hardwareErrors &+= 1
      // During a Reset it is the past that speaks.
      return hasBegun ? .hardwareError(code) : nil
    case .complete, .status:
      switch host.take(event, now: now) {
      case .reply(let status, let parameters): return replied(status, parameters)
      case .progress: break
      case .unmatched: counters.unmatchedReplies &+= 1
      case .malformed: counters.malformedEvents &+= 1
      }
    }
    return nil
  }

  private mutating func send(_ step: Step, _ now: BootInstant) -> HCICommand {
    let command = command(of: step)
    switch step {
    case .advertise(.enable), .scan(.enable): mayBeOnAir = true
    default: break
    }
    inFlight = step
    host.sending(command.opcode, now: now)
    return command
  }

  private mutating func replied(_ status: ControllerStatus, _ parameters: [UInt8]) -> RadioError? {
    guard let step = inFlight else { return nil }
    inFlight = nil
    guard finished(step, status, parameters) else {
      counters.refusedCommands &+= 1
      return .refused(command(of: step).opcode, status)
    }
    if advertiser.isEnabled == false, scanner.isEnabled == false { mayBeOnAir = false }
    return nil
  }

  /// Notes what came of a step; false where it was refused and going on makes no sense.
  private mutating func finished(_ step: Step, _ status: ControllerStatus, _ parameters: [UInt8]) -> Bool {
    switch step {
    case .reset:
      hasBegun = status == .success
      if hasBegun { mayBeOnAir = false }
      return hasBegun
    case .prepare(let asked):
      guard status == .success || asked.mayBeRefused else { return false }
      noteAnswer(to: asked, status, parameters)
    case .setAddress(let address):
      // Who shares a controller that scans or advertises already goes by the address that it has.
      guard status == .success || isShared && status == .commandDisallowed else { return false }
      self.address = address
    case .advertise(let step): return advertiser.finished(step, status)
    case .scan(let step): return scanner.finished(step, status)
    case .probe:
      // Whatever it answers, it does answer.
      wantsProbe = false
      scanner.doubt()
    }
    return true
  }

  private mutating func noteAnswer(to asked: Preparation, _ status: ControllerStatus, _ parameters: [UInt8]) {
    if status == .success { asked.read(parameters, into: &info) }
    switch asked {
    case .readVersion where !info.mayAdvertiseFast: advertiser.useSlowInterval()
    case .readLEFeatures: info.family = families.family(of: info)
    // Off since the Reset; whoever refuses to switch it off once more means no more than that.
    case .stopAdvertising: _ = advertiser.finished(.disable, .success)
    case .stopScanning: _ = scanner.finished(.disable, .success)
    default: break
    }
    preparation = asked.next(isShared: isShared)
  }

  /// The address comes before advertising and scanning, and changes only while both are off (radio.md, 8).
  ///
  /// - Parameter wanted: nil: everything off, whatever the address.
  private func nextStep(towards wanted: WantedState?) -> Step? {
    let standing = wanted?.address == address ? wanted : nil
    if let step = advertiser.nextStep(towards: standing.flatMap(target)) { return .advertise(step) }
    if let wanted, wanted.address != address, scanner.isEnabled == false { return .setAddress(wanted.address) }
    return scanner.nextStep(towards: standing?.scan).map { .scan($0) }
  }

  private func target(_ wanted: WantedState) -> Advertiser.Target? {
    guard let plan = plan(wanted), let data = rotation.current else { return nil }
    return Advertiser.Target(
      data: data, interval: plan.interval, pdu: wanted.pdu, address: info.family == .extended ? wanted.address : nil)
  }

  private func plan(_ wanted: WantedState) -> AdvertisingPlan? { info.onlyScans ? nil : wanted.advertising }

  private func command(of step: Step) -> HCICommand {
    let set: AdvertisingHandle = isShared ? .shared : .own
    return switch step {
    case .reset: .reset
    case .prepare(let preparation): preparation.command(info, set)
    case .setAddress(let address): .leSetRandomAddress(address)
    case .advertise(let step): Advertiser.command(step, info.family, set)
    case .scan(let step): Scanner.command(step, info.family)
    case .probe: .readLocalVersion
    }
  }
}

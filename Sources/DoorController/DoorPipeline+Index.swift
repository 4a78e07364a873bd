internal import Advertising
internal import AirProtocol
internal import LatchkeyCrypto
internal import POSIX

/// What frames are expected under now, and the hint index of that.
extension DoorPipeline {
  /// Keeps the index at what is expected, and draws and sends challenges as theirs stands.
  func renewIndex(_ boot: BootInstant) {
    orderIndex()
    guard environment.air != nil else { return }
    // Twice, for an index that is built on the spot.
    for _ in 0..<2 {
      _ = challenges.advance(now: boot.sinceBoot) { keeper.expects($0) }
      guard challenges.draw(doors: doors.count, environment.random) else { return }
      orderIndex()
    }
  }

  /// Takes in what a recording shows the doors sending: frames under challenges of theirs count from then on.
  func sent(_ data: Span<UInt8>, at boot: BootInstant) {
    var isNew = false
    FrameSearch.forEachFrame(in: data, markers: rulebook.markers) { frame, carrier in
      guard carrier == .uuid128 else { return }
      for (index, door) in rulebook.table.doors.enumerated() {
        guard let beacon = try? door.beaconKey.open(frame), beacon.door == door.number else { continue }
        let observed = challenges.observe(
          beacon.challenge, door: index, of: rulebook.table.doors.count, now: boot.sinceBoot)
        isNew = isNew || observed
      }
    }
    if isNew { orderIndex() }
  }

  /// Takes an index that has become ready, and orders what is expected from now on.
  private func orderIndex() {
    do {
      try keeper.want(Self.epochs(of: rulebook, slot, challenges))
    } catch {
      // Without an index of this slot the door hears less and less; better told than silent.
      tell(.clock, detail: "no index of what is expected now: \(error)")
    }
  }

  /// What frames are expected under: the accepted slots and the one that comes next, and the challenges.
  static func epochs(of rulebook: Rulebook, _ slot: UInt64, _ challenges: ChallengeSeries) -> [Epoch] {
    let accepted = rulebook.clock.acceptedSlots(around: slot)
    let slots = accepted.lowerBound...min(accepted.upperBound &+ 1, SlotClock.lastSlot)
    return slots.map { Epoch.time(slot: $0, doors: rulebook.table.doors.count) } + challenges.epochs
  }
}

extension DoorPipeline.Environment {
  func makeKeeper(_ rulebook: Rulebook, _ slot: UInt64, _ challenges: ChallengeSeries) throws -> IndexKeeper {
    try IndexKeeper(
      table: rulebook.table, epochs: DoorPipeline.epochs(of: rulebook, slot, challenges),
      inBackground: buildsInBackground, onReady: onIndexReady)
  }
}

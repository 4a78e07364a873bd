import Advertising
import Testing

@testable import HCI

@Suite struct AdvertiserTests {
  /// Follows the steps with answers until there is nothing to do; the steps, or nil where a refusal was final.
  private func follow(
    _ advertiser: inout Advertiser, _ wanted: AdvertisingData?,
    _ answer: (Advertiser.Step) -> ControllerStatus = { _ in .success }
  ) -> [Advertiser.Step]? {
    var steps: [Advertiser.Step] = []
    while let step = advertiser.nextStep(towards: wanted.map { Advertiser.Target(data: $0) }), steps.count < 20 {
      steps.append(step)
      if !advertiser.finished(step, answer(step)) { return nil }
    }
    return steps
  }

  private let one: AdvertisingData
  private let two: AdvertisingData

  init() throws {
    one = try AdvertisingData(bytes: [1])
    two = try AdvertisingData(bytes: [2])
  }

  @Test func whatIsUnknownIsSwitchedOffFirst() {
    var advertiser = Advertiser()
    #expect(follow(&advertiser, nil) == [.disable])
    #expect(follow(&advertiser, nil) == [])
    advertiser.forget()
    #expect(follow(&advertiser, one) == [.disable, .setParameters(.fast20ms, .legacy), .setData(one), .enable])
    #expect(follow(&advertiser, one) == [])
  }

  @Test func dataChangesOnTheAir() {
    var advertiser = Advertiser()
    _ = follow(&advertiser, one)
    #expect(follow(&advertiser, two) == [.setData(two)])
    #expect(follow(&advertiser, nil) == [.disable])
    #expect(follow(&advertiser, two) == [.enable])
  }

  @Test(arguments: [ControllerStatus.unsupported, .invalidParameters])
  func where20msAreRefused100msAreTaken(_ refusal: ControllerStatus) {
    var advertiser = Advertiser()
    let steps = follow(&advertiser, one) { $0 == .setParameters(.fast20ms, .legacy) ? refusal : .success }
    #expect(
      steps == [
        .disable, .setParameters(.fast20ms, .legacy), .setParameters(.slow100ms, .legacy), .setData(one), .enable,
      ])
    // That stays known.
    advertiser.forget()
    #expect(follow(&advertiser, one) == [.disable, .setParameters(.slow100ms, .legacy), .setData(one), .enable])
  }

  @Test func someControllersRefuseOnlyTheBeginning() {
    var advertiser = Advertiser()
    var enables = 0
    let steps = follow(&advertiser, one) { step in
      if step == .enable { enables += 1 }
      return step == .enable && enables == 1 ? .invalidParameters : .success
    }
    #expect(
      steps == [
        .disable, .setParameters(.fast20ms, .legacy), .setData(one), .enable, .setParameters(.slow100ms, .legacy),
        .enable,
      ])
  }

  @Test func anOldControllerIsNotAskedFor20ms() {
    var advertiser = Advertiser()
    advertiser.useSlowInterval()
    #expect(follow(&advertiser, one) == [.disable, .setParameters(.slow100ms, .legacy), .setData(one), .enable])
  }

  @Test func otherRefusalsAreFinal() {
    for refused in [Advertiser.Step.setParameters(.slow100ms, .legacy), .setData(one), .enable] {
      var advertiser = Advertiser()
      advertiser.useSlowInterval()
      #expect(follow(&advertiser, one) { $0 == refused ? .invalidParameters : .success } == nil)
    }
    var advertiser = Advertiser()
    #expect(
      follow(&advertiser, one) { $0 == .setParameters(.fast20ms, .legacy) ? .commandDisallowed : .success } == nil)
    advertiser.forget()
    #expect(follow(&advertiser, nil) { _ in .commandDisallowed } == [.disable], "off is off")
    _ = follow(&advertiser, one)
    #expect(follow(&advertiser, nil) { _ in .commandDisallowed } == nil, "on isn't off")
    #expect(advertiser.isEnabled == true)
  }
}

@Suite struct ScannerTests {
  private func follow(_ scanner: inout Scanner, _ wanted: ScanMode?) -> [Scanner.Step] {
    var steps: [Scanner.Step] = []
    while let step = scanner.nextStep(towards: wanted), steps.count < 20 {
      steps.append(step)
      let isDone = scanner.finished(step, .success)
      #expect(isDone)
    }
    return steps
  }

  @Test func followsTheMode() {
    var scanner = Scanner()
    #expect(follow(&scanner, nil) == [.disable])
    #expect(follow(&scanner, .passive) == [.setParameters(.passive), .enable])
    #expect(follow(&scanner, .passive) == [])
    #expect(follow(&scanner, .active) == [.disable, .setParameters(.active), .enable])
    #expect(follow(&scanner, nil) == [.disable])
    #expect(follow(&scanner, .active) == [.enable])
    scanner.forget()
    #expect(follow(&scanner, .passive) == [.disable, .setParameters(.passive), .enable])
  }

  @Test func refusalsAreFinalButOffIsOff() {
    var scanner = Scanner()
    let off = scanner.finished(.disable, .commandDisallowed)
    #expect(off && scanner.isEnabled == false)
    let unknown = scanner.finished(.disable, .unknownCommand)
    #expect(!unknown)
    let refused = [Scanner.Step.setParameters(.passive), .enable].map { scanner.finished($0, .invalidParameters) }
    #expect(refused == [false, false] && scanner.isEnabled == false)
  }
}

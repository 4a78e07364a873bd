import Testing

@testable import HCI

@Suite struct FamilyDecisionTests {
  private let old = ControllerInfo()
  private let new: ControllerInfo = {
    var info = ControllerInfo()
    info.leFeatures = 1 << 12
    return info
  }()

  @Test func featuresDecide() {
    let decision = FamilyDecision(.automatic)
    #expect(decision.family(of: old) == .legacy)
    #expect(decision.family(of: new) == .extended)
  }

  @Test func theMindIsChangedOnceAStream() {
    var decision = FamilyDecision(.automatic)
    let first = decision.change(of: new)
    #expect(first && decision.family(of: new) == .legacy)
    let second = decision.change(of: new)
    #expect(!second && decision.family(of: new) == .legacy)
    decision.opened()
    #expect(decision.family(of: new) == .extended)
  }

  @Test func whatWasHeardWithComesFirst() {
    var decision = FamilyDecision(.automatic)
    _ = decision.change(of: new)
    decision.heard(with: .legacy)
    decision.opened()
    #expect(decision.family(of: new) == .legacy)
    // And is left in turn where it fails.
    let changed = decision.change(of: new)
    #expect(changed && decision.family(of: new) == .extended)
  }

  @Test func whatWasHeardWithDoesNotOutweighWhatIsNotThere() {
    var decision = FamilyDecision(.automatic)
    decision.heard(with: .extended)
    #expect(decision.family(of: old) == .legacy)
    let changed = decision.change(of: old)
    #expect(!changed, "there is no other one")
  }

  @Test(arguments: [(CommandChoice.legacy, CommandFamily.legacy), (.extended, .extended)])
  func anOverrideHolds(_ choice: CommandChoice, _ family: CommandFamily) {
    var decision = FamilyDecision(choice)
    for info in [old, new] {
      let changed = decision.change(of: info)
      #expect(!changed && decision.family(of: info) == family)
    }
    decision.heard(with: family.other)
    #expect(decision.family(of: new) == family)
  }
}

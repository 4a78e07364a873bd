import Testing

@testable import AccessControl

/// One row of the decision table.
struct DecisionCase: Sendable, CustomTestStringConvertible {
  let name: String
  let rule: CredentialRule
  let door: DoorPolicy
  let request: AccessRequest
  let outcome: Outcome
  var testDescription: String { name }

  init(
    _ name: String, rule: CredentialRule, door: DoorPolicy, _ request: AccessRequest, _ outcome: Outcome
  ) {
    self.name = name
    self.rule = rule
    self.door = door
    self.request = request
    self.outcome = outcome
  }
}

@Suite("Decisions")
struct DecisionTests {
  static let granted = Outcome.granted(consumesUse: false)
  static let spending = Outcome.granted(consumesUse: true)
  static let noon = Samples.noon

  /// Each group varies one rule against a credential that may do everything at a door that takes everything.
  static func table() throws -> [DecisionCase] {
    try statuses() + commands() + freshness() + exceptions() + clock() + validity() + lockdown() + uses() + order()
  }

  static func statuses() throws -> [DecisionCase] {
    try [
      .init("active", rule: Samples.rule(), door: Samples.door(), Samples.request(), granted),
      .init(
        "disabled", rule: Samples.rule(status: .disabled), door: Samples.door(), Samples.request(), .denied(.disabled)),
      .init(
        "revoked", rule: Samples.rule(status: .revoked), door: Samples.door(), Samples.request(.status),
        .denied(.revoked)),
    ]
  }

  static func commands() throws -> [DecisionCase] {
    try Permission.allCases.flatMap { asked in
      try [
        DecisionCase("may \(asked)", rule: Samples.rule(), door: Samples.door(), Samples.request(asked), granted),
        DecisionCase(
          "unlock only, asked \(asked)", rule: Samples.rule(permissions: .unlock), door: Samples.door(),
          Samples.request(asked), [.unlock, .duress].contains(asked) ? granted : .denied(.notPermitted)),
        DecisionCase(
          "all but unlock, asked \(asked)", rule: Samples.rule(permissions: .all.subtracting(.unlock)),
          door: Samples.door(), Samples.request(asked),
          [.unlock, .duress].contains(asked) ? .denied(.notPermitted) : granted),
      ]
    }
  }

  static func freshness() throws -> [DecisionCase] {
    let rows: [(door: FreshnessPolicy, credential: FreshnessPolicy, time: Reason?, challenge: Reason?)] = [
      (.either, .either, nil, nil), (.either, .time, nil, .timeRequired),
      (.either, .challenge, .challengeRequired, nil),
      (.time, .either, nil, .timeRequired), (.time, .time, nil, .timeRequired),
      (.time, .challenge, .challengeRequired, .timeRequired), (.challenge, .either, .challengeRequired, nil),
      (.challenge, .time, .challengeRequired, .timeRequired), (.challenge, .challenge, .challengeRequired, nil),
    ]
    return try rows.flatMap { row in
      try [(false, row.time), (true, row.challenge)].map { (byChallenge, reason) in
        try DecisionCase(
          "door \(row.door), credential \(row.credential), by challenge \(byChallenge)",
          rule: Samples.rule(freshness: row.credential), door: Samples.door(freshness: row.door),
          Samples.request(byChallenge: byChallenge), reason.map { .denied($0) } ?? granted)
      }
    }
  }

  static func exceptions() throws -> [DecisionCase] {
    try Permission.allCases.flatMap { asked in
      let needs = [.hold, .release, .lockdown].contains(asked)
      return try [
        DecisionCase(
          "\(asked) by time", rule: Samples.rule(), door: Samples.door(), Samples.request(asked, byChallenge: false),
          needs ? .denied(.challengeRequired) : granted),
        DecisionCase(
          "\(asked) by time where hold may", rule: Samples.rule(), door: Samples.door(allowedByTime: .hold),
          Samples.request(asked, byChallenge: false),
          needs && asked != .hold ? .denied(.challengeRequired) : granted),
      ]
    }
  }

  static func clock() throws -> [DecisionCase] {
    let far = noon + 1_000_000
    let rows: [(String, byChallenge: Bool, from: Int64?, until: Int64?, bundle: Int64?, Outcome)] = [
      ("nothing depends on it", true, nil, nil, nil, granted),
      ("a time frame", false, nil, nil, nil, .denied(.clockUntrusted)),
      ("a start long ago", true, 0, nil, nil, .denied(.clockUntrusted)),
      ("an end far off", true, nil, far, nil, .denied(.clockUntrusted)),
      ("a bundle's end far off", true, nil, nil, far, .denied(.clockUntrusted)),
    ]
    return try rows.map { row in
      try DecisionCase(
        "untrusted clock: \(row.0)", rule: Samples.rule(from: row.from, until: row.until),
        door: Samples.door(bundleUntil: row.bundle),
        Samples.request(byChallenge: row.byChallenge, clockTrusted: false), row.5)
    }
  }

  static func validity() throws -> [DecisionCase] {
    let rows: [(String, from: Int64?, until: Int64?, bundle: Int64?, Outcome)] = [
      ("starts now", noon, nil, nil, granted), ("starts in a second", noon + 1, nil, nil, .denied(.notYetValid)),
      ("ends now", nil, noon, nil, .denied(.expired)), ("ends in a second", nil, noon + 1, nil, granted),
      ("bundle ends now", nil, nil, noon, .denied(.expired)), ("bundle ends in a second", nil, nil, noon + 1, granted),
      ("valid this second only", noon, noon + 1, nil, granted),
      ("extremes", .min, .max, .max, granted), ("starts at the end of time", .max, nil, nil, .denied(.notYetValid)),
    ]
    return try rows.map { row in
      try DecisionCase(
        row.0, rule: Samples.rule(from: row.from, until: row.until), door: Samples.door(bundleUntil: row.bundle),
        Samples.request(), row.4)
    }
  }

  static func lockdown() throws -> [DecisionCase] {
    try Permission.allCases.map { asked in
      try DecisionCase(
        "\(asked) in lockdown", rule: Samples.rule(), door: Samples.door(), Samples.request(asked, lockedDown: true),
        [.unlock, .duress, .hold].contains(asked) ? .denied(.lockdown) : granted)
    }
  }

  static func uses() throws -> [DecisionCase] {
    try Permission.allCases.flatMap { asked in
      let counts = [.unlock, .duress, .hold].contains(asked)
      return try [(0, spending), (1, spending), (2, .denied(.usesExhausted)), (.max, .denied(.usesExhausted))].map {
        (spent: UInt32, outcome: Outcome) in
        try DecisionCase(
          "\(asked), \(spent) of 2 spent", rule: Samples.rule(uses: 2), door: Samples.door(),
          Samples.request(asked, usesSpent: spent), counts ? outcome : granted)
      }
    } + [.init("no limit", rule: Samples.rule(), door: Samples.door(), Samples.request(usesSpent: .max), granted)]
  }

  /// Everything is wrong at once; row by row the first reason goes away.
  static func order() throws -> [DecisionCase] {
    let door = try Samples.door(freshness: .time, bundleUntil: noon)
    func rule(
      _ status: CredentialStatus, _ permissions: PermissionSet = .unlock, from: Int64? = nil, until: Int64? = nil
    ) throws -> CredentialRule {
      try Samples.rule(status: status, permissions: permissions, from: from, until: until, uses: 1)
    }
    func request(byChallenge: Bool = false, trusted: Bool = true) -> AccessRequest {
      Samples.request(byChallenge: byChallenge, clockTrusted: trusted, lockedDown: true, usesSpent: 1)
    }
    let wrong = request(byChallenge: true, trusted: false)
    return try [
      .init("1 revoked", rule: rule(.revoked, .lock), door: door, wrong, .denied(.revoked)),
      .init("2 disabled", rule: rule(.disabled, .lock), door: door, wrong, .denied(.disabled)),
      .init("3 command", rule: rule(.active, .lock), door: door, wrong, .denied(.notPermitted)),
      .init("4 freshness", rule: rule(.active), door: door, wrong, .denied(.timeRequired)),
      .init(
        "5 clock", rule: rule(.active, from: noon + 1), door: door, request(trusted: false), .denied(.clockUntrusted)),
      .init("6 start", rule: rule(.active, from: noon + 1), door: door, request(), .denied(.notYetValid)),
      .init("7 end", rule: rule(.active, until: noon), door: door, request(), .denied(.expired)),
      .init("8 bundle", rule: rule(.active), door: door, request(), .denied(.expired)),
      .init("9 lockdown", rule: rule(.active), door: Samples.door(), request(), .denied(.lockdown)),
      .init(
        "10 uses", rule: rule(.active), door: Samples.door(), Samples.request(usesSpent: 1), .denied(.usesExhausted)),
    ]
  }

  @Test(arguments: try table())
  func decides(_ row: DecisionCase) {
    #expect(decide(rule: row.rule, door: row.door, request: row.request) == row.outcome)
  }

  @Test(arguments: try table())
  func tracesEveryRuleThatLedToIt(_ row: DecisionCase) {
    let decision = explain(rule: row.rule, door: row.door, request: row.request) { "\($0)" }
    #expect(decision.outcome == row.outcome)
    #expect(decision.trace.map(\.rule) == Array(AccessRule.allCases.prefix(decision.trace.count)))
    switch row.outcome {
    case .granted: #expect(decision.trace.allSatisfy(\.passed) && decision.trace.count == AccessRule.allCases.count)
    case .denied: #expect(decision.trace.dropLast().allSatisfy(\.passed) && decision.trace.last?.passed == false)
    }
  }

  @Test func tellsWhatItFound() throws {
    let rule = try Samples.rule(permissions: [.unlock, .hold], freshness: .challenge, until: Self.noon + 60, uses: 3)
    let decision = try explain(
      rule: rule, door: Samples.door(bundleUntil: Self.noon), request: Samples.request(.duress)
    ) { "<\($0 - Self.noon)>" }
    #expect(
      decision.trace.map { "\($0.rule.rawValue): \($0.found)" } == [
        "revoked: the credential is active", "disabled: the credential is active",
        "command: asked for duress, permitted like unlock; the credential permits unlock,hold",
        "freshness: by challenge; the door takes either, the credential challenge", "clock: trusted",
        "start: no start", "end: valid until <60>, now <0>", "bundle: the bundle is valid until <0>, now <0>",
      ])
  }
}

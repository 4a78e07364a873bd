import Testing

@testable import AccessControl

@Suite("Permissions")
struct PermissionTests {
  @Test(
    arguments: [
      ("unlock", .unlock), ("unlock,status", [.unlock, .status]), ("status,unlock", [.unlock, .status]),
      ("unlock,lock,hold,release,status,lockdown", .all),
    ] as [(String, PermissionSet)])
  func reads(_ text: String, _ set: PermissionSet) throws { #expect(try PermissionSet(text: text) == set) }

  @Test(
    arguments: [
      ("", .empty), ("open", .unknown("open")), ("unlock, status", .unknown(" status")), ("unlock,", .unknown("")),
      ("Unlock", .unknown("Unlock")), ("unlock,lock,unlock", .twice("unlock")), ("unlock,duress", .duress),
    ] as [(String, PermissionSetError)])
  func refuses(_ text: String, _ error: PermissionSetError) {
    #expect(throws: error) { try PermissionSet(text: text) }
  }

  @Test func writesInOneOrder() throws {
    #expect(PermissionSet([.status, .unlock]).description == "unlock,status")
    #expect(PermissionSet.all.description == "unlock,lock,hold,release,status,lockdown")
    #expect(try PermissionSet(words: PermissionSet.all.words) == .all)
  }

  @Test func refusesBitsThatMeanNothing() {
    #expect(PermissionSet(exactly: 0b11_1111) == .all)
    #expect(PermissionSet(exactly: 1 << 6) == nil)
  }

  @Test(arguments: Permission.allCases)
  func permitsDuressWhereverUnlock(_ permission: Permission) {
    #expect(PermissionSet.all.permits(permission))
    #expect(!PermissionSet([]).permits(permission))
    #expect(PermissionSet.unlock.permits(permission) == (permission == .unlock || permission == .duress))
  }
}

@Suite("Rules and reasons")
struct RuleTests {
  @Test(
    arguments: [
      (10, 10, nil, .endsBeforeItStarts), (10, 9, nil, .endsBeforeItStarts), (nil, nil, 0, .noUses),
    ] as [(Int64?, Int64?, UInt32?, CredentialRuleError)])
  func refusesSlips(_ from: Int64?, _ until: Int64?, _ uses: UInt32?, _ error: CredentialRuleError) {
    #expect(throws: error) { try Samples.rule(from: from, until: until, uses: uses) }
  }

  @Test func refusesARuleThatPermitsNothing() {
    #expect(throws: CredentialRuleError.permitsNothing) { try Samples.rule(permissions: []) }
  }

  @Test func noStatusIsZero() { #expect(CredentialStatus(rawValue: 0) == nil) }

  /// The table of docs/cli.md.
  @Test(
    arguments: [
      (2, ["not-permitted", "disabled", "unknown-door"]), (3, ["outside-schedule"]),
      (4, ["expired", "not-yet-valid", "uses-exhausted"]), (5, ["lockdown"]), (6, ["lock-failed"]), (7, ["revoked"]),
      (8, ["clock-untrusted", "challenge-required", "time-required"]), (9, ["second-person"]), (10, ["passed-already"]),
      (nil, ["replayed", "malformed", "slow-down"]),
    ] as [(UInt8?, [String])])
  func answers(_ result: UInt8?, _ codes: [String]) {
    #expect(
      Reason.allCases.filter { $0.answerResult == result }.map(\.rawValue)
        == Reason.allCases.map(\.rawValue)
        .filter { codes.contains($0) })
    for code in codes { #expect(Reason(rawValue: code)?.answerResult == result) }
  }

  @Test(arguments: [(0, 5), (1, 1), (9, 9), (30, 30), (255, 30)] as [(UInt8, Int64)])
  func capsAPulse(_ argument: UInt8, _ seconds: Int64) throws {
    #expect(try Samples.door().pulse(argument: argument) == .seconds(seconds))
  }
}

internal import POSIX

/// How recording goes: what was recorded last, what fails, and whether that was told.
struct LedgerRecord {
  /// A failure that goes on is told again after so long; a full disk fails every time.
  static let tellAgain = Duration.seconds(60)

  /// Wall time of the last record, of an earlier run too; nil: none ever.
  private(set) var last: WallTime?
  /// Id of the last event that this run recorded.
  private(set) var lastID: Int64?
  /// Why the last attempt failed; nil where it didn't.
  private(set) var problem: String?
  private var told: BootInstant?

  init(last: WallTime?) { self.last = last }

  mutating func succeeded(at wall: WallTime, id: Int64?) {
    last = wall
    lastID = id ?? lastID
    problem = nil
  }

  /// Notes a failure; answers whether it is to be told.
  mutating func failed(_ problem: String, at boot: BootInstant) -> Bool {
    self.problem = problem
    if let told, boot - told < Self.tellAgain { return false }
    told = boot
    return true
  }
}

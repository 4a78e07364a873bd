internal import AccessControl
internal import AirProtocol
internal import Database
internal import LatchkeyCrypto

/// The tables of site.db; steps that were published never change.
let siteSchema = Schema(
  applicationID: 0x4C4B_7374, name: "site database",
  migrations: [
    Migration(
      "0001-doors-and-credentials",
      sql: """
        CREATE TABLE site (
          only INTEGER PRIMARY KEY CHECK (only = 1),
          id BLOB NOT NULL CHECK (length(id) = 16),
          name TEXT NOT NULL,
          zone TEXT NOT NULL,
          slot_seconds INTEGER NOT NULL,
          skew_slots INTEGER NOT NULL,
          challenge_seconds INTEGER NOT NULL,
          name_marker TEXT NOT NULL,
          uuid16_marker INTEGER NOT NULL,
          site_key BLOB NOT NULL CHECK (length(site_key) = 32),
          signing_key BLOB NOT NULL CHECK (length(signing_key) = 32),
          created INTEGER NOT NULL
        ) STRICT;

        -- Every number that was ever given, with the door that it was given to and the serial of its last bundle.
        CREATE TABLE number (
          number INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND 65535),
          door TEXT NOT NULL,
          given INTEGER NOT NULL,
          serial INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TRIGGER number_stays BEFORE DELETE ON number
          BEGIN SELECT raise(ABORT, 'a door number is never given again'); END;
        CREATE TRIGGER serial_rises BEFORE UPDATE OF serial ON number WHEN new.serial <= old.serial
          BEGIN SELECT raise(ABORT, 'a serial only rises'); END;

        CREATE TABLE door (
          id TEXT PRIMARY KEY,
          number INTEGER NOT NULL UNIQUE REFERENCES number,
          name TEXT NOT NULL UNIQUE
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE credential (
          row INTEGER PRIMARY KEY,
          id TEXT NOT NULL UNIQUE,
          holder TEXT NOT NULL,
          secret BLOB NOT NULL CHECK (length(secret) = 32),
          status INTEGER NOT NULL,
          permissions INTEGER NOT NULL,
          freshness TEXT NOT NULL,
          valid_from INTEGER,
          valid_until INTEGER,
          uses INTEGER,
          issued INTEGER NOT NULL,
          changed INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE access (
          door TEXT NOT NULL REFERENCES door ON DELETE CASCADE,
          credential INTEGER NOT NULL REFERENCES credential,
          PRIMARY KEY (door, credential)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX access_of_credential ON access (credential, door);
        """)
  ])

/// The columns of the table `credential` that make a rule, in the order in which `Row.rule` reads them.
let ruleColumns = "id, holder, status, permissions, freshness, valid_from, valid_until, uses"

// Columns whose values have a form of their own; a value that breaks it is an error that names the column.
extension Row {
  func identifier(_ column: Int) throws(DatabaseError) -> Identifier {
    guard let id = Identifier(try text(column)) else { throw unexpected(column, expected: "an id") }
    return id
  }

  func displayName(_ column: Int) throws(DatabaseError) -> DisplayName {
    let text = try text(column)
    do throws(DisplayNameError) { return try DisplayName(text) } catch {
      throw unexpected(column, expected: "a name")
    }
  }

  func doorNumber(_ column: Int) throws(DatabaseError) -> DoorNumber {
    guard let number = DoorNumber(rawValue: try integer(column, as: UInt16.self)) else {
      throw unexpected(column, expected: "a number from 1 to 65535")
    }
    return number
  }

  /// Bytes that go straight into memory that is wiped.
  func secret(_ column: Int) throws(DatabaseError) -> SecretBytes {
    try withBlob(column) { SecretBytes(copying: $0) }
  }

  /// The rule of a row that has `ruleColumns` from column `first` on.
  func rule(_ first: Int) throws(DatabaseError) -> CredentialRule {
    guard let status = CredentialStatus(rawValue: try integer(first + 2, as: UInt8.self)) else {
      throw unexpected(first + 2, expected: "a status from 1 to 3")
    }
    guard let permissions = PermissionSet(exactly: try integer(first + 3, as: UInt16.self)) else {
      throw unexpected(first + 3, expected: "known commands")
    }
    guard let freshness = FreshnessPolicy(rawValue: try text(first + 4)) else {
      throw unexpected(first + 4, expected: "time, challenge or either")
    }
    let (id, holder) = (try identifier(first), try displayName(first + 1))
    let (from, until) = (try optionalInteger(first + 5), try optionalInteger(first + 6))
    let uses = try optionalInteger(first + 7, as: UInt32.self)
    do throws(CredentialRuleError) {
      return try CredentialRule(
        id: id, holder: holder, status: status, permissions: permissions, freshness: freshness, validFrom: from,
        validUntil: until, uses: uses)
    } catch {
      throw unexpected(first + 6, expected: "a rule that makes sense (\(error))")
    }
  }
}

internal import Database

extension Schema {
  /// The tables of `state.db`.
  static let ledger = Schema(
    applicationID: 0x4C4B_5354, name: "door's state",
    migrations: [Migration("0001-ledger", sql: tables)])
}

/// Slots are integers from 0 to 2^63 - 1; times are milliseconds of Unix time; modes are in seconds.
private let tables = """
  -- One row: which ledger this is, the number of its last transaction, and when a trusted clock last recorded.
  CREATE TABLE ledger (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL CHECK (length(id) = 32),
    number INTEGER NOT NULL CHECK (number >= 0),
    recorded INTEGER
  ) STRICT;
  INSERT INTO ledger VALUES (1, lower(hex(randomblob(16))), 0, NULL);

  -- floor: time frames of slots up to it are refused, whoever sends them. hold: 0 none, 1 until hold_until, 2 on.
  CREATE TABLE door (
    number INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND 65535),
    floor INTEGER CHECK (floor >= 0),
    locked_down INTEGER NOT NULL DEFAULT 0 CHECK (locked_down IN (0, 1)),
    hold INTEGER NOT NULL DEFAULT 0 CHECK (hold IN (0, 1, 2)),
    hold_until INTEGER,
    pulse_until INTEGER,
    serial INTEGER CHECK (serial >= 0),
    digest BLOB,
    CHECK ((hold = 1) = (hold_until IS NOT NULL)),
    CHECK ((serial IS NULL) = (digest IS NULL))
  ) STRICT;

  CREATE TABLE credential (
    door INTEGER NOT NULL CHECK (door BETWEEN 1 AND 65535),
    id TEXT NOT NULL,
    slot INTEGER CHECK (slot >= 0),
    sequence INTEGER CHECK (sequence BETWEEN 0 AND 255),
    uses INTEGER NOT NULL DEFAULT 0 CHECK (uses >= 0),
    PRIMARY KEY (door, id),
    CHECK ((slot IS NULL) = (sequence IS NULL))
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    time INTEGER NOT NULL,
    kind TEXT NOT NULL,
    door_number INTEGER,
    door TEXT,
    credential TEXT,
    holder TEXT,
    command TEXT,
    argument INTEGER,
    by_challenge INTEGER,
    sequence INTEGER,
    press INTEGER,
    reason TEXT,
    result INTEGER,
    follows INTEGER,
    detail TEXT
  ) STRICT;
  """

internal import CSQLite

extension Connection {
  /// When a transaction takes its lock (sqlite.org/lang_transaction.html).
  public enum TransactionKind: String, Sendable {
    /// A read lock at the first read: for a consistent view of several queries.
    case reading = "DEFERRED"
    /// The write lock at once: what was read inside can't have changed when it writes.
    case writing = "IMMEDIATE"
  }

  /// Runs `body` in one transaction: durable when this returns, and nothing of it happened when it throws.
  ///
  /// Transactions don't nest.
  /// - Throws: what `body` throws, or the error of beginning or committing.
  public func transaction<Result>(
    _ kind: TransactionKind = .writing, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try transaction(kind, failure: { $0 }, body)
  }

  /// The same for a body that throws its caller's own errors; `failure` makes one of a database error.
  public func transaction<Result, Failure: Error>(
    _ kind: TransactionKind = .writing, failure: (DatabaseError) -> Failure, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard !inTransaction else { throw failure(error(.misuse, "transactions don't nest")) }
    do throws(DatabaseError) { try execute("BEGIN \(kind.rawValue)") } catch { throw failure(error) }
    let result: Result
    do throws(Failure) { result = try body() } catch {
      rollback()
      throw error
    }
    do throws(DatabaseError) { try execute("COMMIT") } catch {
      rollback()
      throw failure(error)
    }
    return result
  }

  /// Ends the transaction without effect; SQLite has done so itself after some errors.
  private func rollback() {
    guard inTransaction else { return }
    // ROLLBACK fails only where there is no transaction. Should it fail all the same, the next BEGIN says so.
    _ = unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
  }
}

internal import POSIX

extension RunningProcess {
  /// Waits for a line of stdout that `found` makes something of, and passes it.
  ///
  /// Looks at each line once, in order, from behind the one that the last call took.
  ///
  /// - Parameters:
  ///   - what: named in the complaint where it doesn't come.
  ///   - limit: how long to wait at most.
  @discardableResult
  public func line<Found>(
    _ what: String, within limit: Duration = .seconds(20), _ found: (String) -> Found?
  ) throws -> Found {
    let result: Found?? = state.wait(until: .now() + limit) { state in
      while state.seen < state.output.lines.count {
        state.seen += 1
        if let match = found(state.output.lines[state.seen - 1]) { return .some(match) }
      }
      return state.output.ended && state.status != nil ? .some(nil) : nil
    }
    guard let outcome = result else { throw TestError("no \(what) within \(limit)\n\(report)") }
    guard let match = outcome else { throw TestError("\(name) ended before \(what)\n\(report)") }
    return match
  }

  /// Waits until `found` makes something of the whole of stderr so far.
  @discardableResult
  public func errorText<Found>(
    _ what: String, within limit: Duration = .seconds(20), _ found: (String) -> Found?
  ) throws -> Found {
    let result: Found?? = state.wait(until: .now() + limit) { state in
      if let match = found(state.errors.text) { return .some(match) }
      return state.errors.ended && state.status != nil ? .some(nil) : nil
    }
    guard let outcome = result, let match = outcome else { throw TestError("no \(what)\n\(report)") }
    return match
  }

  /// All lines of stdout so far, passed or not.
  public var lines: [String] { state.withLock(waking: false) { $0.output.lines } }

  /// All of stderr so far.
  public var errorText: String { state.withLock(waking: false) { $0.errors.text } }
}

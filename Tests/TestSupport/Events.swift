public import JSON
internal import POSIX

extension RunningProcess {
  /// Waits for an event on stdout (a line of JSON), and passes it.
  ///
  /// - Parameters:
  ///   - name: the event's `event` member.
  ///   - members: what it must have besides; others may be there too.
  /// - Returns: the event.
  @discardableResult
  public func event(
    _ name: String, _ members: [String: JSONValue] = [:], within limit: Duration = .seconds(20)
  ) throws -> JSONValue {
    let wanted = members.map { "\($0.key) \($0.value.text())" }.sorted().joined(separator: ", ")
    return try json("event \(name) \(wanted)", within: limit) { event in
      event["event"]?.string == name && members.allSatisfy { event[$0.key] == $0.value }
    }
  }

  /// Waits for a line of JSON on stdout that fits, and passes it.
  @discardableResult
  public func json(
    _ what: String, within limit: Duration = .seconds(20), _ fits: (JSONValue) -> Bool
  ) throws -> JSONValue {
    try line(what, within: limit) { line in
      guard let value = try? JSONValue(parsing: line), fits(value) else { return nil }
      return value
    }
  }

  /// All events so far with that `event` member, passed or not.
  public func events(_ name: String) -> [JSONValue] {
    lines.compactMap { try? JSONValue(parsing: $0) }.filter { $0["event"]?.string == name }
  }
}

extension Outcome {
  /// stdout as one JSON value a line.
  public var jsonLines: [JSONValue] {
    get throws { try lines.map { try JSONValue(parsing: $0) } }
  }
}

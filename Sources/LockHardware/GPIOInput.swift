internal import GPIO
public import POSIX
public import RelayGuard

/// An input that is a GPIO line, debounced.
///
/// This process holds the line: an input that nobody reads moves nothing.
public final class GPIOInput: DoorInput {
  private let thread: InputThread

  /// - Parameters:
  ///   - name: the door's id.
  ///   - line: active where the door stands open, or where somebody asks to get out.
  ///   - debounce: how long the line must say the same before that counts.
  ///   - report: called on the input's thread.
  /// - Throws: where the system gives no thread.
  public convenience init(
    name: String, role: InputRole, line: RelayLine, debounce: Duration, report: @escaping InputReporter
  ) throws(Errno) {
    let consumer = String("latchkey \(name)".prefix(31))
    try self.init(name: name, role: role, debounce: debounce, report: report) { () throws(InputFailure) in
      do throws(GPIOError) { return try GPIOInputLine(line, consumer: consumer) } catch {
        throw InputFailure(reason: error.description)
      }
    }
  }

  init(
    name: String, role: InputRole, debounce: Duration, report: @escaping InputReporter,
    open: @escaping @Sendable () throws(InputFailure) -> any InputLine
  ) throws(Errno) {
    thread = try InputThread(name: name, report: report) { (end) throws(InputFailure) in
      var watch = LineWatch(try open(), Debouncer(debounce))
      while let change = try watch.next(end) {
        // Not before it has come to rest: a line that hangs in the air would be found and lost for ever.
        if change.isFirst { report(InputReport(.found, at: .now())) }
        if let reading = InputReading(change, role) { report(InputReport(reading, at: change.at, toldAt: .now())) }
      }
    }
  }

  deinit { stop() }

  public func stop() { thread.stop() }
}

extension InputReading {
  /// Nil where there is nothing to say.
  fileprivate init?(_ change: Debouncer.Change, _ role: InputRole) {
    switch (role, change.isActive) {
    case (.sensor, let isOpen): self = .contact(isOpen: isOpen)
    case (.exit, true): self = change.isFirst ? .exitFound : .exitAsked
    case (.exit, false):
      if change.isFirst { return nil }
      self = .exitOver
    }
  }
}

/// Waits for the changes of a line.
private struct LineWatch {
  /// How often a line without edges is looked at.
  static let period = Duration.milliseconds(10)
  /// How often one with edges is looked at all the same: an edge may get lost, and a chip be pulled out.
  static let look = Duration.seconds(2)
  /// A line that bounces for so long is wired to nothing.
  static let mostUnrest = Duration.seconds(2)

  private let line: any InputLine
  private var debouncer: Debouncer
  private var nextLook = BootInstant(nanoseconds: 0)
  private var changedAt: BootInstant?
  /// What was over already when its edges were read, as after a time in which this process stood still.
  private var missed: [Debouncer.Change] = []

  init(_ line: any InputLine, _ debouncer: Debouncer) {
    self.line = line
    self.debouncer = debouncer
  }

  /// The next change; nil where the descriptor has become readable first.
  mutating func next(_ end: Int32) throws(InputFailure) -> Debouncer.Change? {
    do throws(Errno) {
      var poller = Poller([(end, .readable)] + (line.descriptor.map { [($0, .readable)] } ?? []))
      if let changedAt {
        var pacer = Poller([(end, .readable)])
        if try pacer.wait(until: changedAt + InputThread.pause) { return nil }
      }
      while true {
        if let change = try missed.isEmpty ? look() : missed.removeFirst() {
          changedAt = .now()
          return change
        }
        _ = try poller.wait(until: min(nextLook, debouncer.deadline ?? nextLook))
        if !poller.readiness(at: 0).isEmpty { return nil }
        if !poller.readiness(at: 1).isEmpty {
          for edge in try line.takeEdges() {
            if let change = debouncer.settle(now: edge.at) { missed.append(change) }
            debouncer.see(edge.isActive, at: edge.at)
          }
        }
        if hasNoRest(.now()) { break }
      }
    } catch {
      throw InputFailure(reason: "the line can't be read: \(error)")
    }
    throw InputFailure(reason: "the line doesn't come to rest: look at its wiring and bias")
  }

  /// Whether it has bounced for too long, and still does: a change that is due already was only seen late.
  private func hasNoRest(_ now: BootInstant) -> Bool {
    guard let since = debouncer.restlessSince, let deadline = debouncer.deadline else { return false }
    return deadline > now && now - since >= Self.mostUnrest
  }

  /// Looks at the line when it is time to, and before a change counts: an edge may have been lost.
  private mutating func look() throws(Errno) -> Debouncer.Change? {
    let now = BootInstant.now()
    guard nextLook <= now || debouncer.deadline.map({ $0 <= now }) ?? false else { return nil }
    nextLook = now + (line.descriptor == nil ? Self.period : Self.look)
    debouncer.see(try line.isActive(), at: now)
    return debouncer.settle(now: now)
  }
}

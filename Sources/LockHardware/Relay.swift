internal import POSIX
internal import RelayGuard
internal import Synchronization

/// Why a relay isn't where it should be, in words.
struct RelayFailure: Error {
  let reason: String
}

/// One guard that runs, and the line that it holds; for one thread.
final class Relay: Sendable {
  let guardian: TalkingChild
  private let reader = Mutex(LineReader(longest: RelayAnswer.longest))

  /// How long a guard may take to request its line, which a predecessor may have to let go of first.
  private static let startLimit = Duration.seconds(5)
  /// How long it may take for an answer.
  static let answerLimit = Duration.seconds(1)

  /// Starts a guard; the line is at its safe value then.
  init(_ command: [String]) throws(RelayFailure) {
    do throws(Errno) {
      guardian = try TalkingChild(command)
    } catch {
      throw RelayFailure(reason: "the relay guard “\(command.first ?? "")” can't be started: \(error)")
    }
    do throws(RelayFailure) {
      let first = try answer(until: .now() + Self.startLimit)
      guard first == .closed else { throw RelayFailure(reason: "the relay guard speaks nonsense") }
    } catch {
      end()
      throw error
    }
  }

  /// Tells it something, without waiting for the answer.
  func tell(_ message: RelayMessage) throws(RelayFailure) {
    do throws(Errno) {
      try guardian.send(Array(message.line.utf8), until: .now() + Self.answerLimit)
    } catch {
      // It may have said why before it went.
      throw RelayFailure(reason: lastWords() ?? "the relay guard hears nothing: \(error)")
    }
  }

  /// What it says next.
  func answer(until limit: BootInstant) throws(RelayFailure) -> RelayAnswer {
    var buffer = [UInt8](repeating: 0, count: 512)
    var poller = Poller([(guardian.descriptor, .readable)])
    while true {
      if let answer = try next() { return answer }
      let failure: Errno
      do throws(Errno) {
        guard try poller.wait(until: limit) else { throw .timedOut }
        guard let count = try guardian.receive(into: &buffer) else { continue }
        guard count > 0 else { throw .brokenPipe }
        reader.withLock { $0.append(buffer[..<count]) }
        continue
      } catch {
        failure = error
      }
      throw RelayFailure(
        reason: failure == .timedOut ? "the relay guard doesn't answer" : "the relay guard ended with \(end())")
    }
  }

  /// Tells the guard to close the line and go, without waiting for it.
  func letGo() { guardian.finishSending() }

  /// Lets the guard go and waits for it; one that doesn't go is killed.
  @discardableResult
  func end() -> ProcessEnd { guardian.end(until: .now() + Self.answerLimit) }

  /// The next whole answer; an error of the guard's is thrown.
  private func next() throws(RelayFailure) -> RelayAnswer? {
    let (line, isTooLong) = reader.withLock { ($0.next(), $0.isTooLong) }
    guard let line else {
      if isTooLong { throw RelayFailure(reason: "the relay guard speaks nonsense") }
      return nil
    }
    guard let answer = RelayAnswer(line: line) else { throw RelayFailure(reason: "the relay guard speaks nonsense") }
    if case .error(let text) = answer { throw RelayFailure(reason: "the relay guard: \(text)") }
    return answer
  }

  private func lastWords() -> String? {
    do throws(RelayFailure) {
      while true { _ = try answer(until: .now()) }
    } catch {
      return error.reason
    }
  }
}

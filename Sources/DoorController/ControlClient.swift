public import JSON
internal import POSIX

/// The other end of the control socket: asks a running daemon one thing.
public enum ControlClient {
  /// The most bytes of an answer.
  private static let longestAnswer = 1 << 20

  /// Asks, and waits for the answer.
  ///
  /// - Parameters:
  ///   - path: the daemon's control socket.
  /// - Returns: the answer itself, for example the status.
  public static func ask(_ request: ControlRequest, at path: String) throws(ControlError) -> JSONValue {
    guard let address = SocketAddress(unixPath: path) else {
      throw .noDaemon("\(path): expected a path of 1 to 107 bytes")
    }
    // More than the daemon gives its own thread.
    let deadline = BootInstant.now() + request.answerLimit * 2
    let line = try exchange(request.line, path, address, deadline)
    let answer: JSONValue
    do throws(JSONError) { answer = try JSONValue(parsing: line) } catch { throw .badAnswer("\(path): \(error)") }
    if let code = answer["error"]?.string {
      let detail = "\(path): \(answer["detail"]?.string ?? code)"
      switch ControlRefusal.Code(rawValue: code) {
      case .notPermitted: throw .notPermitted(detail)
      case .stuck: throw .stuck(detail)
      case .busy, .tooSlow: throw .noAnswer(detail)
      case .refused: throw .refused(detail)
      case .badRequest, nil: throw .badAnswer(detail)
      }
    }
    guard let value = answer[request.word] else {
      throw .badAnswer("\(path): an answer without “\(request.word)”: is it a control socket of this version?")
    }
    return value
  }

  private static func exchange(
    _ request: [UInt8], _ path: String, _ address: SocketAddress, _ deadline: BootInstant
  ) throws(ControlError) -> [UInt8] {
    do throws(Errno) {
      let socket = try Socket.connect(to: address, until: deadline)
      do throws(Errno) { try socket.sendAll(request, until: deadline) } catch .brokenPipe {
        // It has closed already; why may still be there to read.
      }
      return try answer(from: socket, deadline)
    } catch {
      switch error {
      case .noEntry, .connectionRefused, .notDirectory:
        throw .noDaemon("\(path): no daemon runs there (\(error)); start it, or name its --config")
      case .permissionDenied, .notPermitted:
        throw .notPermitted("\(path): \(error); ask as root or as the daemon's user")
      case .timedOut, .wouldBlock: throw .noAnswer("\(path): the daemon doesn't answer")
      default: throw .badAnswer("\(path): \(error)")
      }
    }
  }

  private static func answer(from socket: borrowing Socket, _ deadline: BootInstant) throws(Errno) -> [UInt8] {
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var poller = Poller([(socket.number, .readable)])
    while line.count <= longestAnswer {
      guard try poller.wait(until: deadline) else { throw .timedOut }
      guard let count = try socket.receive(into: &buffer) else { continue }
      if count == 0 { return line }
      line += buffer[..<count]
      if let end = line.firstIndex(of: UInt8(ascii: "\n")) { return Array(line[..<end]) }
    }
    throw .fileTooLarge
  }
}

/// Why a running daemon didn't answer.
public enum ControlError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nobody listens there.
  case noDaemon(String)
  case notPermitted(String)
  /// Nothing came in time.
  case noAnswer(String)
  /// The daemon is there, and its door's thread isn't.
  case stuck(String)
  /// It doesn't do that, and says why.
  case refused(String)
  /// What came isn't an answer.
  case badAnswer(String)

  /// One line that names the socket.
  public var description: String {
    switch self {
    case .noDaemon(let text), .notPermitted(let text), .noAnswer(let text), .stuck(let text), .refused(let text),
      .badAnswer(let text):
      text
    }
  }

  /// The problem's code in the answer of `health`, beside those that a daemon names itself.
  public var code: String {
    switch self {
    case .noDaemon: "no-daemon"
    case .notPermitted: "not-permitted"
    case .noAnswer, .badAnswer: "no-answer"
    case .stuck: "stuck"
    case .refused: "refused"
    }
  }
}

import JSON
import POSIX
import Testing

@testable import DoorController

/// A client of the control socket without its socket: whatever it sends, it has an end.
@Suite struct ControlConnectionTests {
  private let start = BootInstant.now()

  private func connection(_ text: String, ended: Bool = false) -> ControlConnection {
    var connection = ControlConnection(now: start)
    connection.receive(Array(text.utf8)[...])
    if ended { connection.receive([]) }
    return connection
  }

  /// The code of the error line that waits to be sent.
  private func refusal(_ connection: ControlConnection) throws -> String? {
    guard connection.output.last == UInt8(ascii: "\n") else { return nil }
    return try JSONValue(parsing: Array(connection.output.dropLast()))["error"]?.string
  }

  @Test(arguments: [
    "{\"request\":\"status\"}\n", " { \"request\" : \"status\" , \"later\": [1] } \n", "{\"request\":\"status\"}\r\n",
  ])
  func requestsAreRead(_ text: String) {
    var connection = connection(text)
    #expect(connection.nextRequest(now: start) == .status)
    #expect(connection.interest.isEmpty, "one at a time")
    #expect(connection.nextRequest(now: start) == nil)
  }

  @Test(arguments: [
    "\n", "status\n", "{}\n", "[]\n", "{\"request\":1}\n", "{\"request\":\"open\"}\n", "{\"request\":\"\"}\n",
    "{\"request\":\"status\",\"request\":\"health\"}\n", "\u{0}\u{1}\u{7F}\n", "{\"request\":\"status\"\n",
    "[[[[[[[[[[]]]]]]]]]]\n",
  ])
  func whatIsNoRequestIsAnsweredWithAnErrorAndTheNextIsTaken(_ text: String) throws {
    var connection = connection(text + "{\"request\":\"health\"}\n")
    #expect(connection.nextRequest(now: start) == nil)
    #expect(try refusal(connection) == "bad-request")
    #expect(connection.interest == .writable)
    connection.sent(connection.output.count, now: start)
    #expect(connection.nextRequest(now: start) == .health)
  }

  @Test func bytesThatAreNoTextAreAnError() throws {
    var connection = ControlConnection(now: start)
    connection.receive([0xFF, 0xFE, 0x80, 0x0A])
    #expect(connection.nextRequest(now: start) == nil)
    #expect(try refusal(connection) == "bad-request")
  }

  @Test func aLineComesInPieces() {
    var connection = ControlConnection(now: start)
    for byte in "{\"request\":\"health\"}".utf8 {
      connection.receive([byte])
      #expect(connection.nextRequest(now: start) == nil)
    }
    connection.receive([0x0A])
    #expect(connection.nextRequest(now: start) == .health)
  }

  @Test func aLineWithoutAnEndIsCutOff() throws {
    var connection = ControlConnection(now: start)
    connection.receive([UInt8](repeating: 0x20, count: ControlConnection.longestLine - 1)[...])
    #expect(connection.nextRequest(now: start) == nil && connection.output.isEmpty)
    connection.receive([0x20])
    #expect(connection.nextRequest(now: start) == nil)
    #expect(try refusal(connection) == "bad-request")
    connection.sent(connection.output.count, now: start)
    #expect(connection.isOver)
  }

  @Test func aClientThatSendsNoMoreStillGetsItsAnswer() {
    var connection = connection("{\"request\":\"status\"}\n", ended: true)
    #expect(connection.nextRequest(now: start) == .status)
    connection.answer([1, 2, 0x0A], now: start)
    #expect(connection.output == [1, 2, 0x0A] && !connection.isOver)
    connection.sent(1, now: start)
    connection.sent(2, now: start)
    #expect(connection.nextRequest(now: start) == nil && connection.isOver)
  }

  @Test func anEndInMidLineIsAnError() throws {
    var connection = connection("{\"request\"", ended: true)
    #expect(connection.nextRequest(now: start) == nil)
    #expect(try refusal(connection) == "bad-request")
    #expect(connection.interest == .writable)
  }

  @Test func aClientThatSaysNothingIsLetGo() throws {
    var connection = connection("{")
    connection.expire(now: start + (ControlConnection.patience - .nanoseconds(1)))
    #expect(connection.output.isEmpty)
    connection.expire(now: start + ControlConnection.patience)
    #expect(try refusal(connection) == "too-slow")
    connection.expire(now: start + ControlConnection.patience * 2)
    #expect(connection.isOver)
  }

  @Test func aDoorsThreadThatDoesNotAnswerIsSaidAndItsLateAnswerIsNoOnes() throws {
    var connection = connection("{\"request\":\"health\"}\n")
    #expect(connection.nextRequest(now: start) == .health)
    connection.expire(now: start + ControlRequest.health.answerLimit)
    #expect(try refusal(connection) == "stuck")
    connection.answer([1], now: start)
    #expect(try refusal(connection) == "stuck")
  }

  @Test func aClientThatTakesNothingIsLetGo() {
    var connection = connection("{\"request\":\"status\"}\n")
    _ = connection.nextRequest(now: start)
    connection.answer([UInt8](repeating: 0x20, count: 100_000), now: start)
    connection.sent(10, now: start)
    connection.expire(now: start + ControlConnection.patience)
    #expect(connection.isOver)
  }

  @Test func onlyTheOwnerAndRootMayAsk() {
    #expect(mayControl(peer: 0, own: 1_000) && mayControl(peer: 1_000, own: 1_000) && mayControl(peer: 0, own: 0))
    #expect(!mayControl(peer: 1_000, own: 0) && !mayControl(peer: 1_001, own: 1_000))
  }
}

import POSIX
import TestSupport
import Testing

@testable import LockHardware

/// The frames of the serial board against an independent implementation (Tests/Vectors/serial-board-1.json).
@Suite("Vectors of the serial board") struct BoardVectorTests {
  private static let file = "serial-board-1"

  @Test("commands are written byte for byte", arguments: try Vectors.records("orders", of: file))
  func orders(_ vector: VectorRecord) throws {
    let action: BoardOrder.Action =
      switch try vector.text("command") {
      case "unlock": .unlock(tenths: UInt16(try vector.number("tenths")))
      case "lock": .lock
      case "hold": .hold
      default: .status
      }
    let time = try #require(WallTime(rfc3339: try vector.text("time")))
    let order = BoardOrder(action: action, number: UInt8(try vector.number("number")), time: time)
    #expect("\(order.command)" == (try vector.text("command")))
    #expect(order.bytes == (try vector.bytes("frame")))
    #expect(order.bytes.count <= BoardFrame.sizeLimit && BoardFrame.sum(order.bytes) == 0)
  }

  @Test("replies are read field by field", arguments: try Vectors.records("replies", of: file))
  func replies(_ vector: VectorRecord) throws {
    let found = frames(of: [try vector.bytes("frame")])
    #expect(found.frames.count == 1 && found.skipped == 0)
    let frame = try #require(found.frames.first)
    let reply = try #require(BoardReply(command: frame.command, payload: frame.payload))
    #expect(Int64(reply.command) == (try vector.number("command")))
    #expect(Int64(reply.number) == (try vector.number("number")))
    let result =
      switch reply.result {
      case .done: "done"
      case .begun: "begun"
      case .failed(let words): words
      }
    #expect(result == (try vector.text("result")))
    #expect("\(reply.position)" == (try vector.text("position")))
    #expect(reply.battery.map { Int64($0) } == (vector.isNull("battery") ? nil : try vector.number("battery")))
    let time = vector.isNull("time") ? nil : try vector.text("time")
    #expect(reply.time?.rfc3339(milliseconds: false) == time)
    #expect(reply.isDoorOpen == (vector.isNull("door") ? nil : try vector.text("door") == "open"))
    #expect(reply.exits.map { Int64($0) } == (vector.isNull("exits") ? nil : try vector.number("exits")))
  }

  @Test("a reply that is too short is none", arguments: try Vectors.records("shortReplies", of: file))
  func shortReplies(_ vector: VectorRecord) throws {
    let frame = try #require(frames(of: [try vector.bytes("frame")]).frames.first)
    #expect(BoardReply(command: frame.command, payload: frame.payload) == nil)
  }

  @Test("date and time, both ways", arguments: try Vectors.records("dates", of: file))
  func dates(_ vector: VectorRecord) throws {
    let bits = UInt32(try vector.word("bits"))
    let time = BoardDateTime.unpack(bits)
    #expect(time?.rfc3339(milliseconds: false) == (vector.isNull("time") ? nil : try vector.text("time")))
    if let time { #expect(BoardDateTime.pack(time) == bits) }
  }

  @Test("frames are found however the bytes arrive", arguments: try Vectors.records("streams", of: file))
  func streams(_ vector: VectorRecord) throws {
    let stream = try vector.bytes("bytes")
    let expected = try vector.texts("frames")
    for cut in 0...stream.count {
      let found = frames(of: [Array(stream[..<cut]), Array(stream[cut...])])
      #expect(found.texts == expected, "cut at \(cut)")
      #expect(found.skipped == (try vector.number("skipped")), "cut at \(cut)")
    }
    #expect(frames(of: stream.map { [$0] }).texts == expected)
  }
}

/// What a deframer found.
struct FoundFrames: Equatable {
  var frames: [(command: UInt8, payload: [UInt8])] = []
  var skipped: Int64 = 0

  /// Each whole frame in hex.
  var texts: [String] {
    frames.map { command, payload in
      let frame = BoardFrame.boardHead + [UInt8(payload.count + 2), command] + payload
      return hexadecimalText(frame + [BoardFrame.checksum(of: frame)])
    }
  }

  static func == (left: FoundFrames, right: FoundFrames) -> Bool {
    left.texts == right.texts && left.skipped == right.skipped
  }
}

/// The frames in pieces of a stream behind which nothing comes.
func frames(of pieces: [[UInt8]]) -> FoundFrames {
  var deframer = BoardDeframer()
  var found = FoundFrames()
  for piece in pieces { deframer.push(piece) { found.frames.append(($0, Array($1))) } }
  deframer.giveUp { found.frames.append(($0, Array($1))) }
  found.skipped = Int64(deframer.skipped)
  return found
}

internal import Glibc
public import POSIX

/// Reads a btsnoop file packet by packet: datalinks 1002 (HCI UART) and 2001 (the kernel's monitor).
///
/// Any bytes are taken; what isn't understood is an error that names the record. At most one packet is held in memory.
public struct CaptureReader: ~Copyable {
  private let path: String
  private let file: FileDescriptor
  private let datalink: BTSnoop.Datalink
  private var record = 0
  private var buffer: [UInt8] = []
  /// Records passed over: the monitor's notes, packets of unknown types.
  public private(set) var skipped = 0

  /// Opens a capture and reads its header.
  public init(path: String) throws(CaptureError) {
    let file = try Self.open(path)
    datalink = try Self.readDatalink(file, path)
    self.path = path
    self.file = file
  }

  private static func readDatalink(
    _ file: borrowing FileDescriptor, _ path: String
  ) throws(CaptureError) -> BTSnoop.Datalink {
    let header = try read(file, BTSnoop.headerLength, path, 0)
    guard header.count == BTSnoop.headerLength, header.starts(with: BTSnoop.magic) else {
      throw CaptureError(path: path, record: 0, problem: .notACapture)
    }
    let version = number(header[8..<12])
    guard version == BTSnoop.version else {
      throw CaptureError(path: path, record: 0, problem: .unknownVersion(version))
    }
    guard let datalink = BTSnoop.Datalink(rawValue: number(header[12..<16])) else {
      throw CaptureError(path: path, record: 0, problem: .unknownDatalink(number(header[12..<16])))
    }
    return datalink
  }

  /// Hands on the next packet.
  ///
  /// - Parameter body: gets the packet without an H4 type byte, valid during the call only.
  /// - Returns: false at the end of the file.
  public mutating func next(_ body: (CapturedPacket, Span<UInt8>) -> Void) throws(CaptureError) -> Bool {
    while let header = try readHeader() {
      guard let (kind, direction, start) = packetKind(flags: header.flags) else {
        skipped += 1
        continue
      }
      let packet = CapturedPacket(kind: kind, direction: direction, time: header.time, record: record)
      body(packet, buffer.span.extracting(start..<buffer.count))
      return true
    }
    return false
  }

  /// Reads a record, its bytes into `buffer`; nil at the end of the file.
  private mutating func readHeader() throws(CaptureError) -> (flags: UInt32, time: WallTime)? {
    record += 1
    let header = try read(BTSnoop.recordHeaderLength)
    if header.isEmpty { return nil }
    guard header.count == BTSnoop.recordHeaderLength else { throw error(.cutOff) }
    let length = number(header[4..<8])
    guard length <= UInt32(BTSnoop.longestPacket) else { throw error(.tooLong(length)) }
    buffer = try read(Int(length))
    guard buffer.count == Int(length) else { throw error(.cutOff) }
    let timestamp = UInt64(number(header[16..<20])) << 32 | UInt64(number(header[20..<24]))
    return (number(header[8..<12]), BTSnoop.time(timestamp))
  }

  /// What the record in `buffer` is, and where its packet begins; nil where it is none.
  private func packetKind(flags: UInt32) -> (PacketKind, CapturedPacket.Direction, Int)? {
    switch datalink {
    case .h4:
      guard let kind = buffer.first.flatMap({ PacketKind(rawValue: $0) }) else { return nil }
      return (kind, flags & 1 == 0 ? .sent : .received, 1)
    case .monitor:
      // The lower half is the monitor's opcode, the upper half the adapter (BlueZ, doc/btsnoop.txt).
      switch flags & 0xFFFF {
      case 2: return (.command, .sent, 0)
      case 3: return (.event, .received, 0)
      case 4: return (.asynchronousData, .sent, 0)
      case 5: return (.asynchronousData, .received, 0)
      case 6: return (.synchronousData, .sent, 0)
      case 7: return (.synchronousData, .received, 0)
      case 18: return (.isochronousData, .sent, 0)
      case 19: return (.isochronousData, .received, 0)
      default: return nil
      }
    }
  }

  private static func open(_ path: String) throws(CaptureError) -> FileDescriptor {
    do throws(Errno) {
      let file = try FileDescriptor.open(path, O_RDONLY)
      guard try !file.status().isDirectory else { throw Errno.isDirectory }
      return file
    } catch {
      throw CaptureError(path: path, record: 0, problem: .unreadable(error))
    }
  }

  private func read(_ count: Int) throws(CaptureError) -> [UInt8] { try Self.read(file, count, path, record) }

  /// Reads `count` bytes, fewer at the end of the file only.
  private static func read(
    _ file: borrowing FileDescriptor, _ count: Int, _ path: String, _ record: Int
  ) throws(CaptureError) -> [UInt8] {
    do throws(Errno) {
      var bytes = count > 0 ? try file.read(upTo: count) : []
      while bytes.count < count {
        let more = try file.read(upTo: count - bytes.count)
        if more.isEmpty { break }
        bytes += more
      }
      return bytes
    } catch {
      throw CaptureError(path: path, record: record, problem: .unreadable(error))
    }
  }

  private func error(_ problem: CaptureError.Problem) -> CaptureError {
    CaptureError(path: path, record: record, problem: problem)
  }
}

/// A capture can't be read; the description names the file and the record.
public struct CaptureError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Problem: Hashable, Sendable {
    case unreadable(Errno)
    case notACapture
    case unknownVersion(UInt32)
    case unknownDatalink(UInt32)
    case cutOff
    case tooLong(UInt32)
  }

  public let path: String
  /// The record, from 1; 0 is the header.
  public let record: Int
  public let problem: Problem

  public var description: String {
    let place = record == 0 ? path : "\(path): record \(record)"
    return switch problem {
    case .unreadable(let errno): "\(place): \(errno)"
    case .notACapture: "\(place): expected a btsnoop capture, which begins with \"btsnoop\" and a zero byte"
    case .unknownVersion(let version): "\(place): btsnoop version \(version), expected \(BTSnoop.version)"
    case .unknownDatalink(let link): "\(place): datalink \(link), expected 1002 (HCI UART) or 2001 (monitor)"
    case .cutOff: "\(place): the file ends within it"
    case .tooLong(let length): "\(place): \(length) bytes, expected at most \(BTSnoop.longestPacket)"
    }
  }
}

/// Four bytes, highest first; the caller has made sure that they are there.
private func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
  bytes.reduce(0) { $0 << 8 | UInt32($1) }
}

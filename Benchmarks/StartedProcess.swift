internal import CBenchmark
internal import POSIX

/// A program that runs, and what it has written so far.
final class StartedProcess {
  /// What it writes, for another thread to read.
  final class Source: Sendable {
    private let pipe: FileDescriptor

    fileprivate init(pipe: consuming FileDescriptor) { self.pipe = pipe }

    /// Reads what there is, waiting for it; empty at the end.
    func read() throws(Errno) -> [UInt8] { try pipe.read(upTo: 65_536) }
  }

  /// Its number, until `end`.
  let number: Int32
  /// Both of its outputs.
  let source: Source
  private var bytes: [UInt8] = []

  init(_ arguments: [String]) throws {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { text in
      let bytes = Array(text.utf8CString)
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
      unsafe copy.initialize(from: bytes, count: bytes.count)
      return unsafe copy
    }
    unsafe pointers.append(nil)
    defer { for index in arguments.indices { unsafe pointers[index]?.deallocate() } }
    var end: Int32 = -1
    number = unsafe cbenchmark_start(&pointers, &end)
    guard number >= 0 else { throw BenchmarkError("\(arguments[0]): \(Errno.current)") }
    source = Source(pipe: FileDescriptor(takingOwnershipOf: end))
  }

  /// What was read of its output.
  var output: String { String(decoding: bytes, as: UTF8.self) }

  /// Reads until the text came, then what there is; false where the output ended first.
  func read(until text: String) throws -> Bool {
    while text.isEmpty || !output.contains(text) {
      let more = try source.read()
      if more.isEmpty { return false }
      bytes += more
    }
    return true
  }

  /// Seconds of processor time that it has used.
  var processorSeconds: Double { cbenchmark_processor_seconds(number) }

  /// Bytes of it that are in memory now.
  var residentBytes: Int { Int(cbenchmark_resident_of(number)) }

  /// Sends a signal, unless it is 0, and waits for the end: the exit code, or 128 + a signal.
  func end(_ signal: Int32) -> Int32 { cbenchmark_end(number, signal) }
}

internal import CPOSIX

/// The two ends of a pipe(2), both close-on-exec.
@frozen public struct Pipe: ~Copyable {
  public let reader: FileDescriptor
  public let writer: FileDescriptor

  public init() throws(Errno) {
    var ends: [Int32] = [0, 0]
    try systemCall { unsafe cposix_pipe(&ends) }
    reader = FileDescriptor(takingOwnershipOf: ends[0])
    writer = FileDescriptor(takingOwnershipOf: ends[1])
  }

  /// Closes this process's own writing end, so that the reader sees the end of all others.
  public consuming func closingWriter() -> FileDescriptor { reader }
}

internal import Glibc

extension FileDescriptor {
  /// Writes all of `bytes` at a place of the file, without moving its position (pwrite(2)).
  ///
  /// - Parameter offset: bytes from the file's start, not negative.
  public func writeAll(_ bytes: [UInt8], at offset: Int) throws(Errno) {
    let number = number
    var written = 0
    while written < bytes.count {
      let start = written
      written += try systemCall { () -> Int in
        unsafe bytes.withUnsafeBytes { buffer in
          let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
          return unsafe pwrite(number, rest.baseAddress, rest.count, off_t(offset + start))
        }
      }
    }
  }
}

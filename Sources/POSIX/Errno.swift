internal import Glibc

/// An error number of a system call (errno(3)).
public struct Errno: Error, RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The calling thread's errno, to be read at once after the call that failed.
  public static var current: Errno { Errno(rawValue: Glibc.errno) }

  public static let interrupted = Errno(rawValue: EINTR)
  public static let noEntry = Errno(rawValue: ENOENT)
  public static let exists = Errno(rawValue: EEXIST)
  public static let permissionDenied = Errno(rawValue: EACCES)
  public static let notPermitted = Errno(rawValue: EPERM)
  public static let noSpace = Errno(rawValue: ENOSPC)
  public static let readOnlyFileSystem = Errno(rawValue: EROFS)
  public static let quotaExceeded = Errno(rawValue: EDQUOT)
  public static let isDirectory = Errno(rawValue: EISDIR)
  public static let notDirectory = Errno(rawValue: ENOTDIR)
  public static let wouldBlock = Errno(rawValue: EAGAIN)
  public static let inProgress = Errno(rawValue: EINPROGRESS)
  public static let canceled = Errno(rawValue: ECANCELED)
  public static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  public static let brokenPipe = Errno(rawValue: EPIPE)
  public static let timedOut = Errno(rawValue: ETIMEDOUT)
  public static let invalidArgument = Errno(rawValue: EINVAL)
  public static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  public static let fileTooLarge = Errno(rawValue: EFBIG)
  public static let noSuchProcess = Errno(rawValue: ESRCH)
  public static let noSuchDevice = Errno(rawValue: ENODEV)
  public static let busy = Errno(rawValue: EBUSY)
  public static let addressFamilyNotSupported = Errno(rawValue: EAFNOSUPPORT)
  public static let protocolNotSupported = Errno(rawValue: EPROTONOSUPPORT)
  public static let tooManyUsers = Errno(rawValue: EUSERS)
  public static let blockedByKillSwitch = Errno(rawValue: ERFKILL)
  public static let networkDown = Errno(rawValue: ENETDOWN)
  public static let badDescriptorState = Errno(rawValue: EBADFD)
  public static let notTerminal = Errno(rawValue: ENOTTY)
  public static let inputOutput = Errno(rawValue: EIO)
}

extension Errno: CustomStringConvertible {
  /// The system's own words for it (strerror_r(3)), for example "No such file or directory".
  public var description: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe strerror_r(rawValue, &buffer, buffer.count) == 0 else { return "error \(rawValue)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Makes a system call that answers −1 on failure, again while a signal interrupts it.
///
/// - Returns: what the call answered, never negative.
/// - Throws: `Errno` of the call.
@discardableResult
public func systemCall<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    let error = Errno.current
    if error != .interrupted { throw error }
  }
}

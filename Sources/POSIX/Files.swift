internal import CPOSIX
internal import Glibc

/// Puts `contents` in the place of a file, or makes it: at any moment the old or the new is there, whole.
///
/// - Parameters:
///   - mode: the file's permissions, whatever the umask.
///   - durable: whether the file and its directory are synchronised before it returns; what is only for the moment
///     spares the disk that.
public func replaceFile(
  _ path: String, contents: Span<UInt8>, mode: UInt32 = 0o600, durable: Bool = true
) throws(FileError) {
  let temporary = try writeBeside(path, contents, mode, durable: durable)
  do throws(Errno) {
    try systemCall { unsafe rename(temporary, path) }
  } catch {
    unlinkQuietly(temporary)
    throw FileError(path, "replace", error)
  }
  if durable { try synchronizeDirectory(of: path) }
}

/// Puts `contents` in the place of a file, or makes it; see above.
public func replaceFile(
  _ path: String, contents: [UInt8], mode: UInt32 = 0o600, durable: Bool = true
) throws(FileError) {
  try replaceFile(path, contents: contents.span, mode: mode, durable: durable)
}

/// Makes a file that must not exist yet, whole or not at all; durable when it returns.
///
/// - Throws: `Errno.exists` in the error, and nothing changed, where something of that name is there.
public func createFile(_ path: String, contents: Span<UInt8>, mode: UInt32 = 0o600) throws(FileError) {
  try requireAbsent(path)
  let temporary = try writeBeside(path, contents, mode, durable: true)
  do throws(FileError) {
    try moveFile(temporary, to: path)
  } catch {
    unlinkQuietly(temporary)
    throw error
  }
}

/// Makes a file that must not exist yet; see above.
public func createFile(_ path: String, contents: [UInt8], mode: UInt32 = 0o600) throws(FileError) {
  try createFile(path, contents: contents.span, mode: mode)
}

/// Gives a file another name on the same file system, where nothing of that name exists; durable when it returns.
public func moveFile(_ path: String, to target: String) throws(FileError) {
  do throws(Errno) {
    try systemCall { unsafe cposix_rename_without_replacing(path, target) }
  } catch .invalidArgument {
    // A file system without RENAME_NOREPLACE: a second name never replaces either.
    do throws(Errno) {
      try systemCall { unsafe link(path, target) }
    } catch {
      throw FileError(target, "create", error)
    }
    unlinkQuietly(path)
  } catch {
    throw FileError(target, "create", error)
  }
  try synchronizeDirectory(of: target)
}

/// Throws where something of that name exists: for a command that would do its work in vain.
public func requireAbsent(_ path: String) throws(FileError) {
  guard try fileStatus(path) == nil else { throw FileError(path, "create", .exists) }
}

/// Takes a file away; none of that name is fine.
public func removeFile(_ path: String) throws(FileError) {
  do throws(Errno) {
    try systemCall { unsafe unlink(path) }
  } catch .noEntry {
    return
  } catch {
    throw FileError(path, "remove", error)
  }
  try synchronizeDirectory(of: path)
}

/// What the kernel knows of a file (stat(2)); nil where there is none.
///
/// - Parameter followsLink: whether it is looked at what a symbolic link at its end points to, not at the link (lstat(2)).
public func fileStatus(_ path: String, followsLink: Bool = true) throws(FileError) -> FileStatus? {
  var raw = stat()
  do throws(Errno) {
    try systemCall { unsafe followsLink ? stat(path, &raw) : lstat(path, &raw) }
  } catch .noEntry {
    return nil
  } catch {
    throw FileError(path, "look at", error)
  }
  return FileStatus(raw)
}

/// Refuses a file or directory to which its group or others have access; the error holds the chmod to run.
public func requirePrivate(_ path: String) throws(FileError) {
  guard let status = try fileStatus(path) else { throw FileError(path, "look at", .noEntry) }
  try status.requirePrivate(path)
}

/// Refuses a file that its group or others can change; one that isn't there is the reader's to complain about.
public func requireNotWritableByOthers(_ path: String) throws(FileError) {
  guard let status = try fileStatus(path), status.permissions & 0o022 != 0 else { return }
  throw FileError(path: path, problem: .writableByOthers(permissions: status.permissions))
}

/// Makes a directory, open to its owner only unless `mode` says otherwise, whose parent exists.
///
/// - Returns: whether it was made; false where a directory of that name is there already.
@discardableResult
public func makeDirectory(_ path: String, mode: UInt32 = 0o700) throws(FileError) -> Bool {
  do throws(Errno) {
    try systemCall { unsafe mkdir(path, mode) }
  } catch .exists {
    if try fileStatus(path)?.isDirectory == true { return false }
    throw FileError(path, "create", .notDirectory)
  } catch {
    throw FileError(path, "create", error)
  }
  try synchronizeDirectory(of: path)
  return true
}

/// Makes a directory and those above it that aren't there yet, each open to its owner only.
public func makeDirectories(_ path: String) throws(FileError) {
  if try fileStatus(path)?.isDirectory == true { return }
  let parent = directoryName(path)
  if parent != path, try fileStatus(parent) == nil { try makeDirectories(parent) }
  try makeDirectory(path)
}

/// Overwrites bytes that held a secret (explicit_bzero(3)) and leaves none.
///
/// Only this array: copies that were made of it before are the caller's to wipe.
public func wipe(_ bytes: inout [UInt8]) {
  unsafe bytes.withUnsafeMutableBytes { buffer in
    if let start = buffer.baseAddress { unsafe explicit_bzero(start, buffer.count) }
  }
  bytes = []
}

// MARK: - Pieces

/// Writes a file of a name nobody uses into the directory of `path`, and answers its path.
private func writeBeside(
  _ path: String, _ contents: Span<UInt8>, _ mode: UInt32, durable: Bool
) throws(FileError) -> String {
  let temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp"
  let file: FileDescriptor
  do throws(Errno) {
    file = try FileDescriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
  } catch {
    throw FileError(path, "create", error)
  }
  do throws(Errno) {
    // The umask of programs that hold secrets takes the others' bits away.
    let number = file.number
    try systemCall { fchmod(number, mode) }
    try file.writeAll(contents)
    if durable { try file.synchronize() }
  } catch {
    unlinkQuietly(temporary)
    throw FileError(path, "write", error)
  }
  return temporary
}

/// Makes the names in a file's directory durable.
private func synchronizeDirectory(of path: String) throws(FileError) {
  let directory = directoryName(path)
  do throws(Errno) {
    try FileDescriptor.open(directory, O_RDONLY | O_DIRECTORY).synchronize()
  } catch .invalidArgument {
    // A file system whose directories can't be synchronised.
  } catch {
    throw FileError(directory, "synchronise", error)
  }
}

/// The path of the directory that holds a file: "." for a bare name.
public func directoryName(_ path: String) -> String {
  guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// Takes away what is of no use any more, while another error is on its way.
private func unlinkQuietly(_ path: String) { _ = unsafe unlink(path) }

import POSIX
import TestSupport
import Testing

@Suite struct FilesTests {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test(arguments: [0, 1, 4095, 4096, 4097, 100_000])
  func whatIsWrittenIsReadAgain(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try createFile(folder("made"), contents: bytes)
    try replaceFile(folder("replaced"), contents: [1])
    try replaceFile(folder("replaced"), contents: bytes)
    #expect(try readFile(folder("made"), limit: count) == bytes)
    #expect(try readFile(folder("replaced"), limit: count, onlyPrivate: true) == bytes)
    #expect(try folder.names() == ["made", "replaced"])
  }

  @Test func filesAreTheOwnersUnlessSaidOtherwise() throws {
    try createFile(folder("a"), contents: [])
    try replaceFile(folder("b"), contents: [])
    try replaceFile(folder("c"), contents: [], mode: 0o640)
    try makeDirectory(folder("d"))
    // Whatever the umask.
    try replaceFile(folder("e"), contents: [], mode: 0o666, durable: false)
    let modes = try ["a", "b", "c", "d", "e"].map { try fileStatus(folder($0))?.permissions }
    #expect(modes == [0o600, 0o600, 0o640, 0o700, 0o666])
  }

  @Test func nothingIsOverwrittenAndNothingIsLeft() throws {
    try folder.write("there", "old")
    let error = #expect(throws: FileError.self) { try createFile(folder("there"), contents: [1]) }
    #expect(error?.errno == .exists)
    #expect(error?.description == "can't create \(folder("there")): File exists")
    #expect(throws: FileError.self) { try moveFile(folder("there"), to: folder("there")) }
    #expect(throws: FileError.self) { try createFile(folder("absent/there"), contents: [1]) }
    #expect(throws: FileError.self) { try replaceFile(folder("absent/there"), contents: [1]) }
    #expect(try folder.text("there") == "old")
    #expect(try folder.names() == ["there"])
  }

  @Test func aFailedReplacementKeepsTheOldOne() throws {
    try folder.makeDirectory("full")
    try folder.write("full/inside", "kept")
    #expect(throws: FileError.self) { try replaceFile(folder("full"), contents: [1]) }
    #expect(try folder.text("full/inside") == "kept")
    #expect(try folder.names() == ["full"])
  }

  @Test func moveTakesAFreeNameOnly() throws {
    try folder.write("one", "1")
    try folder.write("two", "2")
    let error = #expect(throws: FileError.self) { try moveFile(folder("one"), to: folder("two")) }
    #expect(error?.errno == .exists)
    try moveFile(folder("one"), to: folder("three"))
    #expect(try folder.names() == ["three", "two"])
    #expect(try folder.text("three") == "1")
  }

  @Test(arguments: [
    (UInt32(0o644), false, "mode 0644", "chmod 600"), (0o604, false, "mode 0604", "chmod 600"),
    (0o620, false, "mode 0620", "chmod 600"), (0o755, true, "mode 0755", "chmod 700"),
  ])
  func whatOthersCanReachIsRefusedWithTheCommandThatMendsIt(
    mode: UInt32, isDirectory: Bool, found: String, mend: String
  ) throws {
    let path = folder("it's")
    if isDirectory { try makeDirectory(path, mode: mode) } else { try folder.write("it's", "secret", mode: mode) }
    let error = #expect(throws: FileError.self) { try requirePrivate(path) }
    let quoted = "'\(folder.path)/it'\\''s'"
    #expect(error?.description == "\(path): others have access to it (\(found)); run: \(mend) \(quoted)")
    if !isDirectory {
      #expect(throws: FileError.self) { try readFile(path, limit: 100, onlyPrivate: true) }
      #expect(try readFile(path, limit: 100) == Array("secret".utf8))
    }
  }

  @Test func whatIsTooLongAbsentOrNoFileIsSaid() throws {
    try folder.write("long", "12345")
    #expect(complaint { _ = try readFile(folder("long"), limit: 4) } == "\(folder("long")): longer than 4 bytes")
    #expect(
      complaint { _ = try readFile(folder("none"), limit: 4) }
        == "can't read \(folder("none")): No such file or directory")
    #expect(complaint { _ = try readFile(folder.path, limit: 4) } == "\(folder.path): not a regular file")
    #expect(complaint { try requirePrivate(folder("none")) }?.hasSuffix("No such file or directory") == true)
    #expect(try fileStatus(folder("none")) == nil)
    #expect(complaint { _ = try makeDirectory(folder("long")) } == "can't create \(folder("long")): Not a directory")
  }

  @Test func aFileOfTheKernelHasNoLengthAndIsRead() throws {
    #expect(try readFile("/proc/self/stat", limit: 4096).isEmpty == false)
  }

  @Test func removingIsDoneOrWasDone() throws {
    try folder.write("gone", "")
    try removeFile(folder("gone"))
    try removeFile(folder("gone"))
    #expect(try folder.names() == [])
    #expect(try makeDirectory(folder("d")))
    #expect(try !makeDirectory(folder("d")))
    #expect(throws: FileError.self) { try removeFile(folder("d")) }
  }

  @Test(arguments: [("a/b", "a"), ("/a", "/"), ("a", "."), ("/a/b/c", "/a/b"), ("a/", "a")])
  func theDirectoryOfAPath(path: String, directory: String) { #expect(directoryName(path) == directory) }

  @Test func aLockIsHeldOnce() throws {
    do {
      let held = try FileLock.acquire(folder("lock"))
      let error = #expect(throws: FileError.self) { _ = try FileLock.acquire(folder("lock")) }
      #expect(error?.problem == .busy)
      _ = consume held
    }
    _ = try FileLock.acquire(folder("lock"))
    #expect(try fileStatus(folder("lock"))?.permissions == 0o600)
  }

  @Test(.enabled(if: SmallFileSystem.isPossible, "mounting needs CAP_SYS_ADMIN"))
  func aLockIsTakenOnADiskThatHasBecomeReadOnly() throws {
    let disk = try SmallFileSystem(in: folder, size: "64k")
    do { _ = try FileLock.acquire(disk("lock")) }
    try disk.remount(size: "64k", readOnly: true)
    let held = try FileLock.acquire(disk("lock"))
    let error = #expect(throws: FileError.self) { _ = try FileLock.acquire(disk("lock")) }
    #expect(error?.problem == .busy)
    withExtendedLifetime(held) {}
  }

  @Test func wipingLeavesNothing() {
    var bytes: [UInt8] = [1, 2, 3]
    wipe(&bytes)
    #expect(bytes.isEmpty)
    wipe(&bytes)
  }

  private func complaint(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch { return "\(error)" }
  }
}

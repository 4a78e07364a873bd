import Glibc
import LockHardware
import POSIX
import TestSupport
import Testing

@Suite struct CommandLockTests {
  private let reports = Reports()
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A lock whose two programs are these lines of shell, run in the test's folder; each leaves its action in `log`.
  private func lock(
    unlock: String = "", lock: String = "", timeLimit: Duration = .seconds(20)
  ) throws -> CommandLock {
    func words(_ script: String) -> [String] {
      ["/bin/sh", "-c", "cd '\(folder.path)'; echo $LATCHKEY_ACTION >> log; \(script)"]
    }
    let commands = LockCommands(unlock: words(unlock), lock: words(lock), timeLimit: timeLimit)
    return try CommandLock(name: "front", commands, report: reports.reporter)
  }

  private func log() throws -> [Substring] { try folder.text("log").split(separator: "\n") }

  @Test func bothProgramsRunWithTheirEnvironment() throws {
    let lock = try lock(unlock: "env > environment")
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: .now() + .seconds(1))
    #expect(try reports.next().event == .moved(.open))
    #expect(try reports.next().event == .moved(.closed))
    #expect(try log() == ["lock", "unlock", "lock"])
    #expect(try environment("environment") == Self.fixed.union(["LATCHKEY_ACTION=unlock"]))
  }

  private static let fixed: Set = [
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LATCHKEY_DOOR=front",
  ]

  /// What `env` wrote, but for what a shell adds of its own.
  private func environment(_ name: String) throws -> Set<String> {
    let lines = try folder.text(name).split(separator: "\n").map(String.init)
    return Set(lines.filter { line in !["PWD=", "OLDPWD=", "SHLVL=", "_="].contains { line.hasPrefix($0) } })
  }

  @Test func aMovementKnowsWhoseItIsUntilTheLockIsClosedAgain() throws {
    let lock = try lock(unlock: "env > unlock.env", lock: "env > lock.env")
    #expect(try reports.next().cause == nil)
    #expect(try environment("lock.env") == Self.fixed.union(["LATCHKEY_ACTION=lock"]))
    let cause = LockCause(event: 41, credential: "alice-phone", holder: "Zoë Example")
    lock.open(until: .now() + .seconds(1), for: cause)
    let opened = try reports.next()
    #expect(opened.event == .moved(.open) && opened.cause == cause)
    let whose: Set = ["LATCHKEY_EVENT=41", "LATCHKEY_CREDENTIAL=alice-phone", "LATCHKEY_HOLDER=Zoë Example"]
    #expect(try environment("unlock.env") == Self.fixed.union(whose).union(["LATCHKEY_ACTION=unlock"]))
    let closed = try reports.next()
    #expect(closed.event == .moved(.closed) && closed.cause == cause)
    #expect(try environment("lock.env") == Self.fixed.union(whose).union(["LATCHKEY_ACTION=lock"]))
    lock.stop()
    #expect(try reports.next().cause == nil)
    #expect(try environment("lock.env") == Self.fixed.union(["LATCHKEY_ACTION=lock"]))
  }

  @Test func theyBeginInTheirDirectory() throws {
    let commands = LockCommands(
      unlock: ["/bin/sh", "-c", "pwd > where"], lock: ["/bin/true"], directory: folder.path)
    let lock = try CommandLock(name: "front", commands, report: reports.reporter)
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try reports.next().event == .moved(.open))
    #expect(try folder.text("where").hasSuffix("\(folder.path.split(separator: "/").last ?? "?")\n"))
  }

  @Test func aDirectoryThatIsNotThereIsSaid() throws {
    let commands = LockCommands(unlock: ["/bin/true"], lock: ["/bin/true"], directory: "/does/not/exist")
    let lock = try CommandLock(name: "front", commands, report: reports.reporter)
    #expect(try reports.next().event == .failed(.closed, reason: "the directory /does/not/exist isn't there"))
    lock.stop()
  }

  @Test func whatTheyWriteIsReportedBeforeWhatBecameOfThem() throws {
    let lock = try lock(unlock: "echo 'relay 3 on'; printf 'warm\\033[31m\\tcoil' >&2; exit 4")
    #expect(try reports.next().event == .moved(.closed))
    let cause = LockCause(event: 7)
    lock.open(until: nil, for: cause)
    let first = try reports.next()
    #expect(first.event == .output(.open, line: "relay 3 on") && first.cause == cause)
    #expect(try reports.next().event == .output(.open, line: "warm\u{FFFD}[31m coil"))
    #expect(try reports.next().event == .failed(.open, reason: "the unlock command ended with exit code 4"))
    lock.stop()
  }

  @Test func aProgramThatWritesWithoutEndIsReadAndItsFirstLinesAreTold() throws {
    let lock = try lock(unlock: "yes | head -c 10000000")
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    for _ in 0..<20 { #expect(try reports.next().event == .output(.open, line: "y")) }
    #expect(try reports.next().event == .output(.open, line: "… and more, which is dropped"))
    #expect(try reports.next().event == .moved(.open))
  }

  @Test func whatAProgramLeavesBehindHoldsUpNothing() throws {
    let pipe = try NamedPipe(folder("pipe"))
    // The one left behind keeps the output open, and ends when the test lets it.
    let lock = try lock(unlock: "echo done; (exec 3> pipe; echo up >&3; read x < hold) & ")
    try run(executable: "/usr/bin/mkfifo", [folder("hold")]).expecting(exit: 0)
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try reports.next().event == .output(.open, line: "done"))
    #expect(try reports.next().event == .moved(.open))
    #expect(try pipe.next() == Array("up\n".utf8))
    try folder.write("hold", "\n")
    #expect(try pipe.next() == [])
  }

  @Test func overlappingPulsesRunNothingTwice() throws {
    let lock = try lock()
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: .now() + .seconds(20))
    #expect(try reports.next().event == .moved(.open))
    let end = BootInstant.now() + .milliseconds(100)
    for step in 1...10 { lock.open(until: end + .milliseconds(10 - step)) }
    var report = try reports.next()
    while report.event == .stands(.open) { report = try reports.next() }
    #expect(report.at >= end)
    lock.stop()
    // Once more at the end, whatever is known of it.
    #expect(try log() == ["lock", "unlock", "lock", "lock"])
  }

  @Test func anExitCodeIsLookedAt() throws {
    let lock = try lock(unlock: "exit 3")
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try reports.next().event == .failed(.open, reason: "the unlock command ended with exit code 3"))
    #expect(try reports.next().event == .moved(.closed))
    lock.stop()
    // Once more at the end, whatever is known of it.
    #expect(try log() == ["lock", "unlock", "lock", "lock"])
  }

  @Test func aSignalIsLookedAt() throws {
    let lock = try lock(unlock: "kill -TERM $$")
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try reports.next().event == .failed(.open, reason: "the unlock command ended with SIGTERM"))
  }

  @Test func whatIsNotThereIsSaid() throws {
    let commands = LockCommands(unlock: ["/does/not/exist"], lock: ["true"])
    let lock = try CommandLock(name: "front", commands, report: reports.reporter)
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    let reason = "the unlock command “/does/not/exist” can't be run: No such file or directory"
    #expect(try reports.next().event == .failed(.open, reason: reason))
    #expect(try reports.next().event == .moved(.closed))
  }

  /// The late program is killed with what it started: the pipe that both hold ends.
  @Test func aLateProgramIsKilledWithItsGroup() throws {
    let pipe = try NamedPipe(folder("pipe"))
    let lock = try lock(unlock: "exec 3> pipe; echo up >&3; sleep 1000 & sleep 1000", timeLimit: .seconds(2))
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try pipe.next() == Array("up\n".utf8))
    #expect(try pipe.next() == [])
    let reason = "the unlock command took longer than 2.0 seconds and was killed"
    #expect(try reports.next().event == .failed(.open, reason: reason))
    #expect(try reports.next().event == .moved(.closed))
  }

  @Test func aNewerCloseBreaksAnOpeningOff() throws {
    let pipe = try NamedPipe(folder("pipe"))
    let lock = try lock(unlock: "exec 3> pipe; echo up >&3; sleep 1000")
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try pipe.next() == Array("up\n".utf8))
    lock.close()
    #expect(try pipe.next() == [])
    #expect(try reports.next().event == .moved(.closed))
    lock.stop()
    // Once more at the end, whatever is known of it.
    #expect(try log() == ["lock", "unlock", "lock", "lock"])
    #expect(reports.all == [.moved(.closed), .moved(.closed), .moved(.closed)])
  }

  @Test func aClosingThatHangsDoesNotKeepAnybodyIn() throws {
    let pipe = try NamedPipe(folder("pipe"))
    let lock = try lock(lock: "test ! -e hang || { exec 3> pipe; echo up >&3; sleep 1000; }")
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try reports.next().event == .moved(.open))
    try folder.write("hang", "")
    lock.close()
    #expect(try pipe.next() == Array("up\n".utf8))
    lock.letOut(until: .now() + .seconds(1_000))
    #expect(try pipe.next() == [], "it is ended with all that it started")
    #expect(try reports.next().event == .moved(.open))
    try folder.removeTree("hang")
    lock.stop()
  }

  @Test func thePulseEndsWhileTheOpeningStillRuns() throws {
    let lock = try lock(unlock: "sleep 1000")
    #expect(try reports.next().event == .moved(.closed))
    let end = BootInstant.now() + .milliseconds(100)
    lock.open(until: end)
    let failed = try reports.next()
    let reason = "it took longer than the door was to be open, and was broken off"
    #expect(failed.event == .failed(.open, reason: reason), "whoever looks after the door must hear of it")
    #expect(failed.at >= end)
    #expect(try reports.next().event == .moved(.closed))
  }

  @Test func anOpeningThatIsOvertakenHasNotFailed() throws {
    let lock = try lock(unlock: "touch begun; sleep 1000")
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: .now() + .seconds(1_000))
    try folder.awaitFile("begun")
    lock.close()
    #expect(try reports.next().event == .moved(.closed))
  }

  @Test func aLockThatWasMovedBySomethingElseIsMovedAgain() throws {
    let lock = try lock()
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try reports.next().event == .moved(.open))
    lock.refresh()
    #expect(try reports.next().event == .moved(.open))
  }

  @Test func aFailedClosingIsReportedAndTriedAgain() throws {
    let lock = try lock(lock: "test -e mended")
    let failure = LockReport.Event.failed(.closed, reason: "the lock command ended with exit code 1")
    #expect(try reports.next().event == failure)
    #expect(try reports.next().event == failure)
    try folder.write("mended", "")
    while try reports.next().event == failure {}
    #expect(reports.all.last == .moved(.closed))
    lock.stop()
  }

  @Test func stoppingGivesUpAfterThreeTries() throws {
    let lock = try lock(lock: "test ! -e broken")
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try reports.next().event == .moved(.open))
    try folder.write("broken", "")
    lock.stop()
    for _ in 0..<3 {
      #expect(try reports.next().event == .failed(.closed, reason: "the lock command ended with exit code 1"))
    }
    #expect(try log() == ["lock", "unlock", "lock", "lock", "lock"])
  }
}

/// The reading end of a pipe that programs know by its name; it ends when nobody is left who writes.
private struct NamedPipe: ~Copyable {
  private let file: FileDescriptor

  init(_ path: String) throws {
    try systemCall { unsafe mkfifo(path, 0o600) }
    file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
  }

  /// What is written next; nothing: the last writer is gone.
  func next() throws -> [UInt8] {
    var poller = Poller([(file.number, .readable)])
    guard try poller.wait(until: .now() + .seconds(20)) else { throw TestError("nothing happened to the pipe") }
    return try file.read(upTo: 100)
  }
}

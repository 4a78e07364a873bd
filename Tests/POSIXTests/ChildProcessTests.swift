import Glibc
import POSIX
import TestSupport
import Testing

private func shell(_ script: String, _ environment: [String] = []) throws -> ChildProcess {
  try ChildProcess(["/bin/sh", "-c", script], environment: environment)
}

private func soon() -> BootInstant { .now() + .seconds(20) }

/// Runs `body` on a thread that ends with it, so that what it blocks stays its own.
private func onItsOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
  let result = Monitor<Result<Value, any Error>?>(nil)
  let thread = try Thread(name: "test") {
    let value = Result { try body() }
    result.withLock { $0 = value }
  }
  thread.join()
  return try #require(result.withLock { $0 }).get()
}

@Suite struct ChildProcessTests {
  @Test(arguments: [
    ("exit 0", ProcessEnd.exited(0)), ("exit 255", .exited(255)), ("kill -TERM $$", .signalled(.terminate)),
    ("kill -KILL $$", .signalled(.kill)),
  ])
  func itsEndIsTold(_ script: String, _ end: ProcessEnd) throws {
    var child = try shell(script)
    #expect(try child.wait(until: soon()) == end)
    #expect(try child.wait(until: soon()) == end)
    #expect(child.kill() == end)
  }

  @Test func endsHaveWords() {
    #expect("\(ProcessEnd.exited(3)) \(ProcessEnd.signalled(.terminate))" == "exit code 3 SIGTERM")
    #expect("\(Signal(rawValue: 999))" == "signal 999")
  }

  @Test func itGetsItsEnvironmentOnly() throws {
    var child = try shell("test \"$(env | grep -v ^PWD= | grep -v ^_= | grep -v ^SHLVL=)\" = A=b", ["A=b"])
    #expect(try child.wait(until: soon()) == .exited(0))
  }

  @Test func whatThisProcessHasOpenIsNotPassedOn() throws {
    // As whoever started the daemon may have left it: not close-on-exec.
    let inherited = dup(STDERR_FILENO)
    defer { close(inherited) }
    var child = try shell("test ! -e /proc/self/fd/\(inherited)")
    #expect(try child.wait(until: soon()) == .exited(0))
  }

  @Test func itLeadsItsOwnGroupAndReadsNothing() throws {
    var child = try shell("test \"$(cut -d' ' -f5 /proc/$$/stat)\" = $$ && ! read line")
    #expect(try child.wait(until: soon()) == .exited(0))
  }

  @Test func signalsAreAsTheyWereMeant() throws {
    // The test's own process ignores SIGPIPE and this thread blocks SIGTERM: the child does neither.
    StandardStream.ignoreBrokenPipes()
    let end = try onItsOwnThread {
      _ = try SignalQueue(blocking: [.terminate])
      // glibc lets nobody touch its two internal signals, 32 and 33: they stay as the test's runner left them.
      let script =
        "test \"$(grep -E 'Sig(Blk|Ign)' /proc/$$/status | grep -cE ':\\s0+(180000000|100000000|80000000)?$')\" = 2"
      var child = try shell(script)
      return try child.wait(until: soon())
    }
    #expect(end == .exited(0))
  }

  @Test(arguments: [["/does/not/exist"], ["/etc/passwd"], [], ["/bin/sh\0x"]])
  func whatCannotStartSaysWhy(_ arguments: [String]) {
    let error = #expect(throws: Errno.self) { _ = try ChildProcess(arguments, environment: []) }
    #expect([.noEntry, .permissionDenied, .invalidArgument].contains(error))
  }

  @Test func aDeadlineLeavesItRunning() throws {
    var child = try shell("sleep 1000")
    #expect(try child.wait(until: .now()) == nil)
    #expect(kill(child.number, 0) == 0)
    #expect(child.kill() == .signalled(.kill))
    #expect(kill(child.number, 0) == -1)
  }

  /// The end of a pipe's other side is the proof that nobody of the group is left.
  @Test(arguments: [true, false])
  func theWholeGroupIsKilled(byItsEndOfLife: Bool) throws {
    let folder = try TemporaryDirectory()
    try systemCall { unsafe mkfifo(folder("pipe"), 0o600) }
    // The shell ends at once; what it left behind holds the pipe.
    var child: ChildProcess? = try shell("(echo up; exec sleep 1000) > '\(folder("pipe"))' & exit 0")
    let pipe = try FileDescriptor.open(folder("pipe"), O_RDONLY)
    #expect(try pipe.read(upTo: 3) == Array("up\n".utf8))
    if byItsEndOfLife { child = nil } else { child?.kill() }
    #expect(try pipe.read(upTo: 1) == [])
  }
}

@Suite struct SignalQueueTests {
  @Test func aSignalToThisThreadWaitsThere() throws {
    let seen = try onItsOwnThread {
      let signals = try SignalQueue(blocking: [.hangUp, .interrupt])
      let before = try signals.next(until: .now())
      pthread_kill(pthread_self(), SIGHUP)
      return [before, try signals.next(until: soon()), try signals.next(until: .now())]
    }
    #expect(seen == [nil, .hangUp, nil])
  }
}

@Suite struct SystemClockStateTests {
  @Test func theKernelAnswers() throws {
    // What it says depends on the machine; that an unsynchronised clock isn't called exact doesn't.
    let state = try SystemClockState.current()
    #expect(state.maximumError >= .zero)
    #expect(state.isSynchronized || state.maximumError > .zero)
  }
}

@Suite struct ProcessEnvironmentTests {
  @Test func unsetAndEmptyAreNil() {
    unsafe setenv("LATCHKEY_TEST_EMPTY", "", 1)
    unsafe setenv("LATCHKEY_TEST_SET", "a b", 1)
    #expect(ProcessEnvironment["LATCHKEY_TEST_EMPTY"] == nil)
    #expect(ProcessEnvironment["LATCHKEY_TEST_UNSET"] == nil)
    #expect(ProcessEnvironment["LATCHKEY_TEST_SET"] == "a b")
  }
}

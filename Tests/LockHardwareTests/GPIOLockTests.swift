import LockHardware
import POSIX
import RelayGuard
import TestSupport
import Testing

/// A guard of a few lines of shell: what it reads is in `log`, and what it is told to do otherwise is in files.
private let fakeGuard = """
  #!/bin/sh
  cd "${0%/*}"
  line="$4"
  echo "start $*" >> log
  test ! -e refuse || { echo "error $(cat refuse)"; exit 69; }
  echo $$ > "pid.$line"
  echo closed
  while read -r message rest; do
    test "$message" = beat || echo "$line $message" >> log
    case "$message" in
      close) echo closed ;;
      open | hold) if test -e stubborn; then echo closed; else echo open; fi ;;
      beat) if test -e shut; then echo closed; else echo open; fi ;;
    esac
  done
  echo "$line end" >> log
  """

@Suite struct GPIOLockTests {
  private let reports = Reports()
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try folder.write("guard", fakeGuard)
    try run(executable: "/bin/chmod", ["755", folder("guard")]).expecting(exit: 0)
  }

  private func lock(_ lines: [UInt32] = [17]) throws -> GPIOLock {
    let lines = lines.map { RelayLine(chip: "gpiochip0", place: .number($0), isActiveLow: true) }
    return try GPIOLock(name: "front", program: folder("guard"), lines: lines, report: reports.reporter)
  }

  private func log() throws -> [Substring] { try folder.text("log").split(separator: "\n") }

  private func kill(_ line: Int = 17, _ signal: String = "-KILL") throws {
    let process = try folder.text("pid.\(line)").prefix { $0 != "\n" }
    try run(executable: "/bin/kill", [signal, String(process)]).expecting(exit: 0)
  }

  @Test func aPulseIsOneOpeningWithItsDeadlineAndOneClosing() throws {
    let lock = try lock()
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: .now() + .milliseconds(300))
    #expect(try reports.next().event == .moved(.open))
    #expect(try reports.next().event == .moved(.closed))
    lock.stop()
    let start =
      "start --chip gpiochip0 --line 17 --active-low --consumer latchkey front --heartbeat 2s --user 65534"
    // Once more at the end, whatever is known of it; and then the guard is let go.
    #expect(try log() == [start[...], "17 open", "17 close", "17 close", "17 end"])
  }

  @Test func anExtensionIsToldToTheGuard() throws {
    let lock = try lock()
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: .now() + .seconds(20))
    #expect(try reports.next().event == .moved(.open))
    lock.open(until: .now() + .seconds(21))
    #expect(try reports.next().event == .stands(.open))
    lock.open(until: nil)
    #expect(try reports.next().event == .stands(.open))
    lock.stop()
    #expect(try log().dropFirst() == ["17 open", "17 open", "17 hold", "17 close", "17 end"])
  }

  @Test func whereNoGuardRunsAnOpeningStartsOne() throws {
    try folder.write("refuse", "no such line")
    let lock = try lock()
    for _ in 0..<3 {
      guard case .failed(.closed, _) = try reports.next().event else { throw TestError("no failure: \(reports.all)") }
    }
    try folder.removeTree("refuse")
    // The closing is tried again in a second: who wants to get out now doesn't wait for that.
    lock.letOut(until: .now() + .seconds(1_000))
    while case .failed(.closed, _) = try reports.next().event {}
    #expect(reports.all.last == .moved(.open) || reports.all.contains(.moved(.open)))
    lock.stop()
  }

  @Test func severalRelaysMoveTogether() throws {
    let lock = try lock([17, 18])
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try reports.next().event == .moved(.open))
    lock.stop()
    for line in [17, 18] {
      let own = try log().filter { $0.hasPrefix("\(line) ") }
      #expect(own == ["\(line) hold", "\(line) close", "\(line) end"])
    }
  }

  @Test(arguments: [true, false])
  func aGuardThatEndsIsReportedAndReplaced(isOpen: Bool) throws {
    let lock = try lock()
    #expect(try reports.next().event == .moved(.closed))
    if isOpen {
      lock.open(until: nil)
      #expect(try reports.next().event == .moved(.open))
    }
    try kill()
    let failure = LockReport.Event.failed(isOpen ? .open : .closed, reason: "the relay guard ended with SIGKILL")
    #expect(try reports.next().event == failure)
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try reports.next().event == .moved(.open), "the new one works")
    lock.stop()
  }

  @Test func aGuardThatHangsAtTheEndOfAPulseIsToldToHaveClosedLate() throws {
    let lock = try lock()
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: .now() + .seconds(60))
    #expect(try reports.next().event == .moved(.open))
    try kill(17, "-STOP")
    lock.close()
    let late = "the relay guard doesn't answer: it was closed by another, and late"
    // A beat that comes first finds the same.
    let first = try reports.next().event
    if first != .failed(.open, reason: "the relay guard doesn't answer") {
      #expect(first == .failed(.closed, reason: late))
    }
    #expect(try reports.next().event == .moved(.closed))
    lock.stop()
  }

  @Test func oneOfTwoRelaysThatIsLostClosesBoth() throws {
    let lock = try lock([17, 18])
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try reports.next().event == .moved(.open))
    try kill(18)
    #expect(try reports.next().event == .failed(.open, reason: "the relay guard ended with SIGKILL"))
    #expect(try reports.next().event == .moved(.closed))
    #expect(try log().contains("17 end"))
    lock.stop()
  }

  @Test func aGuardThatIsLostAgainAndAgainIsReplacedOnceASecond() throws {
    let lock = try lock()
    #expect(try reports.next().event == .moved(.closed))
    let began = BootInstant.now()
    for _ in 0..<3 {
      try kill()
      #expect(try reports.next().event == .failed(.closed, reason: "the relay guard ended with SIGKILL"))
      #expect(try reports.next().event == .moved(.closed))
    }
    #expect(BootInstant.now() - began >= .seconds(2))
    lock.stop()
  }

  @Test func aGuardThatShutByItselfIsTold() throws {
    let lock = try lock()
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try reports.next().event == .moved(.open))
    try folder.write("shut", "")
    let reason = "the relay guard shut by itself: this process had stopped, or came too late"
    #expect(try reports.next().event == .failed(.open, reason: reason))
    #expect(try reports.next().event == .moved(.closed))
    lock.stop()
  }

  @Test func anOpeningThatTheGuardRefusesFails() throws {
    try folder.write("stubborn", "")
    let lock = try lock()
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: .now() + .seconds(20))
    #expect(try reports.next().event == .failed(.open, reason: "the relay guard stayed closed"))
    #expect(try reports.next().event == .moved(.closed))
    lock.stop()
  }

  @Test func aLineThatCanNotBeHadIsSaidAndTriedAgain() throws {
    try folder.write("refuse", "no GPIO chip")
    let lock = try lock()
    let failure = LockReport.Event.failed(.closed, reason: "the relay guard: no GPIO chip")
    #expect(try reports.next().event == failure)
    #expect(try reports.next().event == failure)
    try run(executable: "/bin/rm", [folder("refuse")]).expecting(exit: 0)
    while try reports.next().event == failure {}
    #expect(reports.all.last == .moved(.closed))
    lock.stop()
  }

  @Test func aGuardThatIsNotThereIsSaid() throws {
    let lock = try GPIOLock(
      name: "front", program: "/does/not/exist", lines: [RelayLine(chip: "gpiochip0", place: .number(1))],
      report: reports.reporter)
    let reason = "the relay guard “/does/not/exist” can't be started: No such file or directory"
    #expect(try reports.next().event == .failed(.closed, reason: reason))
    lock.stop()
  }

  /// A guard that hangs is killed, and another one closes the line.
  @Test func aGuardThatHangsIsReplaced() throws {
    let lock = try lock()
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try reports.next().event == .moved(.open))
    try kill(17, "-STOP")
    #expect(try reports.next().event == .failed(.open, reason: "the relay guard doesn't answer"))
    #expect(try reports.next().event == .moved(.closed))
    lock.stop()
  }
}

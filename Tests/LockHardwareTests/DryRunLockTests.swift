import LockHardware
import POSIX
import Testing

@Suite struct DryRunLockTests {
  private let reports = Reports()

  @Test func aPulseEndsByItself() throws {
    let lock = try DryRunLock(name: "front", report: reports.reporter)
    #expect(try reports.next().event == .moved(.closed))
    let end = BootInstant.now() + .seconds(1)
    lock.open(until: end)
    #expect(try reports.next().event == .moved(.open))
    let closed = try reports.next()
    #expect(closed.event == .moved(.closed))
    #expect(closed.at >= end)
    lock.stop()
    #expect(reports.all.count == 4)
  }

  @Test func overlappingPulsesAreOne() throws {
    let lock = try DryRunLock(name: "front", report: reports.reporter)
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: .now() + .seconds(20))
    #expect(try reports.next().event == .moved(.open))
    let end = BootInstant.now() + .milliseconds(100)
    lock.open(until: end)
    #expect(try reports.next().event == .stands(.open), "it needn't move")
    #expect(try reports.next().at >= end)
    lock.stop()
    #expect(reports.all == [.moved(.closed), .moved(.open), .stands(.open), .moved(.closed), .moved(.closed)])
  }

  @Test func aCloseEndsAHold() throws {
    let lock = try DryRunLock(name: "front", report: reports.reporter)
    #expect(try reports.next().event == .moved(.closed))
    lock.open(until: nil)
    #expect(try reports.next().event == .moved(.open))
    lock.close()
    #expect(try reports.next().event == .moved(.closed))
  }

  @Test(arguments: [true, false])
  func stoppingClosesFirst(byItsEndOfLife: Bool) throws {
    var lock: DryRunLock? = try DryRunLock(name: "front", report: reports.reporter)
    #expect(try reports.next().event == .moved(.closed))
    lock?.open(until: nil)
    #expect(try reports.next().event == .moved(.open))
    if byItsEndOfLife { lock = nil } else { lock?.stop() }
    #expect(reports.all == [.moved(.closed), .moved(.open), .moved(.closed)])
    lock?.open(until: nil)
    lock?.stop()
    #expect(reports.all.count == 3)
  }
}

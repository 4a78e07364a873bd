import POSIX
import Testing

@testable import HCI

@Suite struct ReportQueueTests {
  private func drain(_ queue: ReportQueue, until deadline: BootInstant? = BootInstant(nanoseconds: 0)) -> [[UInt8]] {
    var events: [[UInt8]] = []
    queue.drain(until: deadline) { event, _ in events.append(bytes(event)) }
    return events
  }

  @Test func handsOnInOrderWithArrival() {
    let queue = ReportQueue(capacity: 8)
    for number in 1...3 as ClosedRange<UInt8> {
      queue.push([number, number].span, arrival: BootInstant(nanoseconds: UInt64(number)))
    }
    var arrivals: [UInt64] = []
    let count = queue.drain(until: nil) { event, arrival in
      #expect(event[0] == UInt8(arrival.nanoseconds))
      arrivals.append(arrival.nanoseconds)
    }
    #expect(count == 3 && arrivals == [1, 2, 3])
    #expect(drain(queue).isEmpty)
  }

  @Test func dropsAndCountsWhatDoesNotFit() {
    let queue = ReportQueue(capacity: 2)
    let taken = (1...4 as ClosedRange<UInt8>).map { queue.push([$0].span, arrival: .now()) }
    #expect(taken == [true, true, false, false])
    #expect(queue.dropped == 2)
    #expect(drain(queue) == [[1], [2]])
    let again = queue.push([5].span, arrival: .now())
    #expect(again)
    #expect(drain(queue) == [[5]])
  }

  @Test func theLongestEventFitsTheSmallestQueue() {
    let queue = ReportQueue(capacity: 1)
    let longest = [UInt8](repeating: 7, count: 257)
    let fits = queue.push(longest.span, arrival: .now())
    #expect(fits && drain(queue) == [longest])
    let isTooLong = !queue.push((longest + [7]).span, arrival: .now())
    #expect(isTooLong)
  }

  @Test func aWakeUpEndsOneWait() throws {
    let queue = ReportQueue()
    queue.wake()
    #expect(drain(queue, until: nil).isEmpty)
    let thread = try Thread(name: "wake") { queue.wake() }
    #expect(drain(queue, until: nil).isEmpty)
    thread.join()
    #expect(drain(queue).isEmpty)
  }

  @Test func losesNothingBetweenThreads() throws {
    let queue = ReportQueue(capacity: 1 << 14)
    let count = 10_000
    let thread = try Thread(name: "push") {
      for number in 0..<count {
        queue.push([UInt8(truncatingIfNeeded: number), UInt8(number >> 8)].span, arrival: .now())
      }
    }
    var next = 0
    while next < count {
      queue.drain(until: nil) { event, _ in
        #expect(Int(event[0]) | Int(event[1]) << 8 == next)
        next += 1
      }
    }
    thread.join()
    #expect(queue.dropped == 0)
  }
}

@Suite struct RadioCountersTests {
  @Test func everyCounterIsNamedAndAdded() {
    let names = RadioCounters().entries.map(\.name)
    let fields = Mirror(reflecting: RadioCounters()).children.compactMap(\.label)
    #expect(names.sorted() == fields.sorted())
    var one = RadioCounters()
    one.reports = 1
    one.reconnects = 2
    var sum = one
    sum += one
    #expect(sum.reports == 2 && sum.reconnects == 4 && sum.droppedEvents == 0)
  }
}

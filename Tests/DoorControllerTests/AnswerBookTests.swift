import AirProtocol
import POSIX
import Testing

@testable import DoorController

@Suite struct AnswerBookTests {
  private func at(_ milliseconds: UInt64) -> BootInstant { BootInstant(nanoseconds: milliseconds * 1_000_000) }

  private func frame(_ number: UInt64) -> Frame { Frame(high: number, low: number) }

  @Test func anAnswerIsSentWhileItIsAskedFor() {
    var book = AnswerBook()
    book.open(frame(1), heard: at(1_000))
    #expect(book.live(at: at(1_000)) == [] && book.deadline(at: at(1_000)) == nil)
    book.answer(frame(1), with: frame(11), now: at(1_010))
    #expect(book.live(at: at(1_010)) == [frame(11)] && book.deadline(at: at(1_010)) == at(1_410))
    book.heardAgain(frame(1), at: at(1_300))
    #expect(book.live(at: at(1_699)) == [frame(11)])
    #expect(book.live(at: at(1_700)) == [], "its holder fell silent")
    book.heardAgain(frame(1), at: at(2_000))
    #expect(book.live(at: at(2_000)) == [frame(11)], "the same bytes")
  }

  @Test func noAnswerIsOlderThanFourSeconds() {
    var book = AnswerBook()
    book.open(frame(1), heard: at(1_000))
    book.answer(frame(1), with: frame(11), now: at(1_000))
    for moment in stride(from: 1_000, to: 6_000, by: 100) as StrideTo<UInt64> {
      book.heardAgain(frame(1), at: at(moment))
      #expect(book.live(at: at(moment)) == (moment < 5_000 ? [frame(11)] : []))
    }
    book.answer(frame(1), with: frame(12), now: at(6_000))
    #expect(book.live(at: at(6_000)) == [])
  }

  @Test func aCommandHasOneAnswer() {
    var book = AnswerBook()
    book.open(frame(1), heard: at(1_000))
    book.answer(frame(1), with: frame(11), now: at(1_000))
    book.answer(frame(1), with: frame(12), now: at(1_001))
    book.answer(frame(2), with: frame(22), now: at(1_001))
    #expect(book.live(at: at(1_002)) == [frame(11)])
  }

  @Test func anAnswerThatTheLockDelaysIsStillSent() {
    var book = AnswerBook()
    book.open(frame(1), heard: at(1_000))
    book.answer(frame(1), with: frame(11), now: at(2_500))
    #expect(book.live(at: at(2_600)) == [frame(11)])
  }

  @Test func aFloodHasAnEnd() {
    var book = AnswerBook()
    for number in 1...100 as ClosedRange<UInt64> {
      book.open(frame(number), heard: at(1_000))
      book.answer(frame(number), with: frame(number + 1_000), now: at(1_000))
    }
    #expect(book.live(at: at(1_001)).count == AnswerBook.limit)
  }
}

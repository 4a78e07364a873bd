import Testing

@testable import AirProtocol

@Suite struct ChallengeSeriesTests {
  private struct Numbers {
    var next: UInt64 = 0
    mutating func draw() -> UInt64 {
      next += 1
      return next
    }
  }

  private func seconds(_ value: Double) -> Duration { .milliseconds(Int(value * 1_000)) }

  /// A series that has sent its first challenge at second 0.
  private func begun(doors: Int = 1) -> ChallengeSeries {
    var series = ChallengeSeries(period: .seconds(2))
    var numbers = Numbers()
    _ = series.draw(doors: doors) { numbers.draw() }
    _ = series.advance(now: .zero) { _ in true }
    return series
  }

  @Test func aChallengeIsSentOnceItsIndexStands() throws {
    var series = ChallengeSeries(period: .seconds(2))
    #expect(series.shown(door: 0, now: .zero) == nil && series.newestSent == nil)
    let isNew = series.draw(doors: 1) { 5 }
    #expect(isNew && series.epochs == [.challenges([Challenge(random: 5)])])
    let again = series.draw(doors: 1) { 6 }
    #expect(!again, "one at a time")
    let early = series.advance(now: .zero) { _ in false }
    #expect(!early && series.shown(door: 0, now: .zero) == nil && series.deadline == nil)
    let sent = series.advance(now: .zero) { _ in true }
    #expect(sent && series.shown(door: 0, now: .zero) == Challenge(random: 5))
  }

  @Test func theNextOneComesAPeriodLaterAndByNothingElse() throws {
    var series = begun()
    let first = try #require(series.shown(door: 0, now: .zero))
    _ = series.draw(doors: 1) { 77 }
    #expect(series.deadline == .seconds(2))
    let early = series.advance(now: seconds(1.9)) { _ in true }
    #expect(!early && series.shown(door: 0, now: seconds(1.9)) == first)
    let due = series.advance(now: .seconds(2)) { _ in true }
    #expect(due && series.shown(door: 0, now: .seconds(2)) == Challenge(random: 77))
    #expect(series.newestSent == 2)
  }

  @Test func itIsLiveForTwoPeriodsFromItsFirstSending() throws {
    var series = begun()
    let first = try #require(series.shown(door: 0, now: .zero))
    _ = series.draw(doors: 1) { 77 }
    #expect(series.number(of: Challenge(random: 77), door: 0, arrival: seconds(1)) == nil, "not sent yet")
    _ = series.advance(now: .seconds(2)) { _ in true }
    #expect(series.number(of: first, door: 0, arrival: seconds(3.9)) == 1)
    #expect(series.number(of: first, door: 0, arrival: seconds(4)) == nil)
    #expect(series.number(of: Challenge(random: 77), door: 0, arrival: seconds(4)) == 2)
    _ = series.draw(doors: 1) { 78 }
    _ = series.advance(now: .seconds(4)) { _ in true }
    #expect(series.number(of: first, door: 0, arrival: seconds(3.9)) == nil, "only the current and the last one")
  }

  @Test func aTimerThatStallsKeepsNoChallengeAlive() throws {
    let series = begun()
    let first = try #require(series.shown(door: 0, now: .zero))
    #expect(series.shown(door: 0, now: seconds(2.9)) == first, "a little late is no harm")
    #expect(series.shown(door: 0, now: .seconds(3)) == nil)
    #expect(series.number(of: first, door: 0, arrival: .seconds(60)) == nil)
  }

  @Test func eachDoorHasItsOwn() throws {
    let series = begun(doors: 2)
    let (front, back) = (
      try #require(series.shown(door: 0, now: .zero)), try #require(series.shown(door: 1, now: .zero))
    )
    #expect(front != back)
    #expect(series.number(of: front, door: 0, arrival: .zero) == 1)
    #expect(series.number(of: front, door: 1, arrival: .zero) == nil)
    #expect(series.number(of: front, door: 2, arrival: .zero) == nil && series.shown(door: 2, now: .zero) == nil)
  }

  @Test func aReloadKeepsWhatStays() throws {
    let series = begun(doors: 2)
    let back = try #require(series.shown(door: 1, now: .zero))
    var numbers = Numbers(next: 1_000)
    let carried = series.carried(to: [1, nil], period: .seconds(2)) { numbers.draw() }
    #expect(carried.shown(door: 0, now: .zero) == back)
    #expect(carried.number(of: back, door: 0, arrival: seconds(1)) == 1)
    #expect(carried.newestSent == 1)
    var next = carried
    _ = next.draw(doors: 2) { numbers.draw() }
    _ = next.advance(now: .seconds(2)) { _ in true }
    #expect(next.newestSent == 2, "numbers go on rising")
  }

  @Test func aRecordedChallengeIsLiveFromItsFirstShowing() {
    var series = ChallengeSeries(period: .seconds(2))
    let (first, second) = (Challenge(random: 1), Challenge(random: 2))
    let taken1 = series.observe(first, door: 0, of: 1, now: .seconds(5))
    #expect(taken1)
    let taken2 = series.observe(first, door: 0, of: 1, now: .seconds(6))
    #expect(!taken2, "each copy says it again")
    #expect(series.number(of: first, door: 0, arrival: seconds(8.9)) == 1)
    #expect(series.number(of: first, door: 0, arrival: seconds(9)) == nil)
    let taken3 = series.observe(second, door: 0, of: 1, now: .seconds(7))
    #expect(taken3)
    #expect(series.newestSent == 2)
    #expect(series.number(of: first, door: 0, arrival: .seconds(8)) == 1)
    let taken4 = series.observe(first, door: 0, of: 1, now: .seconds(8))
    #expect(!taken4, "a late copy makes nothing new")
  }

  @Test func recordedChallengesOfSeveralDoorsBelongTogether() {
    var series = ChallengeSeries(period: .seconds(2))
    let challenges = (0..<4).map { Challenge(random: $0) }
    for (index, door, moment) in [(0, 0, 1.0), (1, 1, 1.1), (2, 0, 3.0), (3, 1, 3.1)] {
      let taken5 = series.observe(challenges[index], door: door, of: 2, now: seconds(moment))
      #expect(taken5)
    }
    #expect(
      series.epochs == [.challenges([challenges[0], challenges[1]]), .challenges([challenges[2], challenges[3]])])
    #expect(series.number(of: challenges[1], door: 0, arrival: .seconds(4)) == nil, "another door's")
    #expect(series.number(of: challenges[1], door: 1, arrival: .seconds(4)) == 1)
    let taken6 = series.observe(challenges[0], door: 2, of: 2, now: .seconds(4))
    #expect(!taken6, "no such door")
  }
}

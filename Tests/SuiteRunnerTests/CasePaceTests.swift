import Testing

@testable import SuiteRunner

/// How many cases may be under way follows how late the lab is.
@Suite struct CasePaceTests {
  private func note(_ pace: inout CasePace, _ milliseconds: Int, times: Int = 1) {
    for _ in 0..<times { pace.note(lateness: .milliseconds(milliseconds)) }
  }

  @Test func aLabThatIsInTimeRunsAsManyAsItMay() {
    var pace = CasePace(most: 8)
    note(&pace, 25, times: 100)
    #expect(pace.limit == 8 && !pace.isReduced)
  }

  @Test func itHalvesOnceForAllThatWereUnderWayTogether() {
    var pace = CasePace(most: 8)
    note(&pace, 0, times: 8)
    note(&pace, 26)
    #expect(pace.limit == 4 && pace.isReduced)
    // The others began before that.
    note(&pace, 90, times: 4)
    #expect(pace.limit == 4)
    note(&pace, 90)
    #expect(pace.limit == 2)
    note(&pace, 90, times: 3)
    #expect(pace.limit == 1)
    note(&pace, 90, times: 50)
    #expect(pace.limit == 1, "one always is")
  }

  @Test func itGrowsByOneWhenAllWereInTimeTwiceOver() {
    var pace = CasePace(most: 4)
    note(&pace, 0, times: 4)
    note(&pace, 100)
    #expect(pace.limit == 2)
    note(&pace, 0, times: 3)
    #expect(pace.limit == 2)
    note(&pace, 0)
    #expect(pace.limit == 3)
    note(&pace, 0, times: 5)
    note(&pace, 26)
    #expect(pace.limit == 1, "a late one begins anew")
    note(&pace, 0, times: 2 + 4 + 6)
    #expect(pace.limit == 4 && !pace.isReduced)
    note(&pace, 0, times: 100)
    #expect(pace.limit == 4)
  }

  @Test func aLateCaseStopsGrowthEvenIfItChangesNothing() {
    var pace = CasePace(most: 8)
    note(&pace, 0, times: 8)
    note(&pace, 100)
    note(&pace, 0, times: 3)
    note(&pace, 100)
    note(&pace, 0, times: 7)
    #expect(pace.limit == 4)
    note(&pace, 0)
    #expect(pace.limit == 5)
  }
}

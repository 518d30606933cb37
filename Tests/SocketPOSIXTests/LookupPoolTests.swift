import Dispatch
import Foundation
import SocketPOSIX
import TestSupport
import Testing

/// The threads that lookups have.
@Suite("Lookup pool")
struct LookupPoolTests {
  /// Answers, as they come.
  private final class Answers: Sendable {
    private let all = LockedValue<[Int]>([])
    var count: Int { all.withLock { $0.count } }
    var set: Set<Int> { all.withLock { Set($0) } }
    func add(_ answer: Int) { all.withLock { $0.append(answer) } }
  }

  @Test("800 lookups that hang have 64 threads, others are answered meanwhile, and in the end no thread is left")
  func manyLookups() throws {
    let name = "lookup-many"
    let pool = LookupPool<Int>(idleTimeout: 50_000_000, name: name)
    let release = DispatchSemaphore(value: 0)
    let answers = Answers()
    for number in 0..<800 {
      let ticket = pool.lookUp("h\(number).zone\(number % 3).dead.example", sharedName: nil) {
        release.wait()
        return number
      } then: {
        answers.add($0)
      }
      #expect(ticket != nil)
    }
    // Sixteen for what is below the dead domain; so there is room for others.
    try eventually("the threads are there") { ProcessFacts.threads(named: name) == 16 }
    for number in 800..<1000 {
      _ = pool.lookUp("quick\(number).test", sharedName: nil) {
        number
      } then: {
        answers.add($0)
      }
      _ = pool.lookUp("quick\(number)", sharedName: nil) {
        -number
      } then: {
        answers.add($0)
      }
    }
    try eventually("the quick ones are answered") { answers.count == 400 }
    for number in 1000..<1100 {
      _ = pool.lookUp("slow\(number)", sharedName: nil) {
        release.wait()
        return number
      } then: {
        answers.add($0)
      }
    }
    // A thread gets its name a little after it was made.
    try eventually("all threads are there") { pool.threads == 64 && ProcessFacts.threads(named: name) == 64 }
    for _ in 0..<900 { release.signal() }
    try eventually("all are answered") { answers.count == 1300 }
    #expect(answers.set.count == 1300)
    try eventually("the threads are gone") { pool.threads == 0 && ProcessFacts.threads(named: name) == 0 }
    // And come back.
    _ = pool.lookUp("again", sharedName: nil) {
      5000
    } then: {
      answers.add($0)
    }
    try eventually("one more") { answers.set.contains(5000) }
  }

  @Test("lookups of one name share a thread and an answer; those given up are not begun")
  func sharing() throws {
    let pool = LookupPool<Int>(limit: 1, domainLimit: 1, idleTimeout: 10_000_000, name: "lookup-share")
    let release = DispatchSemaphore(value: 0)
    let begun = LockedValue(0)
    let answers = Answers()
    let tickets = (0..<50).map { number in
      pool.lookUp("name", sharedName: "name") {
        begun.withLock { $0 += 1 }
        release.wait()
        return 7
      } then: {
        answers.add($0 + number)
      }
    }
    let other = pool.lookUp("other", sharedName: "other") {
      1
    } then: {
      answers.add($0)
    }
    pool.cancel(try #require(other))
    pool.cancel(try #require(tickets[3]))
    release.signal()
    try eventually("all are answered") { answers.count == 49 }
    #expect(begun.withLock { $0 } == 1)
    #expect(answers.set == Set((0..<50).filter { $0 != 3 }.map { $0 + 7 }))
    try eventually("the thread is gone") { pool.threads == 0 }
  }

  /// Calls back when the last closure that holds it goes.
  private final class Farewell: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }
  }

  @Test("what closures hold ends without the pool's lock: its end may cancel other lookups", .timeLimit(.minutes(1)))
  func closuresEnd() throws {
    let pool = LookupPool<Int>(limit: 1, domainLimit: 1, idleTimeout: 10_000_000, name: "lookup-ends")
    let release = DispatchSemaphore(value: 0)
    let answers = Answers()
    let ended = LockedValue(0)
    func lookUp(_ number: Int, _ farewell: Farewell?) -> LookupPool<Int>.Ticket? {
      pool.lookUp("host\(number)", sharedName: nil) {
        release.wait()
        return withExtendedLifetime(farewell) { number }
      } then: {
        withExtendedLifetime(farewell) {}
        answers.add($0)
      }
    }
    @Sendable func end(_ ticket: LookupPool<Int>.Ticket?) {
      ticket.map(pool.cancel)
      ended.withLock { $0 += 1 }
    }
    let (first, second) = (lookUp(1, nil), lookUp(2, nil))
    // The closures of one end where it is cancelled, those of the other on the pool's thread.
    let cancelled = lookUp(3, Farewell { end(second) })
    #expect(lookUp(4, Farewell { end(first) }) != nil)
    pool.cancel(try #require(cancelled))
    #expect(ended.withLock { $0 } == 1)
    for _ in 0..<2 { release.signal() }
    try eventually("those that were not cancelled are answered") { ended.withLock { $0 } == 2 }
    #expect(answers.set == [1, 4])
    try eventually("the thread is gone") { pool.threads == 0 }
  }

  @Test("lookups asked for from everywhere, in bursts and with pauses, are all answered")
  func bursts() throws {
    let pool = LookupPool<Int>(limit: 8, domainLimit: 4, idleTimeout: 1_000_000, name: "lookup-burst")
    let answers = Answers()
    try onThreads(4) { thread in
      for round in 0..<500 {
        let number = thread * 500 + round
        _ = pool.lookUp("h\(round % 7).d\(thread)", sharedName: nil) {
          number
        } then: {
          answers.add($0)
        }
        if round % 50 == 0 { _ = stays(for: 0.002) { true } }
      }
    }
    try eventually("all are answered") { answers.count == 2000 }
    #expect(answers.set.count == 2000)
    try eventually("the threads are gone") { pool.threads == 0 }
  }
}

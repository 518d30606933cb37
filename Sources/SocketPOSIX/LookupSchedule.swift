import DequeModule

/// Which host name is looked up next: the pure half of `LookupPool`.
///
/// Laws
/// - At most `limit` lookups run at once, and at most `domainLimit` of them for names of one domain: a domain whose
///   name servers don't answer holds up its own names only.
/// - Lookups of one name that may share an answer are one run. Those who ask while it is under way get its answer, as
///   long as anybody waits for it: who asks again after having given up is not answered from before that.
/// - Domains take turns; within a domain the first to ask is the first to be served.
/// - A lookup whose tickets were all cancelled before it began never begins.
package struct LookupSchedule<Work, Waiter> {
  /// Names one caller's request for a lookup.
  package struct Ticket: Hashable, Sendable {
    fileprivate let job: UInt64
    fileprivate let number: UInt64
  }

  /// Names a lookup that is running.
  package struct RunID: Hashable, Sendable {
    fileprivate let job: UInt64
  }

  private struct Job {
    let domain: String
    let sharedName: String?
    let work: Work
    var waiters: [(number: UInt64, waiter: Waiter)]
    var isRunning = false
  }

  private struct Domain {
    /// Jobs in order; those given up may still be among them.
    var line = Deque<UInt64>()
    /// Those in the line that have not been cancelled.
    var waiting = 0
    var running = 0
    /// Its entries in `turns`.
    var turns = 0
  }

  private let limit: Int
  private let domainLimit: Int
  private var jobs: [UInt64: Job] = [:]
  private var shared: [String: UInt64] = [:]
  private var domains: [String: Domain] = [:]
  /// Domains that may begin a lookup as soon as there is a thread, once for each.
  private var turns = Deque<String>()
  private var count: UInt64 = 0

  /// Lookups that have begun and not finished.
  package private(set) var running = 0

  package init(limit: Int, domainLimit: Int) {
    self.limit = limit
    self.domainLimit = domainLimit
  }

  /// How many lookups could begin now with a thread for each; some of them may have been cancelled.
  package var ready: Int { min(turns.count, limit - running) }

  /// Lookups that were requested, have not begun and were not cancelled.
  package var waiting: Int { jobs.count - running }

  /// Asks for a lookup of `host`. Lookups with the same `sharedName` may share one answer; nil: a lookup of its own.
  package mutating func add(_ host: String, sharedName: String?, _ work: Work, _ waiter: Waiter) -> Ticket {
    count += 1
    if let sharedName, let job = shared[sharedName] {
      jobs[job]?.waiters.append((count, waiter))
      return Ticket(job: job, number: count)
    }
    let name = Self.domain(of: host)
    jobs[count] = Job(domain: name, sharedName: sharedName, work: work, waiters: [(count, waiter)])
    if let sharedName { shared[sharedName] = count }
    var domain = domains[name] ?? Domain()
    domain.line.append(count)
    domain.waiting += 1
    store(domain, name)
    return Ticket(job: count, number: count)
  }

  /// Cancels the ticket. A lookup that has begun goes on, and others may still share it. Returns what the schedule no
  /// longer holds, for the caller to release where that may run code of others.
  @discardableResult
  package mutating func cancel(_ ticket: Ticket) -> (work: Work?, waiter: Waiter?) {
    guard var job = jobs[ticket.job] else { return (nil, nil) }
    let waiter = job.waiters.firstIndex { $0.number == ticket.number }.map { job.waiters.remove(at: $0).waiter }
    guard job.waiters.isEmpty, !job.isRunning else {
      jobs[ticket.job] = job
      if job.waiters.isEmpty { stopSharing(ticket.job, job) }
      return (nil, waiter)
    }
    forget(ticket.job, job)
    if var domain = domains[job.domain] {
      domain.waiting -= 1
      store(domain, job.domain)
    }
    return (job.work, waiter)
  }

  /// The next lookup, if one may begin; tell `finish` when it is done.
  package mutating func begin() -> (run: RunID, work: Work)? {
    guard running < limit else { return nil }
    while let name = turns.popFirst() {
      guard var domain = domains[name] else { continue }
      domain.turns -= 1
      var next: UInt64?
      while next == nil, let candidate = domain.line.popFirst() { next = jobs[candidate] == nil ? nil : candidate }
      if next != nil {
        domain.waiting -= 1
        domain.running += 1
      }
      store(domain, name)
      guard let next, let work = jobs[next]?.work else { continue }
      jobs[next]?.isRunning = true
      running += 1
      return (RunID(job: next), work)
    }
    return nil
  }

  /// Records that a lookup is done. Returns the waiters for its answer, in the order of their requests.
  package mutating func finish(_ run: RunID) -> [Waiter] {
    guard let job = jobs[run.job], job.isRunning else { return [] }
    forget(run.job, job)
    running -= 1
    if var domain = domains[job.domain] {
      domain.running -= 1
      store(domain, job.domain)
    }
    return job.waiters.map(\.waiter)
  }

  private mutating func forget(_ number: UInt64, _ job: Job) {
    jobs[number] = nil
    stopSharing(number, job)
  }

  private mutating func stopSharing(_ number: UInt64, _ job: Job) {
    if let name = job.sharedName, shared[name] == number { shared[name] = nil }
  }

  /// Keeps the domain, with as many turns as it may use; forgets it if it has nothing to do.
  private mutating func store(_ domain: Domain, _ name: String) {
    var domain = domain
    if domain.waiting == 0 { domain.line.removeAll() }
    while domain.turns < min(domain.waiting, domainLimit - domain.running) {
      domain.turns += 1
      turns.append(name)
    }
    domains[name] = domain.waiting + domain.running + domain.turns == 0 ? nil : domain
  }

  /// The last two labels, or three below a country's `co`, `com` and the like: names that share them are mostly
  /// answered by the same servers. Labels that somebody may have registered are not among those: each name below would
  /// count as a domain of its own, and one owner could take all threads.
  static func domain(of host: String) -> String {
    let labels = host.lowercased().split(separator: ".")
    guard let country = labels.last, let kind = labels.dropLast().last else { return labels.joined(separator: ".") }
    let isSuffix = country.utf8.count == 2 && registries.contains(kind)
    return labels.suffix(isSuffix ? 3 : 2).joined(separator: ".")
  }

  /// What registries of countries call the places where others register.
  private static var registries: Set<Substring> { ["ac", "co", "com", "edu", "go", "gov", "ne", "net", "or", "org"] }
}

/// The workloads: what is measured, why, against whom, and what is asked.
package enum WorkloadTable {
  /// In the order of the report.
  package static let all: [Workload] = echoes + answers + lines + bulk + searches + secure + others + shortcuts

  private static let idleConnections = 10_000
  static let crlf: [UInt8] = [0x0D, 0x0A]

  private static func server(
    _ kind: ServerKind, _ contestant: Contestant, connections: Int = 1, message: Int = 64, size: Int = 65536,
    depth: Int = 1, acknowledge: Int = 1000, title: String? = nil
  ) -> Entry {
    let role = ServerRole(kind, contestant, size: size, depth: depth, acknowledge: acknowledge)
    return Entry(
      contestant.rawValue, title ?? contestant.title, .serve(role, connections: connections, message: message))
  }

  // MARK: Messages

  private static let echoes: [Workload] = [
    echo(
      "echo-1", "Echo of 64 B, 1 connection", connections: 1,
      reason: "The latency of one request and its answer: wake-ups, hops between queues, system calls.",
      comparisons: [
        Comparison("gcd-same", "c", bar: 0.85, aim: 0.95), Comparison("gcd-same", "nio", bar: 1.1, aim: 1.4),
        Comparison("gcd-separate", "nio", bar: 0.75, aim: 0.9), Comparison("gcd-two-queues", "nio"),
        Comparison("gcd-main", "nio"), Comparison("run-loop", "nio", bar: 0.5, aim: 0.7),
      ]),
    echo(
      "echo-50", "Echo of 64 B, 50 connections", connections: 50,
      reason: "The cost of a small message when there is always another one to serve.",
      comparisons: [
        Comparison("gcd-same", "c", bar: 0.75, aim: 0.9), Comparison("gcd-same", "nio", bar: 1.1, aim: 1.4),
        Comparison("gcd-separate", "nio", bar: 1.0, aim: 1.2), Comparison("gcd-two-queues", "nio", bar: 0.7, aim: 0.9),
        Comparison("gcd-main", "nio"), Comparison("run-loop", "nio", bar: 0.4, aim: 0.6),
      ]),
  ]

  private static func echo(
    _ id: String, _ title: String, connections: Int, reason: String, comparisons: [Comparison]
  ) -> Workload {
    let contestants: [Contestant] = [.gcdSame, .gcdSeparate, .gcdTwoQueues, .gcdMain, .runLoop, .nio, .c]
    return Workload(
      id, title, unit: "messages/s", reason: reason,
      entries: contestants.map {
        server(.echo, $0, connections: connections, title: $0 == .c ? "epoll in C" : nil)
      },
      comparisons: comparisons)
  }

  private static let answers: [Workload] = [
    answer(
      "answer-1", "Answers of header and body, 1 connection that stays open", connections: 1,
      reason: """
        How most servers answer: two small writes, made in a block on the delegate queue, not in the callback. Whoever \
        leaves Nagle's algorithm on sends the body 40 ms later.
        """,
      comparisons: [
        Comparison("gcd-separate", "c", bar: 0.5, aim: 0.8), Comparison("gcd-separate", "nio", bar: 0.75, aim: 1.0),
        Comparison("gcd-same", "nio", bar: 0.75, aim: 1.0), Comparison("gcd-two-queues", "nio"),
      ]),
    answer(
      "answer-50", "Answers of header and body, 50 connections that stay open", connections: 50,
      reason: "The same when there is always another request.",
      comparisons: [
        Comparison("gcd-separate", "c", bar: 0.4, aim: 0.6), Comparison("gcd-separate", "nio", bar: 0.75, aim: 1.0),
        Comparison("gcd-same", "nio", bar: 0.75, aim: 1.0), Comparison("gcd-two-queues", "nio"),
      ]),
  ]

  private static func answer(
    _ id: String, _ title: String, connections: Int, reason: String, comparisons: [Comparison]
  ) -> Workload {
    let contestants: [Contestant] = [.gcdSame, .gcdSeparate, .gcdTwoQueues, .nio, .c]
    return Workload(
      id, title, unit: "answers/s", reason: reason,
      entries: contestants.map {
        server(.respond, $0, connections: connections, size: 64, title: $0 == .c ? "epoll in C" : nil)
      },
      comparisons: comparisons)
  }

  private static let lines: [Workload] = [
    Workload(
      "lines", "CRLF lines of 32 B, handed out as Data", unit: "lines/s",
      reason: """
        What a text protocol costs: each line is searched, cut, and handed out, and the next read is queued in \
        didRead. NIO has a ByteToMessageDecoder that hands out Data.
        """,
      entries: [.gcdSame, .gcdSeparate, .gcdTwoQueues, .runLoop, .nio, .c].map {
        server(.lines, $0, message: 32, title: $0 == .c ? "epoll and memmem in C" : nil)
      },
      comparisons: [
        Comparison("gcd-same", "nio", bar: 1.0, aim: 2.0), Comparison("gcd-separate", "nio", bar: 0.5, aim: 1.2),
        Comparison("gcd-two-queues", "nio"), Comparison("gcd-same", "c"),
        Comparison("run-loop", "nio", bar: 0.5, aim: 0.8),
      ])
  ]

  // MARK: Bulk

  private static let bulk: [Workload] = [
    Workload(
      "bulk-read", "Reads of 64 KiB to length", unit: "B/s",
      reason: "What the library adds to copying: the rival receives into fresh memory and does nothing else.",
      entries: [.gcdSame, .gcdSeparate, .nio, .c].map {
        server(.receive, $0, message: 65536, acknowledge: 16, title: $0 == .c ? "recv loop in C" : nil)
      },
      comparisons: [
        Comparison("gcd-same", "c", bar: 0.9, aim: 1.0), Comparison("gcd-separate", "c"), Comparison("gcd-same", "nio"),
      ]),
    Workload(
      "bulk-write", "Writes of 64 KiB, queued 4 deep", unit: "B/s",
      reason: "The same for sending. Four are queued, so that the next is there when one is done.",
      entries: [.gcdSame, .gcdSeparate, .nio, .c].map {
        server(.send, $0, depth: 4, title: $0 == .c ? "send loop in C" : nil)
      },
      comparisons: [
        Comparison("gcd-same", "c", bar: 0.9, aim: 1.0), Comparison("gcd-separate", "c"), Comparison("gcd-same", "nio"),
      ]),
    Workload(
      "small-write", "Writes of 64 B, queued 64 deep", unit: "B/s",
      reason: "The cost of a write itself: queueing, completion, callback. The rival makes one system call for each.",
      entries: [.gcdSame, .gcdSeparate, .gcdTwoQueues, .gcdMain, .nio, .c].map {
        server(.send, $0, size: 64, depth: 64, title: $0 == .c ? "send loop in C" : nil)
      },
      comparisons: [
        Comparison("gcd-same", "c", bar: 0.5, aim: 1.0), Comparison("gcd-separate", "c", bar: 2.0, aim: 4.0),
        Comparison("gcd-two-queues", "c"), Comparison("gcd-main", "c"), Comparison("gcd-same", "nio"),
      ]),
  ]

  // MARK: Search

  private static let searches: [Workload] = [
    search(
      "search-1", "Search for 1 byte in prose", for: [0x0A], in: .prose, rival: .memchr, bar: 0.7, aim: 1.0,
      reason: "The floor under every delimiter: glibc's memchr is written by hand in vector instructions."),
    search(
      "search-2", "Search for CRLF in prose", for: crlf, in: .prose, rival: .memmem, bar: 3, aim: 8,
      reason: "The delimiter of most text protocols."),
    search(
      "search-4", "Search for CRLFCRLF in prose", for: crlf + crlf, in: .prose, rival: .memmem, bar: 3, aim: 8,
      reason: "The end of a header, and memmem's general method."),
    search(
      "search-4-lines", "Search for CRLFCRLF in CRLF lines", for: crlf + crlf, in: .lines, rival: .memmem, bar: nil,
      aim: nil, reason: "The same where every line ends with the delimiter's last byte. Printed, not judged."),
  ]

  private static func search(
    _ id: String, _ title: String, for delimiter: [UInt8], in content: Search.Content, rival: Search.Method,
    bar: Double?, aim: Double?, reason: String
  ) -> Workload {
    let size = 1 << 18
    let name = rival == .memchr ? "memchr" : "memmem"
    return Workload(
      id, title, unit: "B/s", reason: reason,
      entries: [
        Entry("subject", "SocketCore", .search(Search(.whole, in: content, size: size, for: delimiter))),
        Entry(name, "glibc's \(name)", .search(Search(rival, in: content, size: size, for: delimiter))),
      ],
      comparisons: [Comparison("subject", name, bar: bar, aim: aim)])
  }

  // MARK: TLS

  private static let secure: [Workload] = [
    Workload(
      "tls-write", "TLS 1.3: writes of 64 KiB, queued 4 deep", unit: "B/s",
      reason: """
        What the library adds to encryption. AES-128-GCM for all. The client counts records without decrypting \
        them, so that only the sender is measured.
        """,
      entries: [.gcdSame, .nio, .c].map { server(.tlsSend, $0, depth: 4, title: tlsTitle($0)) },
      comparisons: [
        Comparison("gcd-same", "c", bar: 0.85, aim: 0.95), Comparison("gcd-same", "nio", bar: 1.0, aim: 1.3),
      ]),
    Workload(
      "tls-read", "TLS 1.3: reads of 64 KiB to length", unit: "B/s",
      reason: "The same for receiving.",
      entries: [.gcdSame, .nio, .c].map {
        server(.tlsReceive, $0, message: 65536, acknowledge: 16, title: tlsTitle($0))
      },
      comparisons: [
        Comparison("gcd-same", "c", bar: 0.85, aim: 0.95), Comparison("gcd-same", "nio", bar: 1.0, aim: 1.3),
      ]),
  ]

  private static func tlsTitle(_ contestant: Contestant) -> String? {
    contestant == .c ? "OpenSSL in C" : contestant == .nio ? "NIOSSL" : nil
  }

  // MARK: Others

  private static let others: [Workload] = [
    Workload(
      "idle-memory", "Memory of an idle connection, \(idleConnections) of them", unit: "B", direction: .lower,
      reason: """
        A server holds thousands of connections that do nothing. Each has echoed one message before; what the process \
        holds more than with ten connections is divided by their number. The kernel's part is not counted. The class \
        on a run loop may take half a KiB more than the other one.
        """,
      entries: [.gcdSame, .gcdSeparate, .runLoop, .nio, .c].map {
        Entry($0.rawValue, $0.title, .idle(ServerRole(.echo, $0), connections: idleConnections))
      },
      comparisons: [
        Comparison("gcd-separate", "nio", bar: 1.0, aim: 0.5), Comparison("gcd-same", "nio", bar: 1.0, aim: 0.5),
        Comparison("run-loop", "gcd-separate", allowance: 512, bar: 1.0, aim: 0.9),
      ]),
    Workload(
      "simulated", "Cases of ten events in the simulated world, one core", unit: "cases/s",
      reason: "Thousands of seeds a second are its purpose. Processor time; cases of 8 to 12 events.",
      entries: [Entry("subject", "Simulation", .scenarios(batch: 50))],
      comparisons: [Comparison("subject", nil, bar: 5000, aim: 20000)]),
  ]
}

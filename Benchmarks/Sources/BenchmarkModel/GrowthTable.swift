/// How cost grows: one thing is varied, and a cost that grows faster than it is a defect.
package enum GrowthTable {
  /// In the order of the report.
  package static let all: [GrowthSeries] = sockets + searches + commands

  private typealias Line = GrowthSeries.Line

  private static let sockets: [GrowthSeries] = [
    GrowthSeries(
      "line-length", "Cost of a line by its length", size: "bytes", cost: "one line",
      reason: "A long line must cost its bytes, not its bytes times the segments it comes in.",
      sizes: [16, 64, 256, 1024, 4096, 16384, 65536, 262_144], quickSizes: [256, 4096, 65536],
      lines: [Contestant.gcdSame, .nio].map { who in
        Line(who.rawValue, who.title, isSubject: who.isSubject, whole: { _ in 1 }) { size in
          // A byte back for about every 64 KiB.
          .serve(ServerRole(.lines, who, acknowledge: max(1, 65536 / size)), connections: 1, message: size)
        }
      }),
    GrowthSeries(
      "write-queue", "Cost of a write queue by its depth", size: "writes of 64 B", cost: "the whole queue",
      reason: "A user may queue as much as memory holds; putting in and taking out must not look at the rest.",
      sizes: [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536], quickSizes: [16, 256, 4096],
      lines: [Contestant.gcdSame, .nio].map { who in
        Line(who.rawValue, who.title, isSubject: who.isSubject, whole: { Double($0 * 64) }) { depth in
          .serve(ServerRole(.send, who, size: 64, depth: depth), connections: 1, message: 64)
        }
      }),
    GrowthSeries(
      "read-queue", "Cost of a read queue by its depth", size: "reads of 64 B", cost: "the whole queue",
      reason: "The same for reads.",
      sizes: [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536], quickSizes: [16, 256, 4096],
      lines: [
        Line("gcd-same", Contestant.gcdSame.title, isSubject: true, whole: { Double($0 * 64) }) { depth in
          .serve(ServerRole(.receive, .gcdSame, size: 64, depth: depth), connections: 1, message: 64)
        }
      ]),
    GrowthSeries(
      "connections", "Cost of a round of echoes by the number of connections", size: "connections",
      cost: "one echo on each", reason: "Whoever serves one connection must not look at the others.",
      sizes: [1, 10, 100, 1000, 10000], quickSizes: [10, 100, 1000],
      lines: [Contestant.gcdSame, .gcdSeparate, .nio, .c].map { who in
        Line(who.rawValue, who.title, isSubject: who.isSubject, whole: { Double($0) }) { connections in
          .serve(ServerRole(.echo, who), connections: connections, message: 64)
        }
      }),
  ]

  private static let searched = 1 << 18

  private static func delimiter(_ length: Int) -> [UInt8] {
    (0..<length).map { $0 == length - 1 ? 0x0A : $0 == length - 2 ? 0x0D : UInt8(0x61 + $0 % 26) }
  }

  private static let searches: [GrowthSeries] = [
    search(
      "delimiter-length", "Cost of a search by the delimiter's length", in: .prose,
      reason: "A quarter of a MiB of prose; a longer delimiter should cost no more."
    ) { delimiter($0) },
    search(
      "hostile-delimiter", "Cost of a hostile search by the delimiter's length", in: .hostile,
      reason: "The content is one byte over and over, and all of the delimiter but one: every place is almost a match."
    ) { Array(repeating: 0x61, count: $0 - 2) + [0x62, 0x61] },
    GrowthSeries(
      "drip-size", "Cost of a line of 64 KiB by the number of its drips", size: "drips", cost: "the whole line",
      reason: "The finer a line drips in, the more searches; each must go on where the last one stopped.",
      sizes: [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536], quickSizes: [256, 4096, 65536],
      lines: [
        Line("subject", "SocketCore", isSubject: true, whole: { _ in 65536 }) { drips in
          .search(Search(.dripped(65536 / drips), in: .prose, size: 65536, for: WorkloadTable.crlf))
        }
      ]),
    GrowthSeries(
      "drip-buffered", "Cost of a line that drips in byte by byte, by its length", size: "bytes",
      cost: "the whole line", reason: "The cost of a byte must not depend on how many are buffered already.",
      sizes: [1024, 4096, 16384, 65536, 262_144, 1_048_576], quickSizes: [1024, 16384, 262_144],
      lines: [(2, "CRLF"), (64, "64 bytes")].map { length, title in
        Line("delimiter-\(length)", "SocketCore, \(title)", isSubject: true, whole: { Double($0) }) { size in
          .search(Search(.dripped(1), in: .prose, size: size, for: delimiter(length)))
        }
      }),
  ]

  private static func search(
    _ id: String, _ title: String, in content: Search.Content, reason: String,
    _ delimiter: @escaping @Sendable (Int) -> [UInt8]
  ) -> GrowthSeries {
    let methods: [(String, String, Search.Method)] = [
      ("subject", "SocketCore", .whole), ("memmem", "glibc's memmem", .memmem),
    ]
    return GrowthSeries(
      id, title, size: "bytes of the delimiter", cost: "one search", reason: reason,
      sizes: [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], quickSizes: [4, 32, 256],
      lines: methods.map { id, title, method in
        Line(id, title, isSubject: id == "subject", whole: { _ in Double(searched) }) { length in
          .search(Search(method, in: content, size: searched, for: delimiter(length)))
        }
      })
  }

  private static let commands: [GrowthSeries] = [
    GrowthSeries(
      "scenario-count", "Cost of `./lab run --world simulated` by its scenario files", size: "cases, a file each",
      cost: "the whole command",
      reason: "Reading, running, judging and all reports: no file must cost more because there are others.",
      sizes: [100, 300, 1000, 3000, 10000, 20000], quickSizes: [100, 300, 1000],
      lines: [
        Line("subject", "socketlab run", isSubject: true, whole: { Double($0) }) { .command(.run, files: $0) }
      ]),
    GrowthSeries(
      "check-count", "Cost of `./lab check` by its scenario files", size: "files", cost: "the whole command",
      reason: "The same for reading alone.",
      sizes: [100, 300, 1000, 3000, 10000, 20000], quickSizes: [100, 300, 1000],
      lines: [
        Line("subject", "socketlab check", isSubject: true, whole: { Double($0) }) { .command(.check, files: $0) }
      ]),
  ]
}

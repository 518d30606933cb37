import Foundation
import HostTools
import RunHistory
import TestSupport
import Testing

@testable import SuiteRunner

/// The history while several processes change it: here as many threads, which have locks of their own like processes.
@Suite struct HistoryKeeperTests {
  private final class Place {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("history-\(UUID().uuidString)").path
    var keeper: HistoryKeeper { HistoryKeeper(output: path) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private static func entry(_ name: String) -> HistoryEntry {
    HistoryEntry(kind: .benchmarks, name: name, startedAt: "1970-01-01T00:00:00Z", commit: nil, host: "h", size: 1)
  }

  private static func folder(_ number: Int) -> String { "1970-01-01T00-00-\(number + 10)Z" }

  @Test func noLineIsLostToARebuildOrToPruning() throws {
    let place = Place()
    let pruned = 40
    for number in 0..<pruned { try HostFiles.makeFolder("\(place.path)/\(Self.folder(number))") }
    let keeper = place.keeper
    let failures = try Concurrently.run(6) { worker in
      for number in 0..<pruned {
        switch worker {
        case 0: _ = try keeper.rebuild()
        case 1:
          _ = try keeper.prune(keep: pruned - 1 - number, olderThan: nil, now: 0, isTrial: false, forgets: true)
        default: try keeper.append(Self.entry("\(worker)-\(number)"))
        }
      }
    }
    #expect(failures.isEmpty, "\(failures)")
    #expect(try keeper.entries().count == 4 * pruned)
    #expect(try RunFolders.all(in: place.path).isEmpty)
  }

  @Test func whatManyAddAtOnceIsThereOnce() throws {
    let place = Place()
    let keeper = place.keeper
    for round in 0..<20 {
      let failures = try Concurrently.run(8) { _ in _ = try keeper.add(Self.entry("\(round)")) }
      #expect(failures.isEmpty, "\(failures)")
    }
    #expect(try keeper.entries().map(\.name) == (0..<20).map { "\($0)" })
  }

  /// Runs of two machines may begin in the same second.
  @Test func anotherEntryOfThatNameGetsANumber() throws {
    let keeper = Place().keeper
    var other = Self.entry("a")
    other.size = 2
    var third = other
    third.size = 3
    let added = try [Self.entry("a"), other, third, other, Self.entry("a")].map { try keeper.add($0) }
    #expect(added.map(\.entry.name) == ["a", "a-2", "a-3", "a-2", "a"])
    #expect(added.map(\.isNew) == [true, true, true, false, false])
  }

  /// A newer lab may read them.
  @Test func linesThatCannotBeReadAreKept() throws {
    let place = Place()
    let keeper = place.keeper
    _ = try keeper.add(Self.entry("a"))
    for line in [#"{"history": 2, "new": true}"#, "nonsense"] {
      let text = try String(contentsOfFile: keeper.path, encoding: .utf8)
      try (text + line + "\n").write(toFile: keeper.path, atomically: true, encoding: .utf8)
      #expect(try keeper.rebuild().lines == 1)
    }
    #expect(try keeper.entries().map(\.name) == ["a"])
    let unread = try String(contentsOfFile: keeper.unreadPath, encoding: .utf8)
    #expect(unread == "{\"history\": 2, \"new\": true}\nnonsense\n")
  }

  @Test func aFolderThatIsNotThereIsNotMade() {
    let place = Place()
    #expect(throws: UsageFailure.self) { try place.keeper.rebuild() }
    #expect(throws: UsageFailure.self) {
      try place.keeper.prune(keep: 1, olderThan: nil, now: 0, isTrial: false, forgets: false)
    }
    #expect(!FileManager.default.fileExists(atPath: place.path))
  }
}

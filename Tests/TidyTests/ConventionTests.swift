import Testing

/// What the house does not do, and what it always does.
@Suite struct ConventionTests {
  /// Things that turn a wrong guess about input into a trap, or a test into a lottery.
  private static let banned: [(text: String, why: String)] = [
    ("try!", "handle the error"),
    ("fatalError(", "use precondition for our own bugs, errors for everybody else's, misuse where none can be told"),
    ("TO" + "DO", "finish it or leave it out"),
    ("FIX" + "ME", "fix it"),
    ("Thread.sleep", "time is an argument"),
    ("usleep(", "time is an argument"),
    ("Task.sleep", "time is an argument"),
    ("Task {", "a queue API keeps order; unstructured tasks do not"),
    ("Task.immediate {", "a queue API keeps order; unstructured tasks do not"),
  ]

  /// Where libFuzzer comes in: it takes a trap for a finding, and it finds its entry points by their symbols.
  private static let fuzzerEntry = "Sources/FuzzHarness/FuzzProcess.swift"
  private static let traps: Set = [fuzzerEntry, "Sources/SocketValues/Misuse.swift"]

  /// A delegate's asynchronous method can be called in a task only; while it is, the handshake waits for its answer.
  private static let asksInTask = "Sources/CocoaAsyncSocket/GCDAsyncSocketDelegate+Defaults.swift"

  @Test(arguments: Repository.sources + Repository.benchmarks)
  func usesNothingThatIsBanned(_ file: Repository.File) {
    for (index, line) in file.lines.enumerated() {
      for rule in Self.banned where line.contains(rule.text) {
        if rule.text == "fatalError(", Self.traps.contains(file.path) { continue }
        if rule.text == "Task.immediate {", file.path == Self.asksInTask { continue }
        Issue.record("\(file.path):\(index + 1) uses \(rule.text): \(rule.why)")
      }
    }
  }

  /// What the compiler does not check, a comment beside it must explain.
  @Test(arguments: Repository.sources + Repository.benchmarks)
  func explainsWhatIsUnchecked(_ file: Repository.File) {
    for (index, line) in file.lines.enumerated()
    where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
      let around = file.lines[max(0, index - 3)...min(file.lines.count - 1, index + 6)]
      #expect(
        around.contains { $0.contains("Unchecked:") || $0.contains("Unsafe:") },
        "\(file.path):\(index + 1) needs a comment that begins with \"Unchecked:\" or \"Unsafe:\" and says why")
    }
  }

  /// One idea per word: a reader who knows a type's name knows the type, whatever module it is in.
  @Test func noTypeHasAnothersName() {
    let typeDeclaration = Self.typeDeclaration
    var places: [Substring: [String]] = [:]
    for file in Repository.sources {
      // An expression takes its time, and most lines are inside of something.
      for (index, line) in file.lines.enumerated() where line.first?.isLetter == true || line.hasPrefix("@") {
        guard let match = line.prefixMatch(of: typeDeclaration) else { continue }
        places[match.1, default: []].append("\(file.path):\(index + 1)")
      }
    }
    for (name, places) in places where places.count > 1 {
      Issue.record("\(name) is declared twice: \(places.joined(separator: ", "))")
    }
  }

  /// At the top of a file, and not private to it.
  private static var typeDeclaration: Regex<(Substring, Substring)> {
    #/
      (?:@\w+(?:\([^)]*\))?\ )*  (?:(?:public|package|open|final|indirect)\ )*
      (?:struct|class|enum|protocol|actor|typealias)\ (\w+)
    /#
  }

  /// Types that one lock confines, or that lock themselves, each with how many of its fields the run time does not
  /// check for overlapping accesses.
  private static let unchecked = [
    "CocoaAsyncSocket/DescriptorDriver.swift": 9, "CocoaAsyncSocket/RunLoopDriver.swift": 11,
    "CocoaAsyncSocket/SocketDriver.swift": 17, "CocoaAsyncSocket/SocketLock.swift": 2,
    // The anchor of a bug, which quotes a field's declaration.
    "PlantedBugs/PlantedBug+StartRules.swift": 1,
    "SocketCore/ByteBlock.swift": 5, "SocketCore/RunLoopEngine.swift": 8, "SocketCore/SocketEngine.swift": 16,
    "SocketCore/SocketMachine.swift": 8, "SocketCore/StreamMachine.swift": 31, "SocketPOSIX/LockedValue.swift": 1,
  ]

  /// An access from another module is checked whatever the attribute says: such a field only looks quick.
  @Test func exclusivityIsUncheckedWhereALockConfinesIt() {
    let attribute = "@exclusivity(" + "unchecked)"
    var found: [String: Int] = [:]
    for file in Repository.sources {
      for (index, line) in file.lines.enumerated() where line.contains(attribute) {
        found[String(file.path.dropFirst("Sources/".count)), default: 0] += 1
        let isSeen = line.contains("package") || line.contains("public")
        #expect(!isSeen, "\(file.path):\(index + 1) is seen by other modules: compute it from a private field")
      }
    }
    #expect(found == Self.unchecked, "add to the list only what a lock confines")
  }

  /// The library's two modules, and the door for the benchmarks, which are another package.
  private static let publicRooms = ["Sources/CocoaAsyncSocket/", "Sources/Security/", "Sources/BenchmarkProbes/"]

  @Test(arguments: Repository.sources)
  func onlyTheLibraryIsPublic(_ file: Repository.File) {
    guard !Self.publicRooms.contains(where: file.path.hasPrefix), file.path != Self.fuzzerEntry else { return }
    for (index, line) in file.lines.enumerated() {
      let words = line.split(separator: " ")
      #expect(
        !(words.first == "public" || words.first == "open"),
        "\(file.path):\(index + 1) is public; outside the library things are package, internal or private")
    }
  }

  /// The project speaks of itself alone.
  @Test(arguments: Repository.texts)
  func namesNoPlaceOfTheMachineItWasWrittenOn(_ file: Repository.File) {
    let places = ["/wo" + "rk/", "/opt/swift-" + "packages", "../sha" + "red"]
    for (index, line) in file.lines.enumerated() {
      for place in places where line.contains(place) {
        Issue.record("\(file.path):\(index + 1) names \(place)")
      }
    }
  }

  /// The manifest would only warn of one that is gone, and its tests would not run under the sanitizers any more.
  @Test func theTestFilesThatTheManifestNamesAreThere() throws {
    let manifest = try #require(Repository.texts.first { $0.path == "Package.swift" })
    let names = manifest.lines.flatMap { $0.matches(of: /"(\w+\.swift)"/).map { String($0.output.1) } }
    let missing = Set(names).subtracting(Repository.tests.map(\.name))
    #expect(!names.isEmpty && missing.isEmpty, "\(missing.sorted())")
  }

  @Test(arguments: Repository.scenarios)
  func scenariosTellTheEditorTheirSchema(_ file: Repository.File) {
    guard !["requirements.yaml", "known-deviations.yaml"].contains(file.name) else { return }
    let depth = file.path.split(separator: "/").count - 2
    let schema = String(repeating: "../", count: depth) + "schema.json"
    #expect(file.lines.first == "# yaml-language-server: $schema=\(schema)", "\(file.path) lacks its modeline")
  }
}

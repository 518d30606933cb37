import ScenarioModel
import Testing

/// The classes that a scenario is played with, by its matrix, its requirements and what it uses.
@Suite struct SubjectKindTests {
  private static let place = SourcePosition(line: 3, column: 5)

  private static func scenario(
    _ commands: [SubjectCommand] = [], _ edit: (inout Scenario) -> Void = { _ in }
  ) -> Scenario {
    var scenario = Scenario(id: "a/b", title: "t")
    scenario.requirements = ["INV-01", "CON-01"]
    let steps = commands.map { LocatedStep(.command($0, socket: "socket", refusal: nil), at: place) }
    scenario.subjects = [SubjectLane(name: "socket", steps: steps)]
    edit(&scenario)
    return scenario
  }

  private static let move = SubjectCommand.runLoop(RunLoopCommand(.move(to: "worker"), returns: true))
  private static let perform = SubjectCommand.perform([.disconnect])

  // MARK: - Variants

  @Test func theRunLoopClassIsPlayedOncePerPointWithoutQueuesSpeedsAndPaths() {
    let matrix = Matrix(
      subjects: [.gcd, .runLoop], families: [.ipv4, .unix], segmentations: [.whole, .bytes], queues: [.separate, .own],
      securities: [.plain, .tls13], speeds: [.plain, .all])
    let variants = Self.scenario { $0.matrix = matrix }.variants
    #expect(
      variants.filter { $0.subject == .runLoop }.map(\.name) == [
        "ipv4-run-loop", "ipv4-run-loop-tls1.3", "ipv4-run-loop-bytes", "ipv4-run-loop-bytes-tls1.3",
      ])
    #expect(variants.prefix { $0.subject == .gcd }.count == variants.count - 4)
    var before = matrix
    before.subjects = nil
    #expect(variants.filter { $0.subject == .gcd } == Self.scenario { $0.matrix = before }.variants)
    #expect(Self.scenario { $0.matrix = matrix }.variant(named: "ipv4-run-loop-bytes")?.subject == .runLoop)
    #expect(Set(variants.map(\.name)).count == variants.count)
  }

  @Test func queuesThatOnlyTheOtherClassHasLeaveOneVariant() {
    let matrix = Matrix(subjects: [.runLoop], queues: [.shared, .own], speeds: [.plain])
    #expect(Self.scenario { $0.matrix = matrix }.variants.map(\.name) == ["ipv4-run-loop"])
  }

  // MARK: - Derivation

  @Test func anEntryOfOneClassDecides() {
    let scopes: [String: RequirementScope] = ["RL-01": .runLoop, "CFG-01": .gcd]
    func kinds(_ ids: [String], _ commands: [SubjectCommand] = []) -> [SubjectKind] {
      Self.scenario(commands) { $0.requirements = ids }.boundSubjects { scopes[$0] ?? .any }
    }
    #expect(kinds(["INV-01"]) == [.gcd, .runLoop])
    #expect(kinds(["INV-01", "RL-01"]) == [.runLoop])
    #expect(kinds(["INV-01", "CFG-01"]) == [.gcd])
    #expect(kinds(["INV-01", "RL-01"], [Self.perform]) == [.runLoop])
    #expect(kinds(["INV-01"], [.disconnect]) == [.gcd, .runLoop])
    #expect(kinds(["INV-01"], [Self.perform]) == [.gcd])
    #expect(kinds(["INV-01"], [Self.move]) == [.runLoop])
    #expect(kinds(["INV-01"], [Self.move, Self.perform]) == [.gcd])
    #expect(kinds([]) == [.gcd])
  }

  @Test func aMatrixThatSaysItsSubjectsKeepsThem() {
    let scenario = Self.scenario { $0.matrix.subjects = [.gcd] }
    #expect(scenario.withBoundSubjects { _ in .runLoop } == scenario)
    let silent = Self.scenario()
    #expect(silent.withBoundSubjects { _ in .any }.matrix.subjects == (SubjectKind.isDerived ? [.gcd, .runLoop] : nil))
  }

  // MARK: - Features

  private static let commands: [(SubjectCommand, SubjectKind?)] = [
    (perform, .gcd), (.setDelegateQueue("q"), .gcd), (.blockDelegateQueue, .gcd), (.answerTrust(true), .gcd),
    (.set(.ipv4Enabled(true)), .gcd), (.set(.userData("x")), .gcd), (.set(.userNumber(7)), .runLoop), (move, .runLoop),
    (.connect(ConnectCommand(target: .path("x"))), .gcd), (.connect(ConnectCommand(target: .peer("peer"))), nil),
    (.connect(ConnectCommand(target: .peer("peer"), interface: "lo")), .gcd),
    (.connect(ConnectCommand(target: .address([2, 0]), interface: "127.0.0.1")), nil),
    (.listen(ListenCommand(place: .path("x"))), .gcd), (.listen(ListenCommand(place: .anywhere(port: .free))), nil),
    (.startTLS(TLSCommand()), nil), (.setDelegate(nil), nil), (.release, nil), (.exhaustDescriptors, nil),
  ]

  @Test(arguments: commands.indices) func aCallIsOneClasses(index: Int) {
    let (command, owner) = Self.commands[index]
    let features = Self.scenario([command]).features
    #expect(features.map(\.owner) == (owner.map { [$0] } ?? []))
    #expect(features.allSatisfy { $0.position == Self.place })
  }

  @Test func manualTrustIsTheOtherClasses() {
    var tls = TLSCommand()
    tls.manualTrust = true
    #expect(Self.scenario([.startTLS(tls)]).features.map(\.owner) == [.gcd])
  }

  @Test func socketsPeersAndFamiliesCount() {
    let scenario = Self.scenario {
      $0.matrix.families = [.unix]
      $0.sockets = [SocketSetup(name: "a", queues: .own), SocketSetup(name: "b", modes: ["default"])]
      $0.peers = [PeerLane(name: "peer", family: .unix, steps: [])]
    }
    #expect(scenario.features.map(\.owner) == [.gcd, .gcd, .runLoop, .gcd])
    #expect(scenario.features.map(\.key) == ["matrix", "sockets", "sockets", "peers"])
    #expect(Self.scenario { $0.matrix.families = [.ipv4, .unix] }.features == [])
  }

  private func events(_ kinds: [CallbackKind], on socket: String = "socket") -> [ScenarioModel.Expectation] {
    kinds.map { .event(EventExpectation(pattern: CallbackPattern(kind: $0), socket: socket, position: Self.place)) }
  }

  private func owners(_ expectations: [ScenarioModel.Expectation]) -> [SubjectKind] {
    Self.scenario { $0.expectations = expectations }.features.map(\.owner)
  }

  @Test func callbacksCountUnlessAnAlternativeDoesWithout() {
    #expect(owners(events([.didRead, .didCloseRead, .willDisconnect])) == [.gcd, .runLoop])
    #expect(owners(events([.didConnect], on: "child2")) == [.runLoop])
    #expect(owners(events([.didConnect])) == [])
    func oneOf(_ kinds: [CallbackKind]...) -> [ScenarioModel.Expectation] {
      let alternatives = kinds.map { Alternative(grade: .pass, profile: nil, expectations: events($0)) }
      return [.oneOf(alternatives, position: Self.place)]
    }
    #expect(owners(oneOf([.didConnect], [.didConnectToURL])) == [])
    #expect(owners(oneOf([.didCloseRead], [.newSocketQueue, .willConnect])) == [.gcd, .gcd])
  }

  @Test func errorsCountIfNoneOfThemIsTheOtherClasses() {
    func owners(_ names: [ErrorName]) -> [SubjectKind] {
      var pattern = CallbackPattern(kind: .didDisconnect)
      pattern.error = .oneOf(names)
      return self.owners([.event(EventExpectation(pattern: pattern, socket: "socket", position: Self.place))])
    }
    #expect(owners([.library(.closed), .library(.readTimeout)]) == [])
    #expect(owners([.library(.badParam), .library(.other)]) == [.gcd])
    #expect(owners([.misuse]) == [.runLoop])
    #expect(owners([.library(.badParam), .runLoop(.cfSocket)]) == [])
  }
}

/// Errors of both classes under the same names.
@Suite struct RunLoopErrorTests {
  private func error(_ domain: SubjectError.Domain, _ code: Int) -> SubjectError {
    SubjectError(domain: domain, code: code, message: "m")
  }

  @Test(arguments: [
    (2, LibraryErrorCode.connectTimeout), (3, .readMaxedOut), (4, .readTimeout), (5, .writeTimeout),
  ])
  func whatBothReportHasOneName(number: Int, code: LibraryErrorCode) {
    let error = error(.runLoop, number)
    #expect(error.name == code.name)
    #expect(ErrorName.library(code).matches(error))
    #expect(ErrorName.library(code).matches(self.error(.library, code.rawValue)))
    #expect(error.origin == "AsyncSocketErrorDomain \(number)")
    for other in LibraryErrorCode.allCases where other != code { #expect(!ErrorName.library(other).matches(error)) }
  }

  @Test func anEndByThePeerIsClosedAndTellsThatItHadNoError() {
    let error = error(.remoteEnd, 0)
    #expect(error.name == "Closed")
    #expect(error.origin == "nil")
    #expect(ErrorName.library(.closed).matches(error))
    #expect(!ErrorPattern.none.matches(error))
  }

  @Test func itsOwnNamesFitNothingElse() {
    #expect(ErrorName.runLoop(.canceled).matches(error(.runLoop, 1)))
    #expect(ErrorName.runLoop(.cfSocket).matches(error(.runLoop, -1)))
    #expect(!ErrorName.runLoop(.canceled).matches(error(.library, 1)))
    #expect(!ErrorName.library(.badConfig).matches(error(.runLoop, 1)))
    #expect(ErrorName.misuse.matches(error(.exception, 0)))
    #expect(!ErrorName.misuse.matches(error(.other, 0)))
    #expect(error(.runLoop, 0).name == "AsyncSocket 0")
    #expect(error(.library, 7).origin == nil)
  }
}

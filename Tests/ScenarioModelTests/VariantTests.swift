import ScenarioModel
import Testing

@Suite struct VariantTests {
  private func scenario(sending count: Int, _ matrix: Matrix) -> Scenario {
    var scenario = Scenario(id: "a/b", title: "t")
    scenario.matrix = matrix
    let send = Located(PeerStep.send(.pattern(seed: 1, count: count)), at: SourcePosition(line: 1, column: 1))
    scenario.peers = [PeerLane(name: "peer", steps: [send])]
    return scenario
  }

  @Test func theMatrixUnfoldsInAStableOrder() {
    let matrix = Matrix(families: [.ipv4, .ipv6], segmentations: [.whole, .bytes], queues: [.separate, .own])
    #expect(
      scenario(sending: 4, matrix).variants.map(\.name) == [
        "ipv4", "ipv4-own", "ipv4-bytes", "ipv4-bytes-own", "ipv6", "ipv6-own", "ipv6-bytes", "ipv6-bytes-own",
      ])
  }

  @Test func plainAddsNothingToTheName() {
    let matrix = Matrix(segmentations: [.whole, .bytes], securities: Security.allCases)
    #expect(
      scenario(sending: 4, matrix).variants.map(\.name) == [
        "ipv4", "ipv4-tls1.2", "ipv4-tls1.3", "ipv4-bytes", "ipv4-bytes-tls1.2", "ipv4-bytes-tls1.3",
      ])
  }

  @Test func securedVariantsMeetEveryValueButNotEveryCombination() {
    let matrix = Matrix(
      families: AddressFamily.allCases, segmentations: [.whole, .bytes, .everySplit], queues: QueueTopology.allCases,
      securities: Security.allCases)
    let variants = scenario(sending: 9, matrix).variants
    #expect(variants.count { $0.security == .plain } == 3 * 10 * 3)
    for security in Security.allCases where security != .plain {
      let secured = variants.filter { $0.security == security }
      #expect(secured.count == 10)
      #expect(Set(secured.map(\.cut)).count == 10)
      #expect(Set(secured.map(\.family)).count == 3)
      #expect(Set(secured.map(\.queues)).count == 3)
    }
    // Where nothing is plain, nothing else goes through the combinations.
    var alone = matrix
    alone.securities = [.tls13]
    #expect(scenario(sending: 9, alone).variants.count == 90)
  }

  @Test func speedsMeetEveryTopologyOfQueues() {
    let matrix = Matrix(
      families: AddressFamily.allCases, segmentations: [.whole, .bytes], queues: QueueTopology.allCases,
      securities: [.plain, .tls13], speeds: [.plain, .all])
    let variants = scenario(sending: 9, matrix).variants
    #expect(variants.count { $0.security == .plain && $0.speed == .all } == 3 * 2 * 3)
    let plain = variants.filter { $0.speed == .plain }
    #expect(plain.count == 3)
    #expect(Set(plain.map(\.family)).count == 3)
    #expect(Set(plain.map(\.queues)).count == 3)
    #expect(Set(plain.map(\.cut)).count == 2)
    #expect(Set(plain.map(\.security)).count == 2)
    #expect(variants.filter { $0.security == .tls13 && $0.speed == .all }.count == 3)
    // Where not all is taken, one speed goes through the combinations.
    #expect(scenario(sending: 9, matrix).at(.plain).variants.count { $0.security == .plain } == 18)
  }

  @Test func theRunLoopClassMeetsEveryFamilyThatItHas() {
    let matrix = Matrix(subjects: [.gcd, .runLoop], families: AddressFamily.allCases, queues: QueueTopology.allCases)
    let variants = scenario(sending: 4, matrix).variants
    #expect(variants.filter { $0.subject == .runLoop }.map(\.name) == ["ipv4-run-loop", "ipv6-run-loop"])
    #expect(variants.count { $0.subject == .gcd } == 9)
  }

  @Test func bytesBelowTLSAreCut() {
    var raw = scenario(sending: 0, Matrix(segmentations: [.everySplit]))
    raw.peers[0].steps = [Located(.raw(.pattern(seed: 1, count: 4)), at: SourcePosition(line: 1, column: 1))]
    #expect(raw.variants.map(\.cut) == [.split(at: 1), .split(at: 2), .split(at: 3)])
  }

  @Test func aVariantOfAnySpeedIsFoundByItsName() {
    let one = scenario(sending: 4, Matrix(queues: [.own]))
    #expect(one.variant(named: "ipv4-own")?.speed == .all)
    #expect(one.variant(named: "ipv4-own-plain")?.speed == .plain)
    #expect(one.variant(named: "ipv4-plain") == nil)
  }

  @Test(arguments: [(0, 0), (1, 0), (2, 1), (5, 4), (65, 64), (66, 64), (10_000, 64)])
  func everySplitHasAPointBetweenAnyTwoBytesUpToTheCap(_ count: Int, _ points: Int) {
    let variants = scenario(sending: count, Matrix(segmentations: [.everySplit])).variants
    #expect(variants.count == points)
    #expect(Set(variants).count == points)
    guard points > 0 else { return }
    #expect(variants.first?.cut == .split(at: 1))
    #expect(variants.last?.cut == .split(at: count - 1))
  }

  @Test func namesTellVariantsApart() {
    let matrix = Matrix(
      families: AddressFamily.allCases, segmentations: Segmentation.allCases, queues: QueueTopology.allCases,
      securities: Security.allCases, speeds: Speed.allCases)
    let names = scenario(sending: 20, matrix).variants.map(\.name)
    #expect(Set(names).count == names.count)
  }
}

@Suite struct ExpectedVerdictTests {
  /// A verdict that is no pass never counts as one, and a canary proves something only if it fails.
  @Test(arguments: Verdict.allCases) func whatCountsAsExpected(_ verdict: Verdict) {
    var result = CaseResult(
      scenario: Scenario(id: "a/b", title: "t"), variant: Variant(family: .ipv4, cut: .whole, queues: .separate),
      world: .simulated, seed: 1)
    result.verdict = verdict
    result.deviations = [Deviation(kind: .late, expected: "e", actual: "a")]
    let fine: Set<Verdict> = [.passed, .passedNonStrict, .skipped, .unsupported]
    #expect(verdict.isAsExpected == fine.contains(verdict) && result.isAsExpected == fine.contains(verdict))
    result.canary = true
    #expect(result.isAsExpected == (verdict == .failed))
  }
}

@Suite struct PatternMatchingTests {
  private func delivered(_ callback: Callback) -> DeliveredCallback {
    DeliveredCallback(socket: "socket", delegate: "delegate", callback: callback)
  }

  @Test func fieldsThatAreLeftOutAreNotLookedAt() {
    let pattern = CallbackPattern(kind: .didRead)
    #expect(pattern.matches(delivered(.didRead(bytes: [1], tag: 5))))
    #expect(!pattern.matches(delivered(.didWrite(tag: 5))))
  }

  @Test func loopAndModeMustFitWhereTheyAreGiven() {
    var pattern = CallbackPattern(kind: .willConnect)
    pattern.runLoop = "worker"
    func callback(on loop: String?, _ mode: String?) -> DeliveredCallback {
      DeliveredCallback(
        socket: "socket", delegate: "delegate", callback: .willConnect, runLoop: loop, mode: mode)
    }
    #expect(pattern.matches(callback(on: "worker", "a")))
    #expect(!pattern.matches(callback(on: "main", "a")))
    #expect(!pattern.matches(callback(on: nil, nil)))
    pattern.mode = "b"
    #expect(!pattern.matches(callback(on: "worker", "a")))
    #expect(pattern.matches(callback(on: "worker", "b")))
  }

  @Test func everyGivenFieldMustFit() {
    var pattern = CallbackPattern(kind: .didRead)
    pattern.tag = 5
    pattern.bytes = .bytes([1, 2])
    pattern.count = 1...2
    pattern.delegate = "delegate"
    #expect(pattern.matches(delivered(.didRead(bytes: [1, 2], tag: 5))))
    #expect(!pattern.matches(delivered(.didRead(bytes: [1, 2], tag: 6))))
    #expect(!pattern.matches(delivered(.didRead(bytes: [1, 3], tag: 5))))
    #expect(!pattern.matches(delivered(.didRead(bytes: [1], tag: 5))))
    pattern.delegate = "other"
    #expect(!pattern.matches(delivered(.didRead(bytes: [1, 2], tag: 5))))
  }

  struct Field: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var kind: CallbackKind
    var edit: @Sendable (inout CallbackPattern) -> Void
    var fits: Callback
    var differs: Callback
  }

  private static let reset = SubjectError(domain: .posix, code: 104, message: "m")

  /// One for each thing that a scenario may say of a callback: a field that nobody compares lets everything pass.
  static let fields: [Field] = [
    Field(
      testDescription: "host", kind: .didConnect, edit: { $0.host = "::1" }, fits: .didConnect(host: "::1", port: 1),
      differs: .didConnect(host: "127.0.0.1", port: 1)),
    Field(
      testDescription: "port", kind: .didConnect, edit: { $0.port = 1 }, fits: .didConnect(host: "::1", port: 1),
      differs: .didConnect(host: "::1", port: 2)),
    Field(
      testDescription: "path", kind: .didConnectToURL, edit: { $0.path = "/a" }, fits: .didConnectToURL(path: "/a"),
      differs: .didConnectToURL(path: "/b")),
    Field(
      testDescription: "child", kind: .didAccept, edit: { $0.child = "child2" }, fits: .didAccept(child: "child2"),
      differs: .didAccept(child: "child")),
    Field(
      testDescription: "count", kind: .didRead, edit: { $0.count = 2...3 }, fits: .didRead(bytes: [1, 2], tag: 0),
      differs: .didRead(bytes: [1], tag: 0)),
    Field(
      testDescription: "hash", kind: .didRead, edit: { $0.hash = ContentHash(of: [1, 2]).text },
      fits: .didRead(bytes: [1, 2], tag: 0), differs: .didRead(bytes: [1, 3], tag: 0)),
    Field(
      testDescription: "count read so far", kind: .didReadPartial, edit: { $0.count = 2...2 },
      fits: .didReadPartial(count: 2, tag: 0), differs: .didReadPartial(count: 3, tag: 0)),
    Field(
      testDescription: "count written so far", kind: .didWritePartial, edit: { $0.count = 2...2 },
      fits: .didWritePartial(count: 2, tag: 0), differs: .didWritePartial(count: 3, tag: 0)),
    Field(
      testDescription: "bytesDone", kind: .shouldTimeoutRead, edit: { $0.bytesDone = 1...2 },
      fits: .shouldTimeoutRead(tag: 0, elapsed: 1, bytesDone: 2),
      differs: .shouldTimeoutRead(tag: 0, elapsed: 1, bytesDone: 3)),
    Field(
      testDescription: "error", kind: .didDisconnect, edit: { $0.error = .oneOf([.posix(104)]) },
      fits: .didDisconnect(reset), differs: .didDisconnect(nil)),
    Field(
      testDescription: "no error", kind: .willDisconnect, edit: { $0.error = ErrorPattern.none },
      fits: .willDisconnect(nil), differs: .willDisconnect(reset)),
  ]

  @Test(arguments: fields) func eachFieldIsCompared(_ field: Field) {
    var pattern = CallbackPattern(kind: field.kind)
    #expect(pattern.matches(delivered(field.fits)) && pattern.matches(delivered(field.differs)))
    field.edit(&pattern)
    #expect(pattern.matches(delivered(field.fits)))
    #expect(!pattern.matches(delivered(field.differs)))
  }

  @Test func elapsedIsComparedWithinANanosecond() {
    var pattern = CallbackPattern(kind: .shouldTimeoutRead)
    pattern.elapsed = 0.6
    #expect(pattern.matches(delivered(.shouldTimeoutRead(tag: 0, elapsed: 0.2 + 0.3 + 0.1, bytesDone: 0))))
    #expect(!pattern.matches(delivered(.shouldTimeoutRead(tag: 0, elapsed: 0.600_000_1, bytesDone: 0))))
  }

  @Test func errorsAreNamedSymbolically() throws {
    let reset = SubjectError(domain: .posix, code: 104, message: "m")
    let closed = SubjectError(domain: .library, code: 7, message: "m")
    #expect(ErrorPattern.none.matches(nil))
    #expect(!ErrorPattern.none.matches(reset))
    #expect(!ErrorPattern.any.matches(nil))
    #expect(ErrorPattern.oneOf([.posix(104), .library(.closed)]).matches(closed))
    #expect(!ErrorPattern.oneOf([.posix(32)]).matches(reset))
    #expect(ErrorPattern.oneOf([.none, .posix(32)]).matches(nil))
    let record = SubjectError(domain: .ssl, code: -9846, message: "m")
    #expect(ErrorPattern.oneOf([.ssl(-9846)]).matches(record) && ErrorPattern.oneOf([.ssl(nil)]).matches(record))
    #expect(!ErrorPattern.oneOf([.ssl(-9807)]).matches(record))
    #expect(reset.name == "ECONNRESET")
    #expect(closed.name == "Closed")
    for name in ErrnoName.all { #expect(ErrnoName.number(of: name).flatMap(ErrnoName.name(of:)) == name) }
  }

  @Test(arguments: [
    ("child", true), ("child2", true), ("child17", true), ("child1", false), ("child0", false),
    ("children", false), ("socket", false), ("child02", false),
  ])
  func childNamesAreThoseThatAcceptingGives(_ name: String, _ isChild: Bool) {
    #expect(ChildName.isChild(name) == isChild)
  }
}

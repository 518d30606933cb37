import ScenarioModel
import Testing

@testable import SubjectProtocol

/// A subject is asked what it claims, and nothing else.
@Suite struct ScenarioDemandTests {
  private let variant = Variant(family: .ipv4, cut: .whole, queues: .separate, program: "x")

  private func line(_ timeout: TimeoutValue = .never) -> Scenario {
    let read = ReadCommand(boundary: .through(.bytes([10]), limit: 0), timeout: timeout, tag: 1)
    let steps: [SubjectCommand] = [.connect(ConnectCommand(target: .peer("peer"))), .read(read)]
    var scenario = Scenario(id: "a/line", title: "A line")
    scenario.requirements = ["RD-01"]
    scenario.subjects = [
      SubjectLane(
        name: "socket",
        steps: steps.map {
          LocatedStep(.command($0, socket: "socket", refusal: nil), at: SourcePosition(line: 1, column: 1))
        })
    ]
    var pattern = CallbackPattern(kind: .didRead)
    pattern.tag = 1
    scenario.expectations = [
      .event(EventExpectation(pattern: pattern, socket: "socket", position: SourcePosition(line: 2, column: 1)))
    ]
    return scenario
  }

  private var able: SubjectClaims {
    SubjectClaims(
      name: "x", version: "1", calls: ["connect", "read"], callbacks: [.didRead], features: [.readDelimiter])
  }

  @Test func whatIsClaimedIsAsked() {
    #expect(able.missing(for: line(), variant) { _ in .any } == nil)
  }

  @Test func whatIsNotClaimedIsNamed() {
    let rows: [(String, (inout SubjectClaims) -> Void)] = [
      ("no call `read`", { $0.calls = ["connect"] }), ("no callback `didRead`", { $0.callbacks = [] }),
      ("`read-delimiter`", { $0.features = [] }),
    ]
    for (says, change) in rows {
      var claims = able
      change(&claims)
      #expect(claims.missing(for: line(), variant) { _ in .any }?.text.contains(says) == true, "\(says)")
    }
    let timed = able.missing(for: line(TimeoutValue(seconds: 0.5)), variant) { _ in .any }
    #expect(timed?.text.contains("read-timeout") == true)
    // One that only keeps the case from waiting for ever can be left out.
    #expect(able.missing(for: line(TimeoutValue(seconds: 5)), variant) { _ in .any } == nil)
    var other = variant
    other.family = .ipv6
    #expect(able.missing(for: line(), other) { _ in .any }?.text.contains("ipv6") == true)
  }

  @Test func aClassesOwnRequirementsBindItsFlavourOnly() {
    #expect(
      able.missing(for: line(), variant) { _ in .gcd }?.text
        == "RD-01 is no requirement of any stream socket, but of the flavour `gcd`")
    var claims = able
    claims.flavours = [.gcd]
    #expect(claims.missing(for: line(), variant) { _ in .gcd } == nil)
    #expect(claims.missing(for: line(), variant) { _ in .runLoop } != nil)
  }

  /// Which of them comes is not always the subject's choice: a byte may come right before the timeout, or right after.
  @Test func everyAlternativeMustBeOneThatCanBeTold() {
    var scenario = line()
    let impossible = Expectation.event(
      EventExpectation(
        pattern: CallbackPattern(kind: .didCloseRead), socket: "socket", position: SourcePosition(line: 3, column: 1)))
    let forms = [[impossible], scenario.expectations].map {
      Alternative(grade: .pass, profile: nil, expectations: $0)
    }
    scenario.expectations = [.oneOf(forms, position: SourcePosition(line: 2, column: 1))]
    #expect(able.missing(for: scenario, variant) { _ in .any }?.text.contains("didCloseRead") == true)
    scenario.expectations = [.oneOf([forms[1]], position: SourcePosition(line: 2, column: 1))]
    #expect(able.missing(for: scenario, variant) { _ in .any } == nil)
  }

  @Test func callbacksThatMustShareAQueueAreNotAskedFor() {
    var scenario = line()
    scenario.matrix.queues = [.shared]
    #expect(able.missing(for: scenario, variant) { _ in .any }?.text.contains("queues") == true)
    scenario.matrix.queues = [.shared, .separate]
    #expect(able.missing(for: scenario, variant) { _ in .any } == nil)
  }

  @Test func namesOfErrorsAreDemandedWhereNoOtherWillDo() {
    let rows: [([ErrorName], String?)] = [
      ([.posix(104)], "`system-errors`"), ([.ssl(-9814)], nil), ([.library(.badParam)], "`misuse`"),
      ([.posix(104), .none], "`system-errors`"), ([.ssl(nil)], nil), ([.library(.badParam), .none], nil),
    ]
    for (names, says) in rows {
      var scenario = line()
      var pattern = CallbackPattern(kind: .didDisconnect)
      pattern.error = .oneOf(names)
      scenario.expectations.append(
        .event(EventExpectation(pattern: pattern, socket: "socket", position: SourcePosition(line: 3, column: 1))))
      var claims = able
      claims.callbacks.insert(.didDisconnect)
      let missing = claims.missing(for: scenario, variant) { _ in .any }
      #expect(says.map { missing?.text.contains($0) ?? false } ?? (missing == nil), "\(names): \(missing?.text ?? "")")
    }
  }

  @Test func anEndIsAskedOfAllIfAReadWaitsForIt() {
    var claims = able
    claims.callbacks.insert(.didDisconnect)
    var pattern = CallbackPattern(kind: .didDisconnect)
    pattern.error = .oneOf([.library(.closed)])
    let end = Expectation.event(
      EventExpectation(pattern: pattern, socket: "socket", position: SourcePosition(line: 3, column: 1)))
    var scenario = line()
    scenario.expectations.append(end)
    // Its only read is complete.
    #expect(claims.missing(for: scenario, variant) { _ in .any }?.text.contains("`end-without-read`") == true)
    scenario.expectations = [end]
    #expect(claims.missing(for: scenario, variant) { _ in .any } == nil)
  }

  @Test func tlsIsAskedInTheRolesAndVersionsThatAreClaimed() {
    var secured = variant
    secured.security = .tls13
    var claims = able
    #expect(claims.missing(for: line(), secured) { _ in .any }?.text.contains("`tls1.3`") == true)
    claims.features.insert(.tls13)
    // The connection and its TLS come in one.
    #expect(claims.missing(for: line(), secured) { _ in .any }?.text.contains("`perform`") == true)
    claims.calls.formUnion(["perform", "startTLS"])
    #expect(claims.missing(for: line(), secured) { _ in .any }?.text.contains("`tls-client`") == true)
    claims.features.insert(.tlsClient)
    #expect(claims.missing(for: line(), secured) { _ in .any } == nil)
  }
}

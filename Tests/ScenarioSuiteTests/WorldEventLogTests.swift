import ScenarioModel
import ScenarioRunner
import Testing

@testable import SubjectAdapters

/// The place of calls in the log of what happens in a case.
@Suite struct WorldEventLogTests {
  private static let call = SubjectCommand.disconnect

  private static func names(_ log: WorldEventLog, before deadline: Duration = .seconds(60)) -> [String] {
    var names: [String] = []
    while let event = log.next(before: deadline) {
      switch event.kind {
      case .command(let command, _, _, _): names.append(command.name)
      case .note(let text): names.append(text)
      default: names.append("something else")
      }
    }
    return names
  }

  private static func made(_ result: CommandResult) -> WorldEvent.Kind {
    .command(call, socket: "socket", result: result, refusal: nil)
  }

  @Test func aCallStandsBeforeWhatComesOfIt() throws {
    let log = try WorldEventLog()
    log.append(.note("before"))
    let seen = log.appendCall(position: nil) {
      log.append(.note("its callback"))
      return Self.names(log)
    } as: { _ in
      Self.made(.done)
    }
    // Nothing behind a call is seen while the call is under way.
    #expect(seen == ["before"])
    #expect(Self.names(log) == ["disconnect", "its callback"])
  }

  @Test("what is told before the case begins is its first event, not forgotten: nobody has been asked for anything")
  func aCallbackThatIsTooEarlyStays() throws {
    let log = try WorldEventLog()
    log.append(.note("the case is set up"))
    log.append(.callback(DeliveredCallback(socket: "socket", delegate: "delegate", callback: .didCloseRead)))
    log.restart()
    let first = log.next(before: .seconds(1))
    #expect(first?.at == .zero)
    guard case .callback(let early)? = first?.kind else {
      Issue.record("\(first.debugDescription)")
      return
    }
    #expect(early.callback == .didCloseRead)
    log.append(.note("now"))
    #expect(Self.names(log) == ["now"])
  }

  @Test func callsInsideOneAnotherStandInTheirOrder() throws {
    let log = try WorldEventLog()
    log.appendCall(position: nil) {
      log.append(.note("one"))
      log.appendCall(position: nil) {
        log.append(.note("two"))
      } as: { _ in
        Self.made(.done)
      }
    } as: { _ in
      Self.made(.done)
    }
    #expect(Self.names(log) == ["disconnect", "one", "disconnect", "two"])
  }

  @Test func aCallThatDoesNotReturnHidesNothing() throws {
    let log = try WorldEventLog()
    let seen = log.appendCall(position: nil) { () -> [String] in
      log.append(.note("meanwhile"))
      var seen: [String] = []
      while seen.isEmpty {
        guard log.now < .seconds(30) else { break }
        seen = Self.names(log)
      }
      return seen
    } as: { _ in
      Self.made(.hung)
    }
    #expect(seen == ["meanwhile"])
    // Written down when it returned after all.
    #expect(Self.names(log) == ["disconnect"])
  }

  @Test func whatIsTakenMakesRoom() throws {
    let log = try WorldEventLog()
    for round in 0..<5 {
      for number in 0..<3000 { log.append(.note("\(round).\(number)")) }
      log.appendCall(position: nil) {
        #expect(Self.names(log).count == 3000)
      } as: { _ in
        Self.made(.done)
      }
      #expect(Self.names(log) == ["disconnect"])
    }
  }
}

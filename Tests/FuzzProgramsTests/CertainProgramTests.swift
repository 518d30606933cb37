import FuzzPrograms
import ReferenceModel
import Testing

@Suite struct CertainProgramTests {
  @Test(arguments: 0..<400) func certainIsAtRest(seed: Int) {
    var generator = ProgramGenerator(seed: seed)
    let certain = CertainProgram(generator.program())
    let again = CertainProgram(certain.program)
    #expect(again.program == certain.program)
    #expect(again.remarks.isEmpty)
    #expect(Set(certain.remarks).count == certain.remarks.count)
  }

  /// What remains has no step of the peer's behind the end, no room, no choice.
  @Test(arguments: 0..<400) func certainHasNoChoices(seed: Int) {
    var generator = ProgramGenerator(seed: seed)
    let certain = CertainProgram(generator.program())
    #expect(certain.program.room == nil)
    for step in certain.program.steps {
      switch step {
      case .makeRoom, .wake, .arrive([]): Issue.record("\(step)")
      default: break
      }
    }
    let sites = CallSites(certain.program, certain.run)
    for entry in certain.run.entries {
      guard case .read(_, let tag) = entry.event, case .step(let index) = sites.reads[tag],
        case .call(.read(.available, _)) = certain.program.steps[index]
      else { continue }
      #expect(entry.bytes.count == 1)
    }
  }

  private func certain(_ steps: [SocketProgram.Step], _ change: (inout SocketProgram) -> Void = { _ in })
    -> CertainProgram
  {
    var program = SocketProgram()
    program.steps = steps
    change(&program)
    return CertainProgram(program)
  }

  @Test func readAnyStandsAsWhatItTakes() {
    let program = certain([.arrive([1, 2, 3]), .call(.read(.available(limit: 0), timeout: 9))])
    #expect(program.program.steps == [.arrive([1, 2, 3]), .call(.read(.exactly(3), timeout: 9))])
    #expect(program.remarks.count == 1)
    let one = certain([.call(.read(.available(limit: 1), timeout: nil)), .arrive([1, 2])])
    #expect(one.remarks.isEmpty)
  }

  @Test func nobodySpeaksAfterTheEnd() {
    let program = certain([
      .peerFinishes, .arrive([1]), .peerFinishes, .reconnect, .arrive([2]), .call(.disconnect), .peerResets,
    ])
    #expect(program.program.steps == [.peerFinishes, .reconnect, .arrive([2]), .call(.disconnect)])
  }

  @Test func resetOverUnreadBytesIsLeftOut() {
    #expect(certain([.arrive([1]), .peerResets]).program.steps == [.arrive([1])])
    let read = certain([.arrive([1]), .call(.read(.exactly(1), timeout: nil)), .peerResets])
    #expect(read.program.steps.last == .peerResets)
  }

  @Test func roomAndWakesAreTold() {
    let program = certain([.wake, .makeRoom(3), .call(.write([1], timeout: 0))]) { $0.room = 0 }
    #expect(program.program.steps == [.call(.write([1], timeout: 1))])
    #expect(program.remarks.count == 3)
  }

  @Test func callThatEndsAMomentTooEarlyIsLeftOut() {
    let reads: [SocketProgram.Step] = [
      .call(.read(.exactly(1), timeout: nil)), .call(.read(.exactly(1), timeout: nil)), .arrive([1, 2]),
    ]
    let first = certain(reads) { $0.reactions = [.init(callback: 1, call: .disconnect)] }
    #expect(first.program.reactions.isEmpty)
    let last = certain(reads) { $0.reactions = [.init(callback: 2, call: .disconnect)] }
    #expect(last.program.reactions.count == 1)
  }

  /// What the socket has received makes the next read fail, whether the delegate has been told of the first or not.
  @Test(arguments: [SocketProgram.Call.write([1], timeout: nil), .read(.exactly(1), timeout: nil)])
  func callInAMomentThatEndsTheConnectionIsLeftOut(call: SocketProgram.Call) {
    let reads: [SocketProgram.Step] = [
      .call(.read(.exactly(1), timeout: nil)), .call(.read(.through([0], limit: 2), timeout: nil)),
    ]
    let ends = certain(reads + [.arrive([1, 2, 3, 4])]) { $0.reactions = [.init(callback: 1, call: call)] }
    #expect(ends.program.reactions.isEmpty && ends.remarks.count == 1)
    let goesOn = certain(reads + [.arrive([1, 2])]) { $0.reactions = [.init(callback: 1, call: call)] }
    #expect(goesOn.program.reactions.count == 1 && goesOn.remarks.isEmpty)
    let later = certain(reads + [.arrive([1, 2]), .arrive([3, 4])]) { $0.reactions = [.init(callback: 1, call: call)] }
    #expect(later.program.reactions.count == 1 && later.remarks.isEmpty)
  }

  @Test func tagsCountCallsInOrder() throws {
    let program = certain([
      .call(.read(.exactly(1), timeout: nil)), .arrive([1]), .call(.read(.exactly(1), timeout: nil)), .arrive([2]),
    ]) { $0.reactions = [.init(callback: 1, call: .read(.exactly(1), timeout: nil))] }
    let sites = CallSites(program.program, program.run)
    #expect(sites.reads == [.step(0), .reaction(0), .step(2)])
  }
}

import ReferenceModel
import Testing

@Suite("States of the model")
struct ModelStateTests {
  /// A story that passes through most of them, each step with the state it leads to.
  @Test func stepsLeadFromStateToState() {
    var program = SocketProgram()
    program.closesOnEndOfStream = false
    program.room = 0
    program.extensions = []
    let story: [(SocketProgram.Step, String)] = [
      (.call(.read(.exactly(2), timeout: nil)), "length+no-write"),
      (.call(.write([1, 2], timeout: nil)), "length+write"),
      (.arrive([1, 2, 3]), "no-read+write"),
      (.call(.read(.available(limit: 0), timeout: nil)), "no-read+write"),
      (.call(.read(.available(limit: 0), timeout: nil)), "available+write"),
      (.makeRoom(2), "available+no-write"),
      (.peerFinishes, "read-closed+no-write"),
      (.reconnect, "no-read+no-write"),
      (.call(.read(.through([10], limit: 0), timeout: nil)), "delimiter+no-write"),
      (.call(.disconnect), "not-open"),
    ]
    program.steps = story.map(\.0)
    var seen: [ModelTransition] = []
    _ = ModelRun(program) { seen.append($0) }
    #expect(seen.map(\.to.name) == story.map(\.1))
    #expect(seen.first?.from.name == "no-read+no-write")
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.to == $1.from })
    #expect(seen.map(\.event).first == "read" && seen.map(\.event).last == "disconnect")
  }

  /// A question stands in the state only while nobody has answered it.
  @Test func whoIsAskedAboutATimeoutIsAskedUntilTheAnswer() {
    var model = SocketModel()
    model.open(room: 0)
    model.read(.exactly(2), timeout: 5)
    [UInt8(1)].withUnsafeBytes { model.write($0, timeout: 9) }
    model.advance(to: 5)
    #expect(ModelState(model).name == "read-asked+write")
    model.advance(to: 9)
    #expect(ModelState(model).name == "read-asked+write-asked" && model.nextDeadline == nil)
    model.answerRead(extension: 100)
    #expect(ModelState(model).name == "length+write-asked" && model.nextDeadline == 109)
  }

  @Test func eachCallbackHasItsTime() {
    let run = ModelRun(SocketProgram(.exactly(1, timeout: 50), .wait(30), .wait(30)))
    #expect(run.entries.map(\.time) == [0, 50, 50] && run.entries.map(\.step) == [-1, 2, 2])
  }

  @Test func everyStateHasANameOfItsOwn() {
    let names = ModelState.all.map(\.name)
    #expect(Set(names).count == names.count && names.count == 19)
    #expect(names.allSatisfy { !$0.contains(where: \.isWhitespace) })
  }
}

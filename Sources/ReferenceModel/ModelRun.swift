/// A program told by the model alone: what the delegate must see at which moment, and what the wire must carry.
///
/// Callbacks are delivered when the socket has come to rest after a step, in order; calls made inside one are carried
/// out when it is delivered, each followed by rest, and then a timeout question is answered (TMO-20).
package struct ModelRun {
  /// One callback.
  package struct Entry: Hashable, Sendable {
    /// The index of the step it belongs to; -1: the first connection's beginning.
    package var step: Int
    /// Milliseconds since the beginning.
    package var time: Int
    /// What the delegate gets.
    package var event: ModelEvent
    /// The bytes of a completed read, or those that an announced end leaves unread.
    package var bytes: [UInt8]
  }

  /// All callbacks in order; the place of one is its number in `SocketProgram.Reaction`.
  package private(set) var entries: [Entry] = []
  /// What the kernel took in each connection.
  package private(set) var wires: [[UInt8]] = []
  /// The model when all is over.
  package private(set) var model = SocketModel()

  private let program: SocketProgram
  private var delivered = 0
  private var answers = 0
  private var wireStart = 0

  /// - Parameter watch: gets the change that each step brought, once it and its callbacks are over.
  package init(_ program: SocketProgram, watch: (ModelTransition) -> Void = { _ in }) {
    self.program = program
    model.closesOnEndOfStream = program.closesOnEndOfStream
    model.livesOnRunLoop = program.livesOnRunLoop
    model.open(room: program.room)
    deliver(step: -1)
    for (index, step) in program.steps.enumerated() {
      let before = ModelState(model)
      perform(step, index)
      watch(ModelTransition(from: before, event: step.name, to: ModelState(model)))
    }
    wires.append(Array(model.wire[wireStart...]))
  }

  private mutating func perform(_ step: SocketProgram.Step, _ index: Int) {
    switch step {
    case .call(let call): model.call(call)
    case .arrive(let bytes): bytes.withUnsafeBytes { model.arrive($0) }
    case .peerFinishes: model.peerFinishes()
    case .peerResets: model.peerResets()
    case .makeRoom(let bytes): model.makeRoom(bytes)
    case .wake: model.advance(to: model.now)
    case .wait(let milliseconds):
      let end = model.now + milliseconds
      while let deadline = model.nextDeadline, deadline <= end {
        model.advance(to: deadline)
        deliver(step: index)
      }
      model.advance(to: end)
    case .reconnect:
      model.disconnect()
      deliver(step: index)
      wires.append(Array(model.wire[wireStart...]))
      wireStart = model.wire.count
      model.open(room: program.room)
    }
    deliver(step: index)
  }

  private mutating func deliver(step: Int) {
    var next = 0
    while next < model.events.count {
      let event = model.events[next]
      next += 1
      let bytes =
        switch event {
        case .read(let places, _), .willDisconnect(_, let places): Array(model.arrived[places])
        default: [UInt8]()
        }
      entries.append(Entry(step: step, time: model.now, event: event, bytes: bytes))
      let number = delivered
      delivered += 1
      for reaction in program.reactions where reaction.callback == number { model.call(reaction.call) }
      switch event {
      case .readTimeout: model.answerRead(extension: nextAnswer())
      case .writeTimeout: model.answerWrite(extension: nextAnswer())
      default: break
      }
    }
    model.events = []
  }

  private mutating func nextAnswer() -> Int {
    defer { answers += 1 }
    return answers < program.extensions.count ? program.extensions[answers] : 0
  }
}

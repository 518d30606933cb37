/// Where a socket stands, in few words: what reports of campaigns count as its states.
package struct ModelState: Hashable, Sendable {
  /// What the active read is, or why there is none.
  package enum Reading: String, CaseIterable, Hashable, Sendable {
    /// No read is queued.
    case idle = "no-read"
    case available, length, delimiter
    /// The delegate is asked about the active read's timeout.
    case asked = "read-asked"
    /// The peer's end was told; nothing will be read any more.
    case closed = "read-closed"
  }

  /// Whether there is an active write.
  package enum Writing: String, CaseIterable, Hashable, Sendable {
    case idle = "no-write"
    case active = "write"
    case asked = "write-asked"
  }

  /// nil: there is no open connection.
  private var reading: Reading?
  private var writing: Writing

  private init(_ reading: Reading?, _ writing: Writing) {
    self.reading = reading
    self.writing = writing
  }

  /// The state that the model is in now.
  package init(_ model: SocketModel) {
    guard model.isOpen else {
      self.init(nil, .idle)
      return
    }
    let reading: Reading
    if model.asksRead {
      reading = .asked
    } else if model.isReadClosed {
      reading = .closed
    } else {
      reading =
        switch model.reads.first?.read {
        case nil: .idle
        case .available: .available
        case .exactly: .length
        case .through: .delimiter
        }
    }
    self.init(reading, model.asksWrite ? .asked : model.writes.isEmpty ? .idle : .active)
  }

  /// The state in one word, such as `length+no-write`.
  package var name: String { reading.map { "\($0.rawValue)+\(writing.rawValue)" } ?? "not-open" }

  /// Every state there is.
  package static let all: [ModelState] =
    [ModelState(nil, .idle)]
    + Reading.allCases.flatMap { reading in Writing.allCases.map { ModelState(reading, $0) } }
}

/// A change of state, and the step that brought it.
package struct ModelTransition: Hashable, Sendable {
  /// The state before the step.
  package var from: ModelState
  /// The name of the step (`SocketProgram.Step.name`).
  package var event: String
  /// The state after the step and its callbacks.
  package var to: ModelState
}

extension SocketProgram.Step {
  /// The step's kind in one word.
  package var name: String {
    switch self {
    case .call(.read): "read"
    case .call(.write): "write"
    case .call(.disconnect): "disconnect"
    case .call(.disconnectAfter): "disconnect-after"
    case .arrive: "bytes"
    case .peerFinishes: "fin"
    case .peerResets: "reset"
    case .makeRoom: "room"
    case .wake: "wake"
    case .wait: "time"
    case .reconnect: "reconnect"
    }
  }
}

import ReferenceModel
import ScenarioModel

/// Compares what was seen of a socket with what the model foretells of its program.
package enum ProgramTrace {
  /// What is different, in words; nil: the same callbacks with the same content. Reads and writes are each held to
  /// their order; between them there is none, as in the scenario's expectations.
  package static func difference(_ trace: Trace, _ certain: CertainProgram, pace: ProgramScenario.Pace) -> String? {
    let told = certain.run.entries.filter { !$0.event.isPartial }
    let seen = trace.events.compactMap { event -> Callback? in
      guard case .callback(let delivered) = event.kind, delivered.socket == "socket",
        !delivered.callback.kind.isIncidental
      else { return nil }
      return delivered.callback
    }
    for side in Side.allCases {
      let told = told.filter { side.holds($0.event) }
      let seen = seen.filter { side.holds($0.kind) }
      for (index, entry) in told.enumerated() {
        guard index < seen.count else { return "\(entry.event) does not come" }
        guard isSame(seen[index], entry, pace) else { return "\(seen[index]) instead of \(entry.event)" }
      }
      if seen.count > told.count { return "\(seen[told.count]) comes, and nothing is foretold" }
    }
    return wireDifference(trace, certain.run)
  }

  /// Reads and the connection's course; writes and the connection's course.
  private enum Side: CaseIterable {
    case reads, writes

    func holds(_ event: ModelEvent) -> Bool {
      switch event {
      case .read, .readPartial, .readTimeout, .readClosed: self == .reads
      case .wrote, .wrotePartial, .writeTimeout: self == .writes
      case .connected, .willDisconnect, .disconnected: true
      }
    }

    func holds(_ kind: CallbackKind) -> Bool {
      switch kind {
      case .didRead, .shouldTimeoutRead, .didCloseRead: self == .reads
      case .didWrite, .shouldTimeoutWrite: self == .writes
      default: true
      }
    }
  }

  private static func isSame(_ seen: Callback, _ told: ModelRun.Entry, _ pace: ProgramScenario.Pace) -> Bool {
    switch (seen, told.event) {
    case (.didConnect, .connected), (.didCloseRead, .readClosed): true
    case (.didRead(let bytes, let tag), .read(_, let wanted)): tag == wanted && bytes == told.bytes
    case (.didWrite(let tag), .wrote(let wanted)): tag == wanted
    case (.shouldTimeoutRead(let tag, let elapsed, let done), .readTimeout(let wanted, let time, let bytes)),
      (.shouldTimeoutWrite(let tag, let elapsed, let done), .writeTimeout(let wanted, let time, let bytes)):
      tag == wanted && done == bytes && abs(elapsed - pace.seconds(time)) < 1e-6
    case (.didDisconnect(let error), .disconnected(let reason)):
      ProgramExpectations.error(reason).matches(error)
    default: false
    }
  }

  /// What the peer received of each connection is what the kernel took of the writes, from the beginning; all of it if
  /// the connection is still there.
  private static func wireDifference(_ trace: Trace, _ run: ModelRun) -> String? {
    var received: [[UInt8]] = []
    for event in trace.events {
      switch event.kind {
      case .peerSaw(.connected, _): received.append([])
      case .peerSaw(.received(let bytes), _):
        guard !received.isEmpty else { return "the peer receives without a connection" }
        received[received.count - 1] += bytes
      default: break
      }
    }
    guard received.count == run.wires.count else {
      return "\(received.count) connections instead of \(run.wires.count)"
    }
    for (index, (received, wire)) in zip(received, run.wires).enumerated() {
      let isWhole = index == run.wires.count - 1 && run.model.phase == .open
      guard wire.starts(with: received), !isWhole || received.count == wire.count else {
        return "the peer received \(received.count) bytes of \(wire.count), or others"
      }
    }
    return nil
  }
}

import Foundation
import FuzzHarness
import Glibc
import HostTools
import ScenarioModel
import Synchronization

/// What a fuzz command has while it works: the pipe that ends its children with it, the interrupt, and what the
/// interrupt has to end.
package final class FuzzSession {
  /// Where things lie.
  package let layout: FuzzLayout
  /// Ends all children with this process.
  package let deathPipe: ParentDeathPipe
  private let stoppers: Stoppers
  private let watch: InterruptWatch
  private var prepared: Set<String> = []
  /// Binaries that one build has made.
  private var built: Set<String> = []
  /// What modules' object files say, by the files' paths; since the last build.
  var inspected: [[String]: InstrumentationProof.Module] = [:]

  /// What the signal's handler and the command share.
  private final class Stoppers: Sendable {
    struct State {
      var isInterrupted = false
      var stops: [Int: @Sendable () -> Void] = [:]
      var next = 0
    }

    let state = Mutex(State())

    func interrupt() {
      let stops = state.withLock { state in
        state.isInterrupted = true
        return Array(state.stops.values)
      }
      for stop in stops { stop() }
    }
  }

  /// Begins to listen for ctrl-C. Throws when nothing could hold the children.
  package init(layout: FuzzLayout) throws {
    self.layout = layout
    deathPipe = try ParentDeathPipe()
    // A reader that goes away and a file that may not grow are errors of a call, not the end of a campaign.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    let stoppers = Stoppers()
    self.stoppers = stoppers
    watch = InterruptWatch { stoppers.interrupt() }
  }

  /// Whether a signal has asked the command to end.
  package var isInterrupted: Bool { stoppers.state.withLock { $0.isInterrupted } }

  /// Runs the body; an interrupt calls `stop` meanwhile, at once if it was before.
  package func whileStoppable<Result>(
    _ stop: @escaping @Sendable () -> Void, _ body: () throws -> Result
  ) rethrows -> Result {
    let (number, isLate) = stoppers.state.withLock { state in
      state.next += 1
      state.stops[state.next] = stop
      return (state.next, state.isInterrupted)
    }
    defer { stoppers.state.withLock { $0.stops[number] = nil } }
    if isLate { stop() }
    return try body()
  }

  /// Gives the signals back their default action.
  package func end() { watch.end() }

  /// Builds a target and proves that it is instrumented. With binaries from elsewhere, only looks whether it is there.
  package func build(_ target: FuzzTarget, _ lane: FuzzTarget.Lane) throws -> InstrumentationProof {
    guard layout.binaries == nil else {
      try requireBinary(target, lane)
      return try InstrumentationProof.ofBinary(target, lane, layout: layout, deathPipe: deathPipe)
    }
    let builder = FuzzBuilder(layout: layout, deathPipe: deathPipe, session: self)
    guard !built.contains(layout.binary(target, lane)) else { return try builder.proof(target, lane) }
    return try builder.build(target, lane)
  }

  /// Builds several targets at once, which takes less time than one after the other; each still has to be proved with
  /// `build`. Says nothing of one that can't be built: `build` tries it again by itself, and says why.
  package func buildTogether(_ targets: [FuzzTarget], _ lane: FuzzTarget.Lane) {
    guard layout.binaries == nil, targets.count > 1, !isInterrupted else { return }
    let builder = FuzzBuilder(layout: layout, deathPipe: deathPipe, session: self)
    guard (try? builder.buildTogether(targets, lane)) == true else { return }
    built.formUnion(targets.map { layout.binary($0, lane) })
  }

  /// Builds what a command needs, once.
  package func prepare(_ target: FuzzTarget, _ lane: FuzzTarget.Lane) throws {
    guard prepared.insert(layout.binary(target, lane)).inserted else { return }
    let proof = try build(target, lane)
    guard proof.faults.isEmpty else { throw LabFailure("\(target.product): \(proof.faults.joined(separator: "; ")).") }
  }

  func requireBinary(_ target: FuzzTarget, _ lane: FuzzTarget.Lane) throws {
    let binary = layout.binary(target, lane)
    guard HostFiles.exists(binary) else {
      throw LabFailure(
        layout.binaries == nil
          ? "\(binary) is not there. Build it: socketlab fuzz build \(target.name) --lane \(lane.rawValue)"
          : "\(binary) is not there; --binaries names a folder that holds \(target.product).")
    }
    guard FileManager.default.isExecutableFile(atPath: binary) else {
      throw LabFailure("\(binary) is not executable.")
    }
  }
}

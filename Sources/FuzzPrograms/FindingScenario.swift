import CoreFuzzing
import FuzzHarness
import ReferenceModel
import ScenarioModel
import ScenarioYAML

/// A fuzzer's finding as a scenario file: what people read first, and what the suite can run for ever.
package enum FindingScenario {
  /// A finding that was told, and what of it the scenario does not say.
  package struct Told: Sendable {
    /// What of the finding is certain in the simulated world.
    package var scenario: Scenario
    /// What of the input the scenario does not say, or says otherwise; each a line.
    package var remarks: [String]
  }

  /// Why a finding is not told as a scenario.
  package enum Obstacle: Error, Hashable, Sendable, CustomStringConvertible {
    /// The target's inputs are no programs of a socket.
    case noProgram(target: String)
    /// The milliseconds are more than a scenario can wait.
    case tooLong(Int)

    package var description: String {
      switch self {
      case .noProgram(let target): "inputs of \(target) are not what happens to a socket"
      case .tooLong(let milliseconds): "it takes \(milliseconds) ms, and a scenario can't wait as long"
      }
    }
  }

  /// The program that an input of this target means; nil: its inputs are none.
  package static func program(target: FuzzTarget, input: [UInt8]) -> SocketProgram? {
    guard let read = ProgramCode.named(target.name)?.read else { return nil }
    return input.withUnsafeBytes(read)
  }

  /// The scenario of the input: as much of it as is certain in the simulated world, and what the model expects then.
  /// `id` is the path below Scenarios/ without extension; `violation` is what was found, if it is known.
  package static func scenario(
    target: FuzzTarget, input: [UInt8], id: String, violation: Violation? = nil
  ) throws(Obstacle) -> Told {
    guard let program = program(target: target, input: input) else { throw .noProgram(target: target.name) }
    let certain = CertainProgram(program)
    let requirement = violation.map(\.invariant).flatMap { isRequirement($0) ? $0 : nil } ?? "INV-03"
    let title = "Found by fuzzing \(target.name)" + (violation.map { ": \($0.invariant)" } ?? "")
    do {
      let scenario = try ProgramScenario.scenario(certain, id: id, title: title, requirement: requirement)
      return Told(scenario: scenario, remarks: certain.remarks)
    } catch {
      switch error {
      case .tooLong(let milliseconds): throw .tooLong(milliseconds)
      }
    }
  }

  /// The scenario as the text of a file, which says in comments where it comes from and what it does not say.
  package static func text(
    target: FuzzTarget, input: [UInt8], id: String, violation: Violation? = nil
  ) throws(Obstacle) -> String {
    let told = try scenario(target: target, input: input, id: id, violation: violation)
    var comments = ["From an input of the fuzz target \(target.name), \(input.count) bytes."]
    if let violation { comments.append("It broke \(violation.invariant): \(oneLine(violation.detail))") }
    let pace = (try? ProgramScenario.pace(of: CertainProgram(program(target: target, input: input) ?? .init()).program))
    if let pace, told.scenario.subjects.contains(where: { $0.steps.contains(where: \.waitsLong) }) {
      comments.append("A millisecond of the input is \(pace.secondsPerMillisecond == 1 ? "a second" : "100 ms") here.")
    }
    if !told.remarks.isEmpty {
      comments.append("Not said, or said otherwise, because no scenario can:")
      comments += told.remarks.map { "- " + $0 }
    }
    var lines = ScenarioWriter.yaml(told.scenario).split(separator: "\n", omittingEmptySubsequences: false)
    // Behind the line that names the schema for editors.
    lines.insert(contentsOf: comments.map { "# \($0)"[...] }, at: 1)
    return lines.joined(separator: "\n")
  }

  private static func isRequirement(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, let number = parts.last else { return false }
    return parts.dropLast().allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    } && number.utf8.count == 2 && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// What a comment may hold: one line of printable ASCII, not too long.
  private static func oneLine(_ text: String) -> String {
    let clean = text.unicodeScalars.map { (0x20...0x7E).contains($0.value) ? Character($0) : " " }
    return String(String(clean).prefix(400))
  }
}

extension LocatedStep {
  /// A wait that stands for one of the program's.
  fileprivate var waitsLong: Bool {
    if case .wait(let duration) = step { duration >= .milliseconds(100) } else { false }
  }
}

/// How the targets whose inputs are programs of a socket read and write them.
package struct ProgramCode: Sendable {
  /// The name of the fuzz target.
  package var target: String
  /// The program that an input means.
  package var read: @Sendable (UnsafeRawBufferPointer) -> SocketProgram
  /// An input that means the program; nil: the target has no such steps, or not as many.
  package var write: @Sendable (SocketProgram) -> [UInt8]?

  /// The targets whose inputs are programs of a socket.
  package static let all: [ProgramCode] = [
    ProgramCode("readqueue", .readQueue), ProgramCode("writequeue", .writeQueue),
    ProgramCode("connection", .connection),
    // The left end's: what the wire did to it is what arrived there. Nothing is written back: two ends make an input.
    ProgramCode(target: "duplex", read: { DuplexFuzzing.program(from: $0).left }, write: { _ in nil }),
    ProgramCode(target: "runner", read: { RunnerProgram.program(from: $0) }, write: { RunnerProgram.encode($0) }),
  ]

  /// The code of the target with that name; nil: its inputs are no programs.
  package static func named(_ target: String) -> ProgramCode? { all.first { $0.target == target } }
}

extension ProgramCode {
  fileprivate init(_ target: String, _ fuzzing: LockstepFuzzing) {
    self.init(target: target, read: fuzzing.program, write: fuzzing.encode)
  }
}

/// The programs that the simulated world is held to.
package enum RunnerProgram {
  /// The steps they are made of. None says how much the kernel takes: the simulated one takes all that is asked here.
  package static let kinds: [ProgramDecoder.Kind] = [
    .arrive, .arrive, .through, .through, .exactly, .exactly, .available, .write, .write, .wait, .finish, .reset,
    .disconnect, .disconnectAfter, .reconnect, .flood,
  ]

  /// The program that an input means.
  package static func program(from bytes: UnsafeRawBufferPointer) -> SocketProgram {
    var decoder = ProgramDecoder(bytes, kinds: kinds)
    var program = decoder.program()
    // The traces that it is compared with are those of the other class.
    program.livesOnRunLoop = false
    return program
  }

  /// An input that means this program; nil: it has steps of other kinds, or is too long.
  package static func encode(_ program: SocketProgram) -> [UInt8]? { ProgramEncoder.encode(program, kinds: kinds) }
}

import ReferenceModel
import ScenarioModel

/// A change of a program: what is asked, what happens and when is a little different.
package struct ProgramChange: Hashable, Sendable {
  /// What is changed.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case leavesOut = "a step left out"
    case doubles = "a step twice"
    case swaps = "two steps swapped"
    case adds = "a step more"
    case ends = "another place of an end"
    case length = "another length or limit"
    case cuts = "bytes cut in two"
    case payload = "other bytes"
    case pauses = "a pause"
    case timeout = "another timeout"
    case extends = "another answer about a timeout"
    case halfClose = "the other setting of half-close"
    case reacts = "a call inside a callback"
  }

  /// What is changed.
  package var kind: Kind
  /// Where and how is drawn from it.
  package var seed: UInt64

  package init(_ kind: Kind, seed: UInt64) {
    self.kind = kind
    self.seed = seed
  }

  /// A change drawn from a seed.
  package static func drawn(seed: UInt64, hasClocks: Bool) -> ProgramChange {
    var random = SplitMix64(seed: seed)
    let kinds = Kind.allCases.filter { hasClocks || ![.pauses, .timeout, .extends].contains($0) }
    return ProgramChange(random.pick(kinds), seed: random.next())
  }

  /// Changes the program; it stays as it is where there is nothing of the kind to change.
  package func apply(to program: inout SocketProgram) {
    var random = SplitMix64(seed: seed)
    guard !program.steps.isEmpty else { return }
    var drawing = ProgramDrawing(seed: random.next())
    let place = random.below(program.steps.count)
    switch kind {
    case .leavesOut: if program.steps.count > 1 { program.steps.remove(at: place) }
    case .doubles: program.steps.insert(program.steps[place], at: place)
    case .swaps: program.steps.swapAt(place, random.below(program.steps.count))
    case .adds: program.steps.insert(drawing.step(hasClocks: false), at: place)
    case .ends: moveEnd(&program, place, &random, &drawing)
    case .length: changeRead(&program, &random)
    case .cuts: cut(&program, &random)
    case .payload: changeBytes(&program, &random, &drawing)
    case .pauses: program.steps.insert(.wait(random.pick([1, 20, 100, 1000])), at: place)
    case .timeout: changeTimeout(&program, &random)
    case .extends: program.extensions.append(random.pick([0, 10, 100, 1000]))
    case .halfClose: program.closesOnEndOfStream.toggle()
    case .reacts:
      program.reactions.append(.init(callback: random.below(8), call: drawing.call(hasClocks: false)))
    }
  }

  private func moveEnd(
    _ program: inout SocketProgram, _ place: Int, _ random: inout SplitMix64, _ drawing: inout ProgramDrawing
  ) {
    let ends = program.steps.indices.filter { program.steps[$0].isEnd }
    if let end = ends.first, random.below(2) == 0 {
      let step = program.steps.remove(at: end)
      program.steps.insert(step, at: min(place, program.steps.count))
    } else {
      program.steps.insert(random.pick([.peerFinishes, .peerResets, .call(drawing.disconnect())]), at: place)
    }
  }

  private func changeRead(_ program: inout SocketProgram, _ random: inout SplitMix64) {
    let reads = program.steps.indices.filter { if case .call(.read) = program.steps[$0] { true } else { false } }
    guard !reads.isEmpty else { return }
    let place = random.pick(reads)
    guard case .call(.read(let read, let timeout)) = program.steps[place] else { return }
    let other: SocketProgram.Read
    switch read {
    case .available(let limit): other = .available(limit: limit.moved(by: random.pick([-1, 1, 7])))
    case .exactly(let length): other = .exactly(length.moved(by: random.pick([-2, -1, 1, 2, 100])))
    case .through(let delimiter, let limit):
      other = .through(delimiter, limit: random.pick([0, 1, delimiter.count, limit.moved(by: 1), limit.moved(by: -1)]))
    }
    program.steps[place] = .call(.read(other, timeout: timeout))
  }

  private func cut(_ program: inout SocketProgram, _ random: inout SplitMix64) {
    let places = program.steps.indices.filter { (program.steps[$0].arriving?.count ?? 0) > 1 }
    guard !places.isEmpty else { return }
    let place = random.pick(places)
    guard let bytes = program.steps[place].arriving else { return }
    let point = 1 + random.below(bytes.count - 1)
    program.steps[place] = .arrive(Array(bytes[..<point]))
    program.steps.insert(.arrive(Array(bytes[point...])), at: place + 1)
  }

  private func changeBytes(
    _ program: inout SocketProgram, _ random: inout SplitMix64, _ drawing: inout ProgramDrawing
  ) {
    let places = program.steps.indices.filter { program.steps[$0].arriving != nil }
    guard !places.isEmpty else { return }
    let place = random.pick(places)
    let bytes = program.steps[place].arriving ?? []
    let other: [UInt8] =
      switch random.below(3) {
      case 0: bytes + drawing.bytes()
      case 1: Array(bytes.dropLast(1 + random.below(3)))
      default: drawing.bytes()
      }
    program.steps[place] = .arrive(other)
  }

  private func changeTimeout(_ program: inout SocketProgram, _ random: inout SplitMix64) {
    let places = program.steps.indices.filter { place in
      switch program.steps[place] {
      case .call(.read), .call(.write): true
      default: false
      }
    }
    guard !places.isEmpty else { return }
    let place = random.pick(places)
    let timeout = random.pick([nil, 1, 50, 100, 1000])
    switch program.steps[place] {
    case .call(.read(let read, _)): program.steps[place] = .call(.read(read, timeout: timeout))
    case .call(.write(let bytes, _)): program.steps[place] = .call(.write(bytes, timeout: timeout))
    default: break
    }
  }
}

extension SocketProgram.Step {
  fileprivate var isEnd: Bool {
    switch self {
    case .peerFinishes, .peerResets, .call(.disconnect), .call(.disconnectAfter): true
    default: false
    }
  }

  fileprivate var arriving: [UInt8]? {
    if case .arrive(let bytes) = self { return bytes }
    return nil
  }
}

extension SocketProgram {
  /// The program without anything that takes time: fit for a world whose time is real.
  var withoutClocks: SocketProgram {
    var program = self
    program.extensions = []
    program.steps = steps.compactMap { step in
      switch step {
      case .wait: nil
      case .call(let call): .call(call.untimed)
      default: step
      }
    }
    for index in program.reactions.indices { program.reactions[index].call = program.reactions[index].call.untimed }
    return program
  }
}

extension SocketProgram.Call {
  fileprivate var untimed: SocketProgram.Call {
    switch self {
    case .read(let read, _): .read(read, timeout: nil)
    case .write(let bytes, _): .write(bytes, timeout: nil)
    case .disconnect, .disconnectAfter: self
    }
  }
}

import FuzzHarness
import SocketCore
import SocketTLS
import Testing

@testable import SocketFuzzing

/// The TLS body lets the right session pass and tells wrong ones.
@Suite struct TLSTests {
  static func program(_ change: (inout TLSProgram) -> Void) -> TLSProgram {
    var program = TLSProgram()
    program.ends = true
    change(&program)
    return program
  }

  static let programs: [TLSProgram] = [HandshakeRole.client, .server].flatMap { target in
    [ProtocolVersion.tls13, .tls12].flatMap { version in
      [
        program { _ in },
        program { $0.pieces = [1, 4, 1, 96, 5, 512] },
        program { ($0.clear, $0.writes, $0.pieces) = (20, true, [7, 13, 3]) },
        program { ($0.writes, $0.sendRoom, $0.readLimit) = (true, 9, 100) },
        program { ($0.spareHandshake, $0.changes) = (true, [.init(.truncate, at: 400)]) },
        program { ($0.spareHandshake, $0.changes) = (true, [.init(.corrupt, at: 200, 4)]) },
        program { ($0.spareHandshake, $0.changes) = (true, [.init(.double, at: 0, 23)]) },
        program { ($0.spareHandshake, $0.ends, $0.changes) = (true, false, [.init(.lengthen, at: 100, 7)]) },
        program { ($0.changes, $0.pieces) = ([.init(.corrupt, at: 60, 1)], [3, 1]) },
        program { ($0.changes, $0.pieces) = ([.init(.truncate, at: 90)], [1, 2, 3]) },
        program {
          ($0.clear, $0.injects) = (8, true); $0.changes = [.init(.insert, at: 0, 3, inserted: [0x2B, 0x2B, 0x0A])]
        },
        program { ($0.wish, $0.wishAfter, $0.pieces, $0.writes) = (.afterWrites, 2, [608, 608, 64], true) },
        program { ($0.wish, $0.wishAfter, $0.pieces) = (.now, 1, [256, 128]) },
      ].map { (program: TLSProgram) in
        var program = program
        (program.target, program.version) = (target, version)
        return program
      }
    }
  }

  @Test(arguments: programs) func passes(_ program: TLSProgram) {
    #expect(program.encoded.withUnsafeBytes { TLSFuzzing.body($0) } == nil)
  }

  @Test(arguments: programs) func readsWhatItWrites(_ program: TLSProgram) {
    #expect(program.encoded.withUnsafeBytes { TLSProgram($0) } == program)
  }

  @Test func anythingIsAProgram() {
    for input in ManyInputs.short.prefix(300) {
      #expect(input.withUnsafeBytes { TLSFuzzing.body($0) } == nil, "\(input)")
    }
  }

  enum Fault: CaseIterable { case closesWhenCut, flipsABit, losesAByte, waitsForEver, sealsNothing, namesSmallPieces }

  @Test(arguments: Fault.allCases) func tellsWhatIsWrong(_ fault: Fault) {
    let laws = Set(
      Self.programs.compactMap { program in
        TLSFuzzing.check(program) { FaultySession(try TLSSession($0, contexts: $1), fault) }?.invariant
      })
    let wanted =
      switch fault {
      case .closesWhenCut: "tls/end"
      case .flipsABit: "tls/authentic"
      case .losesAByte: "tls/authentic"
      case .waitsForEver: "tls/record-length"
      case .sealsNothing: "tls/sealed"
      case .namesSmallPieces: "tls/chunking"
      }
    #expect(laws.contains(wanted), "\(laws)")
  }
}

/// A session with one fault.
private final class FaultySession: SecureSession {
  private let real: TLSSession
  private let fault: TLSTests.Fault
  private var clear = ByteBlock(capacity: 1 << 16)
  private var clearTaken = 0
  private var smallest = Int.max

  init(_ real: TLSSession, _ fault: TLSTests.Fault) {
    self.real = real
    self.fault = fault
  }

  var inputRoom: UnsafeMutableRawBufferPointer { real.inputRoom }

  func inputFilled(_ count: Int) {
    smallest = min(smallest, count)
    real.inputFilled(count)
  }

  func inputEnded() { if fault != .waitsForEver { real.inputEnded() } }

  func handshake() -> HandshakeProgress {
    switch (fault, real.handshake()) {
    case (.namesSmallPieces, .failed) where smallest < 5: .failed(.other("in a small piece"))
    case (_, let progress): progress
    }
  }

  func answerTrust(_ isTrusted: Bool) { real.answerTrust(isTrusted) }

  func open(into buffer: UnsafeMutableRawBufferPointer) -> SecureResult {
    switch (fault, real.open(into: buffer)) {
    case (.closesWhenCut, .failed): return .closed
    case (.waitsForEver, .failed): return .needsInput
    case (.flipsABit, .bytes(let count)):
      buffer[count - 1] ^= 1
      return .bytes(count)
    case (.losesAByte, .bytes(let count)) where count > 1: return .bytes(count - 1)
    case (_, let result): return result
    }
  }

  func peek() -> SecureResult {
    switch (fault, real.peek()) {
    case (.closesWhenCut, .failed): .closed
    case (.waitsForEver, .failed): .needsInput
    case (_, let result): result
    }
  }

  func seal(_ bytes: UnsafeRawBufferPointer) -> SocketFailure? {
    guard fault == .sealsNothing else { return real.seal(bytes) }
    clear.append(bytes)
    return nil
  }

  var recordLimit: Int { real.recordLimit }

  var recordBudget: Int {
    get { real.recordBudget }
    set { real.recordBudget = newValue }
  }

  var maySeal: Bool { real.maySeal }

  func rest() { real.rest() }

  private var clearLeft: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: clear.bytes[clearTaken...]) }

  var output: UnsafeRawBufferPointer { clearLeft.isEmpty ? real.output : clearLeft }

  func outputTaken(_ count: Int) {
    if clearLeft.isEmpty { real.outputTaken(count) } else { clearTaken += count }
  }

  func close() { real.close() }
}

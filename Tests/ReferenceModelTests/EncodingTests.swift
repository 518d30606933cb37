import CoreFuzzing
import FuzzHarness
import ReferenceModel
import Testing

/// Bytes mean a program whatever they are, and a program has bytes that mean it.
@Suite("The encoding of programs")
struct EncodingTests {
  struct Target: CustomTestStringConvertible, Sendable {
    var name: String
    var decode: @Sendable (UnsafeRawBufferPointer) -> SocketProgram
    var encode: @Sendable (SocketProgram) -> [UInt8]?
    var testDescription: String { name }
  }

  static let targets = [
    Target(name: "readqueue", decode: LockstepFuzzing.readQueue.program, encode: LockstepFuzzing.readQueue.encode),
    Target(name: "writequeue", decode: LockstepFuzzing.writeQueue.program, encode: LockstepFuzzing.writeQueue.encode),
    Target(name: "connection", decode: LockstepFuzzing.connection.program, encode: LockstepFuzzing.connection.encode),
  ]

  @Test("decode(encode(p)) == p for every program that bytes can mean", arguments: targets)
  func law(target: Target) throws {
    var numbers = Numbers(seed: 7)
    for _ in 0..<3000 {
      let program = numbers.bytes(upTo: 200).withUnsafeBytes { target.decode($0) }
      let bytes = try #require(target.encode(program), "\(program)")
      #expect(bytes.withUnsafeBytes { target.decode($0) } == program)
    }
  }

  @Test("what the contract's rows say can be said to some target, and means the same", arguments: ModelTests.rows)
  func rows(row: ModelTests.Row) {
    let said = Self.targets.filter { target in
      guard let bytes = target.encode(row.program) else { return false }
      #expect(bytes.withUnsafeBytes { target.decode($0) } == row.program)
      return true
    }
    #expect(said.contains { $0.name == "connection" })
  }

  @Test("what can't be said is refused")
  func refused() {
    let long = SocketProgram.Step.wake
    var program = SocketProgram()
    program.steps = [SocketProgram.Step](repeating: long, count: ProgramDecoder.maxSteps + 1)
    #expect(LockstepFuzzing.connection.encode(program) == nil)
    #expect(LockstepFuzzing.readQueue.encode(SocketProgram(.write("x"))) == nil)
    #expect(LockstepFuzzing.writeQueue.encode(SocketProgram(.exactly(1))) == nil)
    #expect(LockstepFuzzing.connection.encode(SocketProgram(.wait(70_000))) == nil)
    #expect(LockstepFuzzing.connection.encode(SocketProgram(.wait(-1))) == nil)
    #expect(LockstepFuzzing.connection.encode(SocketProgram(.exactly(1 << 40))) == nil)
    #expect(LockstepFuzzing.connection.encode(SocketProgram(.exactly(1, timeout: 70_000))) == nil)
    #expect(LockstepFuzzing.connection.encode(SocketProgram(.after())) == nil)
    #expect(LockstepFuzzing.connection.encode(SocketProgram(room: 1 << 30, .wake)) == nil)
    let far = SocketProgram(reactions: [.init(callback: 256, call: .disconnect)], .wake)
    #expect(LockstepFuzzing.connection.encode(far) == nil)
  }
}

import FuzzHarness
import SocketCore
import Testing

@testable import BufferFuzzing

/// The prebuffer's body lets the right one pass and tells wrong ones.
@Suite struct PrebufferTests {
  typealias Operation = PrebufferFuzzing.Operation

  /// Operations with the numbers they take, in order.
  static func input(_ delimiters: UInt8, _ operations: [(Operation, [UInt8])], _ payload: [UInt8] = []) -> [UInt8] {
    var output = FuzzOutput()
    output.byte(delimiters)
    output.payload(payload)
    for (operation, numbers) in operations {
      output.byte(operation.rawValue)
      for number in numbers { output.byte(number) }
    }
    return output.bytes
  }

  static let inputs: [[UInt8]] = [
    input(1, [(.append, [8]), (.end, []), (.append, [3]), (.end, []), (.takeFound, [])], Array("aabaaababab".utf8)),
    input(
      2, [(.receive, [16, 9]), (.end, []), (.receivePreferring, [0, 1, 0, 7]), (.end, []), (.take, [5]), (.end, [])],
      Array("baabababbaababab".utf8)),
    input(5, [(.appendMore, [33]), (.end, []), (.append, [1]), (.takeFound, []), (.trim, [])], Array("ab".utf8)),
    input(
      0, [(.appendMore, [60]), (.move, [20]), (.moveLimited, [7]), (.exchange, []), (.takeFound, []), (.takeAll, [])],
      Array("cbcbcbcbcacacacbcbcacabcbabcabcbacbabcabcbacbacbabcbcabcbacbacba".utf8)),
    input(3, [(.append, [8]), (.receiveMuch, []), (.trim, []), (.takeAll, []), (.trim, [])], Array("aaaaaaaa".utf8)),
    input(
      4, [(.append, [8]), (.receiveNothing, [2, 0]), (.endLimited, [3]), (.forget, []), (.end, [])], [1, 2, 3, 0]),
    // A prefix of the content is taken, then more comes: what was taken must not change.
    input(0, [(.append, [8]), (.take, [3]), (.append, [8]), (.takeAll, []), (.append, [8])], Array(0..<24)),
  ]

  @Test(arguments: inputs) func passes(_ input: [UInt8]) {
    #expect(input.withUnsafeBytes { PrebufferFuzzing.body($0) } == nil)
  }

  @Test func anythingIsAProgram() {
    for input in ManyInputs.short {
      #expect(input.withUnsafeBytes { PrebufferFuzzing.body($0) } == nil, "\(input)")
    }
  }

  @Test func tellsWhatIsWrong() {
    #expect(Self.laws(Leaky.self).contains("prebuffer/content"))
    #expect(Self.laws(Lingering.self).contains("prebuffer/content"))
    #expect(Self.laws(Sharing.self) == ["prebuffer/taken"])
    #expect(Self.laws(Forgetful.self) == ["prebuffer/search"])
    #expect(Self.laws(Hoarding.self) == ["prebuffer/memory"])
    #expect(Self.laws(Stingy.self) == ["prebuffer/room"])
  }

  private static func laws<Buffer: ReceiveBuffer>(_ buffer: Buffer.Type) -> Set<String> {
    Set((inputs + ManyInputs.short).compactMap { $0.withUnsafeBytes { PrebufferFuzzing.check($0, buffer) }?.invariant })
  }
}

/// A double is the real one, but for what it changes.
private protocol Wrapper: ReceiveBuffer {
  var real: Prebuffer { get set }
}

extension Wrapper {
  var bytes: UnsafeRawBufferPointer { real.bytes }
  var count: Int { real.count }
  var isEmpty: Bool { real.isEmpty }
  var capacity: Int { real.capacity }
  mutating func room(atLeast wanted: Int, preferring preferred: Int) -> UnsafeMutableRawBufferPointer {
    real.room(atLeast: wanted, preferring: preferred)
  }
  mutating func filled(_ added: Int) { real.filled(added) }
  mutating func append(_ bytes: UnsafeRawBufferPointer) { real.append(bytes) }
  mutating func end(of delimiter: Delimiter, limit: Int) -> Int? { real.end(of: delimiter, limit: limit) }
  mutating func forgetSearch() { real.forgetSearch() }
  mutating func take(_ wanted: Int) -> ByteBlock { real.take(wanted) }
  mutating func move(to block: ByteBlock, limit: Int) -> Int { real.move(to: block, limit: limit) }
  mutating func trim() { real.trim() }
}

/// Loses the last byte of what is appended behind something.
private struct Leaky: Wrapper {
  var real = Prebuffer()
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    real.append(real.isEmpty ? bytes : UnsafeRawBufferPointer(rebasing: bytes.dropLast()))
  }
}

/// Leaves the first byte of what was taken.
private struct Lingering: Wrapper {
  var real = Prebuffer()
  mutating func take(_ wanted: Int) -> ByteBlock {
    let block = ByteBlock(copying: UnsafeRawBufferPointer(rebasing: real.bytes[..<wanted]))
    _ = real.take(max(0, wanted - 1))
    return block
  }
}

/// Gives out the same block again and again.
private struct Sharing: Wrapper {
  var real = Prebuffer()
  private let block = ByteBlock(capacity: 1 << 12)
  mutating func take(_ wanted: Int) -> ByteBlock {
    let taken = real.take(wanted)
    block.removeAll()
    block.append(UnsafeRawBufferPointer(rebasing: taken.bytes.prefix(1 << 12)))
    if !taken.bytes.isEmpty { block.base.storeBytes(of: 0xEE, as: UInt8.self) }
    return block
  }
}

/// Does not begin a new search when it is told to.
private struct Forgetful: Wrapper {
  var real = Prebuffer()
  mutating func forgetSearch() {}
}

/// Gives no memory back.
private struct Hoarding: Wrapper {
  var real = Prebuffer()
  mutating func trim() {}
}

/// Has one byte less room than asked for.
private struct Stingy: Wrapper {
  var real = Prebuffer()
  mutating func room(atLeast wanted: Int, preferring preferred: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(
      rebasing: real.room(atLeast: wanted, preferring: preferred).prefix(max(0, wanted - 1)))
  }
}

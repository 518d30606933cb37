import FuzzHarness
import SocketCore

/// What the prebuffer does for a stream machine: the code under test, or a double that proves an oracle can fail.
package protocol ReceiveBuffer {
  init()
  var bytes: UnsafeRawBufferPointer { get }
  var count: Int { get }
  var isEmpty: Bool { get }
  var capacity: Int { get }
  mutating func room(atLeast wanted: Int, preferring preferred: Int) -> UnsafeMutableRawBufferPointer
  mutating func filled(_ added: Int)
  mutating func append(_ bytes: UnsafeRawBufferPointer)
  mutating func end(of delimiter: Delimiter, limit: Int) -> Int?
  mutating func forgetSearch()
  mutating func take(_ wanted: Int) -> ByteBlock
  mutating func move(to block: ByteBlock, limit: Int) -> Int
  mutating func trim()
}

extension Prebuffer: ReceiveBuffer {}

/// A prebuffer and a plain array live through the same operations.
///
/// Laws
/// - `prebuffer/content`: after each operation the content is the array's; what left comes back nowhere.
/// - `prebuffer/taken`: what was taken is whole, and stays as it is whatever happens to the prebuffer.
/// - `prebuffer/search`: a delimiter is found where the array has it, however often and with whatever limit it is asked
///   for.
/// - `prebuffer/room`: there is as much room as was asked for.
/// - `prebuffer/memory`: memory follows the content (UB-27).
package enum PrebufferFuzzing {
  package static let body: FuzzBody = { check($0, Prebuffer.self) }

  package enum Operation: UInt8, CaseIterable, Sendable {
    case append, appendMore, receive, receivePreferring, receiveNothing, receiveMuch
    case end, endLimited, forget
    case take, takeAll, takeFound, move, moveLimited
    case trim, exchange
  }

  static let maxOperations = 96

  package static func check<Buffer: ReceiveBuffer>(
    _ bytes: UnsafeRawBufferPointer, _ buffer: Buffer.Type
  ) -> Violation? {
    var input = FuzzInput(bytes)
    var run = PrebufferRun<Buffer>(delimiters: input.byte())
    for _ in 0..<maxOperations {
      guard !input.isEmpty else { break }
      if let violation = run.perform(Operation(rawValue: input.byte() & 15) ?? .trim, &input) { return violation }
    }
    return run.finish()
  }
}

import Glibc
import ScenarioModel
import SocketPOSIX

/// One connection of a scripted peer: its descriptor, what is still to be sent and how much may be read.
///
/// Laws
/// - What became of the stream is known from `recv` alone: bytes, nothing (end of stream) or an errno. Poll flags only
///   say when to look.
/// - An error that `send` has met is gone for `recv`, which would then report an end of stream. The error is kept here
///   and reported instead of that end, after all bytes that came before it.
/// - `sent` is reported once per send, when the kernel has all of it; sends go out in order. Urgent bytes are not
///   reported, because no step waits for them.
/// - After the end of the stream, or after it broke, nothing is read any more.
final class PeerConnection {
  /// The most bytes that are received in one go. The script can react to the first of them, with a send or a slower
  /// pace, before many more are taken, and one busy peer does not starve the others.
  private static let maxPerServing = 1 << 16
  private static let bufferSize = 1 << 16

  private enum Outgoing {
    case bytes([UInt8], sent: Int)
    case urgent(UInt8)
    case end
  }

  private let descriptor: Descriptor
  private let observe: (PeerObservation) -> Void
  private var outbox: [Outgoing] = []
  private(set) var isConnecting: Bool
  private var readEnded = false
  private var sendError: Int32?
  var reading = PeerAction.Reading.everything

  init(_ descriptor: consuming Descriptor, isConnecting: Bool, observe: @escaping (PeerObservation) -> Void) {
    self.descriptor = descriptor
    self.isConnecting = isConnecting
    self.observe = observe
    // Every send must be a segment of its own, because scenarios depend on the cuts. Local sockets have no such option.
    try? SocketCall.setNoDelay(self.descriptor.rawValue)
  }

  private var wantsRead: Bool { !isConnecting && !readEnded && readLimit > 0 }

  private var readLimit: Int {
    switch reading {
    case .everything: Self.bufferSize
    case .paused: 0
    case .atMost(let count): min(max(count, 0), Self.bufferSize)
    }
  }

  /// Of the first send that is not through.
  var takenUnderWay: Int {
    if case .bytes(_, let sent)? = outbox.first { sent } else { 0 }
  }

  func addInterest(to set: inout ReadinessSet) {
    set.add(descriptor.rawValue, reading: wantsRead, writing: isConnecting || !outbox.isEmpty)
  }

  /// Does all that can be done now: ends a connect, reads as far as wanted, sends what is left. False once a connect
  /// has failed, which leaves nothing to serve.
  func serve(into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    if isConnecting && !finishConnecting() { return false }
    guard !isConnecting else { return true }
    receive(into: buffer)
    flush()
    return true
  }

  func send(_ bytes: [UInt8]) { enqueue(.bytes(bytes, sent: 0)) }

  func sendUrgent(_ byte: UInt8) { enqueue(.urgent(byte)) }

  /// FIN after all that is still to be sent.
  func finish() { enqueue(.end) }

  func shutdownRead() {
    readEnded = true
    _ = SocketCall.shutdown(descriptor.rawValue, .read)
  }

  /// Makes the coming close a reset; local sockets have no resets, their peer sees the end of the stream.
  func resetOnClose() { try? SocketCall.setResetOnClose(descriptor.rawValue) }

  private func enqueue(_ item: Outgoing) {
    outbox.append(item)
    if !isConnecting && outbox.count == 1 { flush() }
  }

  private func finishConnecting() -> Bool {
    let error = SocketCall.pendingError(descriptor.rawValue)
    if error != 0 {
      isConnecting = false
      observe(.connectFailed(error))
      return false
    }
    guard SocketCall.peerAddress(descriptor.rawValue) != nil else { return true }
    isConnecting = false
    observe(.connected)
    return true
  }
}

extension PeerConnection {
  private func receive(into buffer: UnsafeMutableRawBufferPointer) {
    var left = Self.maxPerServing
    while wantsRead && left > 0 {
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(readLimit, buffer.count)])
      switch SocketCall.receive(descriptor.rawValue, into: room) {
      case .wouldBlock: return
      case .bytes(let count):
        left -= count
        if case .atMost(let limit) = reading { reading = .atMost(limit - count) }
        observe(.received(Array(room[..<count])))
      case .endOfStream:
        readEnded = true
        observe(sendError.map { .broken($0) } ?? .endOfStream)
      case .failed(let code):
        readEnded = true
        observe(.broken(code))
      }
    }
  }

  private func flush() {
    while let first = outbox.first {
      let outcome: IOResult
      switch first {
      case .end:
        _ = SocketCall.shutdown(descriptor.rawValue, .write)
        outcome = .bytes(0)
      case .urgent(let byte): outcome = SocketCall.sendUrgent(descriptor.rawValue, byte)
      case .bytes(let bytes, let sent):
        outcome = bytes.withUnsafeBytes {
          SocketCall.send(descriptor.rawValue, UnsafeRawBufferPointer(rebasing: $0[sent...]))
        }
      }
      guard case .bytes(let count) = outcome else {
        if case .failed(let code) = outcome { fail(code) }
        return
      }
      take(count, of: first)
    }
  }

  /// Notes that the kernel took `count` bytes of the outbox's first item.
  private func take(_ count: Int, of first: Outgoing) {
    switch first {
    case .end, .urgent: outbox.removeFirst()
    case .bytes(let bytes, let sent) where sent + count == bytes.count:
      outbox.removeFirst()
      observe(.sent(bytes.count))
    case .bytes(let bytes, let sent): outbox[0] = .bytes(bytes, sent: sent + count)
    }
  }

  private func fail(_ code: Int32) {
    if code != EPIPE && sendError == nil { sendError = code }
    let failed = outbox
    outbox = []
    for item in failed {
      if case .end = item { continue }
      observe(.sendFailed(code))
    }
  }
}

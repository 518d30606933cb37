import Glibc

/// The result of one attempt to move bytes.
package enum IOResult: Equatable, Sendable {
  /// That many bytes were moved; 0 only when none were asked for.
  case bytes(Int)
  /// Nothing could be moved now.
  case wouldBlock
  /// The peer ended its half: nothing will ever follow.
  case endOfStream
  /// The errno.
  case failed(Int32)
}

extension SocketCall {
  /// The most pieces one gathering send takes.
  package static let vectorLimit = 1024

  /// Reads what is there, up to the buffer's size. End of stream is a read of nothing into a buffer that has room, and
  /// nothing else is.
  package static func receive(_ fd: Int32, into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
    let outcome = uninterrupted { recv(fd, buffer.baseAddress, buffer.count, 0) }
    return outcome == 0 && !buffer.isEmpty ? .endOfStream : result(outcome)
  }

  /// Looks at the next byte without taking it: `.bytes(1)` when one waits.
  package static func peek(_ fd: Int32) -> IOResult {
    var byte: UInt8 = 0
    let outcome = uninterrupted { recv(fd, &byte, 1, Int32(MSG_PEEK)) }
    return outcome == 0 ? .endOfStream : result(outcome)
  }

  /// Sends what fits; never raises SIGPIPE.
  package static func send(_ fd: Int32, _ bytes: UnsafeRawBufferPointer) -> IOResult {
    result(uninterrupted { Glibc.send(fd, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) })
  }

  /// Sends the pieces one after the other, as far as they fit; pieces beyond `vectorLimit` are left for the next call.
  package static func send(_ fd: Int32, gathering vectors: UnsafeBufferPointer<iovec>) -> IOResult {
    var message = msghdr()
    // The header's field is mutable because receiving shares it; sending only reads the pieces.
    message.msg_iov = UnsafeMutablePointer(mutating: vectors.baseAddress)
    message.msg_iovlen = min(vectors.count, vectorLimit)
    return result(uninterrupted { sendmsg(fd, &message, Int32(MSG_NOSIGNAL)) })
  }

  /// Sends one byte of urgent data.
  package static func sendUrgent(_ fd: Int32, _ byte: UInt8) -> IOResult {
    var byte = byte
    return result(uninterrupted { Glibc.send(fd, &byte, 1, Int32(MSG_OOB) | Int32(MSG_NOSIGNAL)) })
  }

  @inline(__always)
  private static func result(_ outcome: Int) -> IOResult {
    if outcome >= 0 { return .bytes(outcome) }
    let code = Int32(-outcome)
    return code == EAGAIN ? .wouldBlock : .failed(code)
  }
}

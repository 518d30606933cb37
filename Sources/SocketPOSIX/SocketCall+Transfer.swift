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

  /// Said in each call, although descriptors are nonblocking: that mark belongs to the open connection, which others
  /// may share. A program that was given a duplicate as its input may take the mark away, and one call that waits would
  /// hold up all sockets of the loop.
  private static var neverBlocking: Int32 { Int32(MSG_DONTWAIT) }

  private static var sending: Int32 { Int32(MSG_NOSIGNAL) | neverBlocking }

  /// Reads what is there, up to the buffer's size. End of stream is a read of nothing into a buffer that has room, and
  /// nothing else is.
  package static func receive(_ fd: Int32, into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
    let outcome = uninterrupted { recv(fd, buffer.baseAddress, buffer.count, neverBlocking) }
    return outcome == 0 && !buffer.isEmpty ? .endOfStream : result(outcome)
  }

  /// Looks at the next byte without taking it: `.bytes(1)` when one waits.
  package static func peek(_ fd: Int32) -> IOResult {
    var byte: UInt8 = 0
    let outcome = uninterrupted { recv(fd, &byte, 1, Int32(MSG_PEEK) | neverBlocking) }
    return outcome == 0 ? .endOfStream : result(outcome)
  }

  /// Sends what fits; never raises SIGPIPE.
  package static func send(_ fd: Int32, _ bytes: UnsafeRawBufferPointer) -> IOResult {
    result(uninterrupted { Glibc.send(fd, bytes.baseAddress, bytes.count, sending) })
  }

  /// Sends the pieces one after the other, as far as they fit; pieces beyond `vectorLimit` are left for the next call.
  package static func send(_ fd: Int32, gathering vectors: UnsafeBufferPointer<iovec>) -> IOResult {
    var message = msghdr()
    // The header's field is mutable because receiving shares it; sending only reads the pieces.
    message.msg_iov = UnsafeMutablePointer(mutating: vectors.baseAddress)
    message.msg_iovlen = min(vectors.count, vectorLimit)
    return result(uninterrupted { sendmsg(fd, &message, sending) })
  }

  /// Sends one byte of urgent data.
  package static func sendUrgent(_ fd: Int32, _ byte: UInt8) -> IOResult {
    var byte = byte
    return result(uninterrupted { Glibc.send(fd, &byte, 1, Int32(MSG_OOB) | sending) })
  }

  @inline(__always)
  private static func result(_ outcome: Int) -> IOResult {
    if outcome >= 0 { return .bytes(outcome) }
    let code = Int32(-outcome)
    return code == EAGAIN ? .wouldBlock : .failed(code)
  }
}

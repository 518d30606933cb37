import CaseWorkers
import Glibc
import SocketPOSIX
import Synchronization

/// Both ends of a channel.
final class ChannelPair: Sendable {
  let here: MessageChannel
  let there: MessageChannel
  private let isClosed = Mutex(false)

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
      throw SystemCallFailure(call: "socketpair", code: errno)
    }
    here = MessageChannel(descriptor: ends[0])
    there = MessageChannel(descriptor: ends[1])
  }

  func closeHere() {
    isClosed.withLock { isClosed in
      if !isClosed { close(here.descriptor) }
      isClosed = true
    }
  }

  deinit {
    closeHere()
    close(there.descriptor)
  }
}

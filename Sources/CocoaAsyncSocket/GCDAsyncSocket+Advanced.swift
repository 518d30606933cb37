import Dispatch
import Foundation

extension GCDAsyncSocket {
  /// Runs the block with the socket to itself, and returns when it has run: on the socket queue if the socket has one,
  /// otherwise on the calling thread. Nested calls run inline, and what this thread has written before has been tried
  /// (THR-04). Input, output and other threads' calls on this socket wait meanwhile; callbacks that are in line are
  /// made, and all other sockets go on. A callback that calls this socket waits for the block, so a block that waits
  /// for the delegate queue never ends if that happens.
  public func perform(_ block: () -> Void) { driver.performInOrder(block) }

  /// The descriptor, for socket options: only inside `perform(_:)` or on the socket queue, otherwise −1 (THR-05). Of a
  /// listener on both families, the IPv4 one (THR-06).
  public func socketFD() -> Int32 { driver.exclusiveDescriptor { $0.anyDescriptor } }

  /// The IPv4 descriptor, like `socketFD()`.
  public func socket4FD() -> Int32 { driver.exclusiveDescriptor { $0.descriptor(of: .ipv4) } }

  /// The IPv6 descriptor, like `socketFD()`.
  public func socket6FD() -> Int32 { driver.exclusiveDescriptor { $0.descriptor(of: .ipv6) } }

  /// Announces that code on this queue, a target of the socket queue, runs as if on the socket queue (THR-11).
  public func markSocketQueueTargetQueue(_ socketQueuesPreConfiguredTargetQueue: DispatchQueue) {
    driver.look {
      guard !driver.markedTargets.contains(where: { $0 === socketQueuesPreConfiguredTargetQueue }) else { return }
      driver.markedTargets.append(socketQueuesPreConfiguredTargetQueue)
      driver.sharedSocketQueue?.mark(socketQueuesPreConfiguredTargetQueue, by: 1)
    }
  }

  /// Reverts `markSocketQueueTargetQueue(_:)`.
  public func unmarkSocketQueueTargetQueue(_ socketQueuesPreviouslyConfiguredTargetQueue: DispatchQueue) {
    driver.look {
      guard let index = driver.markedTargets.firstIndex(where: { $0 === socketQueuesPreviouslyConfiguredTargetQueue })
      else { return }
      driver.markedTargets.remove(at: index)
      driver.sharedSocketQueue?.mark(socketQueuesPreviouslyConfiguredTargetQueue, by: -1)
    }
  }

  /// Always nil: there are no CFStreams on Linux (THR-14).
  public func readStream() -> AnyObject? { nil }

  /// Always nil: there are no CFStreams on Linux (THR-14).
  public func writeStream() -> AnyObject? { nil }

  /// Always nil: there is no Secure Transport on Linux (THR-14).
  public func sslContext() -> AnyObject? { nil }

  /// Always false: there is no backgrounding on Linux (THR-14).
  public func enableBackgroundingOnSocket() -> Bool { false }
}

extension SocketDriver {
  /// A descriptor, if the caller has the socket to itself: whoever gets past the lock while it is owned is the owner.
  func exclusiveDescriptor(_ choose: (SocketDriver) -> Int32?) -> Int32 {
    lookInOrder { lock.isOwned || isOnSocketQueue ? choose(self) ?? -1 : -1 }
  }
}

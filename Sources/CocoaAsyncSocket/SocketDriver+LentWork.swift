import Dispatch
import SocketPOSIX

// Work of a driver on a queue that the loop's thread does there after its present call: a turn on the socket queue, or
// callbacks on the delegate queue.

/// A turn on the socket queue. The driver itself stands for it: it holds no foreign object, and an extra turn is
/// harmless.
extension SocketDriver: LentWork {
  var group: any LoanGroup { sharedSocketQueue! }

  func insideGroup(_ body: () -> Void) { socketQueue!.sync(execute: body) }

  func run() {
    turn(nil, nil)
  }

  func handOver() {
    sharedSocketQueue?.willHandOver()
    socketQueue?.async { [self] in
      turn(nil, nil)
      sharedSocketQueue?.didServeHandedOver()
    }
  }
}

/// A lane to be drained. The driver keeps one for the next time.
final class LaneWork: LentWork, @unchecked Sendable {
  // Unchecked: filled under the driver's lock, while the driver alone has it, and emptied by the thread that drains the
  // lane.
  private var block: SocketDriver.Block
  private var socket: GCDAsyncSocket?
  private var queue: DispatchQueue
  private var shared: SharedQueue

  init(_ block: SocketDriver.Block, of socket: GCDAsyncSocket, on queue: DispatchQueue, _ shared: SharedQueue) {
    (self.block, self.socket, self.queue, self.shared) = (block, socket, queue, shared)
  }

  func fill(_ block: SocketDriver.Block, of socket: GCDAsyncSocket, on queue: DispatchQueue, _ shared: SharedQueue) {
    self.block = block
    self.socket = socket
    if self.queue !== queue { (self.queue, self.shared) = (queue, shared) }
  }

  var group: any LoanGroup { shared }

  func insideGroup(_ body: () -> Void) { queue.sync(execute: body) }

  func run() { drain(isLent: true) }

  func handOver() {
    let shared = shared
    shared.willHandOver()
    queue.async { [self] in
      drain(isLent: false)
      shared.didServeHandedOver()
    }
  }

  /// Does not touch `self` once the driver's lock is taken in here: the thread that fills it next synchronises by that
  /// lock only.
  private func drain(isLent: Bool) {
    // This may be the last reference to the socket.
    guard let socket = socket.take() else { return }
    socket.driver.drain(block, of: socket, isLent: isLent, isDelayed: true)
  }
}

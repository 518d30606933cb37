import Dispatch
import SocketCore
import SocketPOSIX

/// What a driver has to do on a queue, for the loop's thread to do it there when it has left where it is: callbacks on
/// the delegate queue, or a turn on the socket queue.
final class DriverWork: LentWork, @unchecked Sendable {
  // Unchecked: written before it is handed to the loop, emptied by whoever does it.
  private enum Job {
    case turn(SocketDriver)
    case lane(SocketDriver.LaneID, GCDAsyncSocket)
    case done
  }

  private var job: Job
  private let queue: DispatchQueue
  private let shared: SharedQueue

  private init(_ job: Job, on queue: DispatchQueue, _ shared: SharedQueue) {
    self.job = job
    self.queue = queue
    self.shared = shared
  }

  static func turn(of driver: SocketDriver, on queue: DispatchQueue, _ shared: SharedQueue) -> DriverWork {
    DriverWork(.turn(driver), on: queue, shared)
  }

  static func lane(
    _ lane: SocketDriver.LaneID, of socket: GCDAsyncSocket, on queue: DispatchQueue, _ shared: SharedQueue
  ) -> DriverWork {
    DriverWork(.lane(lane, socket), on: queue, shared)
  }

  var group: any LoanGroup { shared }

  func enter(_ body: () -> Void) { queue.sync(execute: body) }

  func run() { run(isLent: true) }

  func handOver() {
    shared.willHandOver()
    queue.async { [self] in
      run(isLent: false)
      shared.didServeHandedOver()
    }
  }

  private func run(isLent: Bool) {
    switch takeJob() {
    case .turn(let driver): driver.turn(nil, nil)
    case .lane(let lane, let socket): socket.driver.drain(lane, of: socket, isLent: isLent)
    case .done: break
    }
  }

  private func takeJob() -> Job {
    var job = Job.done
    swap(&job, &self.job)
    return job
  }
}

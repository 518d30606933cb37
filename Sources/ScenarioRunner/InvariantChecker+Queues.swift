import ScenarioModel

/// What must hold for every socket of the queue class: callbacks come on its delegate queue (INV-13).
///
/// Where a scenario gives a socket several queues, any of them will do: an event keeps the queue that it was produced
/// for, and a lane's call is recorded where it returns, when events of its new queue may have come already.
extension InvariantChecker {
  mutating func checkQueue(of delivered: DeliveredCallback, index: Int) {
    guard let queue = delivered.queue, !queues.allow(queue, for: delivered.socket) else { return }
    object(
      "callbacks of \(delivered.socket) come on its delegate queue",
      "\(ExpectationText.text(delivered)) came on \(queue.isEmpty ? "no queue of the case" : "the queue \(queue)")",
      "INV-13", index)
  }
}

/// The delegate queues that a scenario gives its sockets, by their names.
struct DelegateQueues {
  private var given: [String: Set<String>] = [:]
  private var listeners: [String: String] = [:]

  init(scenario: Scenario) {
    for case (.setDelegateQueue(let queue?), let socket) in scenario.calls { given[socket, default: []].insert(queue) }
  }

  /// A child has its listener's queue until it is given another one.
  mutating func accept(_ child: String, of listener: String) { listeners[child] = listener }

  /// Whether the queue is one of the socket's. The first one has the socket's own name.
  func allow(_ queue: String, for socket: String) -> Bool {
    var owner: String? = socket
    while let name = owner {
      if queue == name || given[name]?.contains(queue) == true { return true }
      owner = listeners[name]
    }
    return false
  }
}

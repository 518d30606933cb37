extension WorkloadTable {
  /// What each shortcut of the socket is worth, where it is worth most: the socket as it ships against itself without
  /// it. Printed, not judged; one that is not worth a tenth anywhere is not worth its lines.
  static let shortcuts: [Workload] = [
    worth(
      .deferral, "writes of 64 B, queued 64 deep, one queue", .send, .gcdSame, size: 64, depth: 64, unit: "B/s",
      reason: "What callbacks write waits for their return, and leaves in one system call."),
    worth(
      .fastPath, "echo of 64 B, 50 connections, one queue", .echo, .gcdSame, connections: 50, unit: "messages/s",
      reason: "One read or one write without a pass and without the mailbox."),
    worth(
      .inlineDelivery, "64 KiB received by reads of what is there, one queue", .receive, .gcdSame,
      message: 65536, unit: "B/s",
      reason: "Callbacks run at the end of the turn on the socket queue instead of in a block of their own."),
    worth(
      .lending, "echo of 64 B, 50 connections, delegate queue", .echo, .gcdSeparate, connections: 50,
      unit: "messages/s", reason: "The loop's thread runs callbacks instead of waking a thread of the queue's."),
    worth(
      .polling, "echo of 64 B, 1 connection, one queue", .echo, .gcdSame, unit: "messages/s",
      reason: "A loop that would sleep briefly polls."),
  ]

  private static func worth(
    _ shortcut: Shortcut, _ title: String, _ kind: ServerKind, _ contestant: Contestant, connections: Int = 1,
    message: Int = 64, size: Int = 65536, depth: Int = 1, unit: String, reason: String
  ) -> Workload {
    func entry(_ id: String, _ title: String, _ without: Shortcut?) -> Entry {
      let role = ServerRole(kind, contestant, size: size, depth: depth, without: without)
      return Entry(id, title, .serve(role, connections: connections, message: message))
    }
    return Workload(
      "worth-\(shortcut.rawValue)", "Worth of \(shortcut.rawValue): \(title)", unit: unit, reason: reason,
      entries: [entry("with", "with it", nil), entry("without", "without it", shortcut)],
      comparisons: [Comparison("with", "without")])
  }
}

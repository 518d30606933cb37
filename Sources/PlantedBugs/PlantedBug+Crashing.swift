extension PlantedBug {
  private static let streamingCalls = "Sources/SocketCore/SocketMachine+Streaming.swift"

  /// Bugs that end or stop the process they happen in: the run must go on and name the case.
  static let crashing: [PlantedBug] = [
    PlantedBug(
      "the-largest-tag-traps", "trap", "A read with the largest tag there is overflows a sum, and the process traps",
      violates: ["RDQ-04"], targets: [],
      Edit(
        streamingCalls, "func read(_ request: ReadRequest) { stream?.enqueue(request) }",
        """
        func read(_ request: ReadRequest) {
            var request = request
            if ACTIVATED { request.tag = request.tag + 1 - 1 }
            stream?.enqueue(request)
          }
        """)),
    PlantedBug(
      "a-large-write-recurses-without-end", "stack overflow", "A write of more than 100,000 bytes uses the stack up",
      violates: ["WR-04"], targets: [],
      Edit(
        "Sources/SocketCore/ReadRequest.swift", "guard bytes.count > 0 else { return nil }\n    self.bytes = bytes",
        """
        guard bytes.count > 0 else { return nil }
            @inline(never) func descend(_ count: Int) -> Int {
              count == 0 ? tag : (descend(count &- 1) ^ count) &* 31
            }
            if ACTIVATED, bytes.count > 100_000, descend(bytes.count &* 4_096) == 1 { return nil }
            self.bytes = bytes
        """)),
    PlantedBug(
      "a-pass-without-end", "hang", "With autoDisconnectOnClosedReadStream off no pass comes to its end",
      violates: ["HALF-02", "INV-10"], targets: [],
      Edit(
        streamingCalls, "let policy = StreamMachine.Policy(\n      closesOnEndOfStream",
        """
        while ACTIVATED, !configuration.autoDisconnectOnClosedReadStream { stream.note([]) }
            let policy = StreamMachine.Policy(
              closesOnEndOfStream
        """)),
  ]
}

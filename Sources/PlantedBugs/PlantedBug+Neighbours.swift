// Bugs by which one socket holds up, or is mixed up with, the others that share its queue, its run loop or its loop.
extension PlantedBug {
  private static let library = "Sources/CocoaAsyncSocket/"

  static let neighbours: [PlantedBug] = [
    PlantedBug(
      "a-flood-keeps-its-queue", "INV-17", "A socket serves its delegate queue as long as there is anything to tell",
      violates: ["INV-17"], targets: [],
      Edit(
        library + "SocketDriver+Serving.swift", "    delivery.began = .atLastTick()\n",
        "    delivery.began = ACTIVATED ? nil : .atLastTick()\n")),
    PlantedBug(
      "a-flood-keeps-its-run-loop", "INV-17", "A socket keeps the run loop as long as there is anything to tell",
      violates: ["INV-17"], targets: [],
      Edit(
        library + "RunLoopDriver+Delivery.swift",
        "    let end = Instant.atLastTick().advanced(by: Self.longestStay)\n",
        "    let end = ACTIVATED ? Instant.distantFuture : Instant.atLastTick().advanced(by: Self.longestStay)\n")),
    PlantedBug(
      "the-main-queue-is-another-each-time", "INV-03",
      "Two objects for one queue, as there are of the main queue, count as two queues",
      violates: ["INV-03", "DIS-03", "THR-03", "THR-11"], targets: [],
      Edit(
        library + "QueueKind.swift",
        "  func isSame(as other: DispatchQueue) -> Bool { self === other || identity == other.identity }",
        "  func isSame(as other: DispatchQueue) -> Bool { self === other || !ACTIVATED && identity == other.identity }"
      )),
    PlantedBug(
      "a-blocking-listener-is-waited-for", "INV-17",
      "Accepting relies on a descriptor's mark that other programs can take away",
      violates: ["INV-17"], targets: [],
      Edit(
        library + "DescriptorDriver+Accepting.swift",
        "      try? SocketCall.setNonBlocking(listener.number)",
        "      if !ACTIVATED { try? SocketCall.setNonBlocking(listener.number) }")),
    PlantedBug(
      "a-buffer-ends-below-the-lock", "INV-17", "A caller's buffer is let go of on the loop's thread",
      violates: ["INV-17"], targets: [],
      Edit(
        library + "CallerBuffer.swift", "    guard isKnownUniquelyReferenced(&buffer) else { return }",
        "    guard !ACTIVATED, isKnownUniquelyReferenced(&buffer) else { return }")),
  ]
}

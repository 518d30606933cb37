extension PlantedBug {
  static let ordering: [PlantedBug] = [
    PlantedBug(
      "what-was-put-off-is-dropped-by-the-end", "DIS-23", "A plain disconnect drops writes that nobody has tried yet",
      violates: ["DIS-23"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver.swift", "guard machine.hasUnsentWrites, let stream else { return }",
        "guard !ACTIVATED, machine.hasUnsentWrites, let stream else { return }")),
    PlantedBug(
      "a-new-child-has-no-last-words", "DIS-23", "What an accepted child writes before it comes to life is dropped",
      violates: ["DIS-23"], targets: [],
      Edit(
        "Sources/SocketCore/SocketEngine+Calls.swift", "    machine.sendBeforeEnd(&transport, now: now)",
        "    if !ACTIVATED || !isInactive { machine.sendBeforeEnd(&transport, now: now) }")),
    PlantedBug(
      "the-simulated-driver-drops-what-waits", "DIS-23", "In the simulated world an end drops what waits for its queue",
      violates: ["DIS-23"], targets: [],
      Edit(
        "Sources/Simulation/SimulatedCase+Hosting.swift",
        "    subject.engine.sendBeforeEnd(&transport, now: now)",
        "    if !ACTIVATED { subject.engine.sendBeforeEnd(&transport, now: now) }")),
  ]
}

// The switches for all mechanisms that only save time.
extension SocketEngine {
  /// Ways to save a pass, a system call or a change of thread. Each may be switched off without any visible difference.
  package struct Shortcuts: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Operations queued inside a callback are deferred until it returns (`Deferral`).
    package static let deferral = Shortcuts(rawValue: 1)
    /// One read or one write without a pass and without the mailbox.
    package static let fastPath = Shortcuts(rawValue: 2)
    /// Callbacks whose queue is the socket queue run at the end of the turn, without another block.
    package static let inlineDelivery = Shortcuts(rawValue: 4)
    /// The loop's thread serves socket queues and delegate queues.
    package static let lending = Shortcuts(rawValue: 8)
    /// A loop that would sleep briefly polls instead. The host's business.
    package static let polling = Shortcuts(rawValue: 16)
    /// Every shortcut, as shipped.
    package static let all: Shortcuts = [.deferral, .fastPath, .inlineDelivery, .lending, .polling]

    private static let names: [String: Shortcuts] = [
      "all": .all, "plain": [], "deferral": .deferral, "fastPath": .fastPath, "inlineDelivery": .inlineDelivery,
      "lending": .lending, "polling": .polling,
    ]

    /// By the name that a scenario gives its speed: `all`, `plain` for none of them, or one alone.
    package init?(named name: String) {
      guard let shortcuts = Self.names[name] else { return nil }
      self = shortcuts
    }
  }
}

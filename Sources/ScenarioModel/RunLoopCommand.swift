/// A call that only the run-loop class offers.
package struct RunLoopCommand: Hashable, Sendable, Codable {
  /// Which call. Loops have the lab's names: `main`, or one that is made on first use with a thread of its own. The mode
  /// `default` is the platform's default mode; others are called as they are here.
  package enum Call: Hashable, Sendable, Codable {
    /// nil: no loop is passed.
    case move(to: String?)
    case setModes([String])
    /// nil: no mode is passed.
    case addMode(String?)
    case removeMode(String?)
    case enablePrebuffering
    /// No call on the socket: its loop runs in this mode only for so long, while the lanes go on; inside a callback it
    /// is run so nested, and the callback goes on afterwards. Calls on sockets are made on their loops in any mode.
    case run(mode: String, duration: Duration)

    /// As scenario files name it.
    package var name: String {
      switch self {
      case .move: "moveToRunLoop"
      case .setModes: "setRunLoopModes"
      case .addMode: "addRunLoopMode"
      case .removeMode: "removeRunLoopMode"
      case .enablePrebuffering: "enablePrebuffering"
      case .run: "runMode"
      }
    }
  }

  /// Which call.
  package var call: Call
  /// What the call must return; nil: it returns nothing.
  package var returns: Bool?

  package init(_ call: Call, returns: Bool? = nil) {
    self.call = call
    self.returns = returns
  }
}

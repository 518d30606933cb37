import Dispatch
import Foundation
import SocketCore

extension GCDAsyncSocket {
  /// Whether socketDidDisconnect has run when `disconnect()` returns; false at first.
  ///
  /// By default the callback is only enqueued, in order, before `disconnect()` returns. With this property set,
  /// `disconnect()` called on the delegate queue runs the waiting callbacks and then socketDidDisconnect inside the
  /// call; called elsewhere it waits for the delegate queue to do so. **That can deadlock:** do not call `disconnect()`
  /// while holding a lock that a callback takes, nor from a queue that the delegate queue waits for, such as its target
  /// queue or another one with the same serial target. Inside `perform(_:)`, on a socket queue that is not the delegate
  /// queue too, while another thread runs a callback of a delegate queue that runs blocks side by side, and inside a
  /// callback while another one is under way on a former delegate queue, or is itself inside a `disconnect()` that
  /// waits, the callback is only enqueued.
  public var notifiesDisconnectBeforeReturning: Bool {
    get { driver.look { driver.notifiesDisconnectBeforeReturning } }
    set {
      driver.look {
        driver.notifiesDisconnectBeforeReturning = newValue
        driver.markDelegateQueues()
      }
    }
  }

  /// The resolver for host names; the system's unless the lab or a test says otherwise.
  package var hostResolver: any HostResolving {
    get { driver.look { driver.resolver } }
    set { driver.look { driver.resolver = newValue } }
  }

  /// Has the socket take only certain shortcuts: all, none or one alone, by their names
  /// (`SocketEngine.Shortcuts.init(named:)`). Before its first start, or in didAcceptNewSocket.
  package func takeShortcuts(named name: String) {
    driver.look { driver.engine.shortcuts = Self.shortcuts(named: name) }
  }

  /// Switches the shortcut of that name off, and all others on; as early as `takeShortcuts`.
  package func leaveOutShortcut(named name: String) {
    driver.look { driver.engine.shortcuts.subtract(Self.shortcuts(named: name)) }
  }

  /// Whether it takes just these, and no others.
  package func takesShortcuts(named name: String) -> Bool {
    driver.look { driver.engine.shortcuts == Self.shortcuts(named: name) }
  }

  private static func shortcuts(named name: String) -> SocketEngine.Shortcuts {
    guard let shortcuts = SocketEngine.Shortcuts(named: name) else { preconditionFailure("no shortcut \(name)") }
    return shortcuts
  }
}

extension SocketDriver {
  func setDelegateQueue(_ queue: DispatchQueue?) {
    lookInOrder(changesTarget: true) {
      guard queue !== delegateQueue else { return }
      delegateQueue = queue
      joinLoans()
      if notifiesDisconnectBeforeReturning { markDelegateQueues() }
    }
  }

  func setDelegate(_ delegate: Delegate?) {
    lookInOrder(changesTarget: true) { self.delegate = delegate }
  }

  func setDelegate(_ delegate: Delegate?, delegateQueue: DispatchQueue?) {
    lookInOrder(changesTarget: true) {
      self.delegate = delegate
      setDelegateQueue(delegateQueue)
    }
  }

  func setUserData(_ newValue: Any?) {
    // The previous value is released outside the lock: its deinitialiser may run any code.
    let former = look { () -> Any? in
      defer { userData = newValue }
      return userData
    }
    withExtendedLifetime(former) {}
  }
}

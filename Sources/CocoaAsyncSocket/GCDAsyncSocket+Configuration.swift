import Dispatch
import Foundation

extension GCDAsyncSocket {
  // MARK: Delegate

  /// Receives the callbacks; held weakly (LIFE-21). A change concerns the events produced after it (CFG-09).
  public var delegate: (any GCDAsyncSocketDelegate)? {
    get { driver.look { driver.delegate } }
    set { driver.lookInOrder { driver.delegate = newValue } }
  }

  /// Where callbacks run; normally serial. A change concerns the events produced after it (THR-10).
  public var delegateQueue: DispatchQueue? {
    get { driver.look { driver.delegateQueue } }
    set { driver.setDelegateQueue(newValue) }
  }

  /// Reads both as a consistent pair (CFG-08).
  public func getDelegate(
    _ delegatePtr: UnsafeMutablePointer<(any GCDAsyncSocketDelegate)?>?,
    delegateQueue delegateQueuePtr: UnsafeMutablePointer<DispatchQueue?>?
  ) {
    let (delegate, queue) = driver.look { (driver.delegate, driver.delegateQueue) }
    delegatePtr?.pointee = delegate
    delegateQueuePtr?.pointee = queue
  }

  /// Sets both at once: no callback ever sees the old delegate on the new queue (CFG-08).
  public func setDelegate(_ delegate: (any GCDAsyncSocketDelegate)?, delegateQueue: DispatchQueue?) {
    driver.lookInOrder {
      driver.delegate = delegate
      driver.setDelegateQueue(delegateQueue)
    }
  }

  /// Sets the delegate; takes effect before returning, as every setter here does (CFG-10).
  public func synchronouslySetDelegate(_ delegate: (any GCDAsyncSocketDelegate)?) { self.delegate = delegate }

  /// Sets the delegate queue before returning (CFG-10).
  public func synchronouslySetDelegateQueue(_ delegateQueue: DispatchQueue?) { self.delegateQueue = delegateQueue }

  /// Sets both before returning (CFG-10).
  public func synchronouslySetDelegate(
    _ delegate: (any GCDAsyncSocketDelegate)?, delegateQueue: DispatchQueue?
  ) { setDelegate(delegate, delegateQueue: delegateQueue) }

  // MARK: Address families

  /// Whether IPv4 may be used; true at first. Governs the next start (CFG-03).
  public var isIPv4Enabled: Bool {
    get { driver.look { driver.machine.configuration.isIPv4Enabled } }
    set { driver.look { driver.machine.configuration.isIPv4Enabled = newValue } }
  }

  /// Whether IPv6 may be used; true at first. Governs the next start (CFG-03).
  public var isIPv6Enabled: Bool {
    get { driver.look { driver.machine.configuration.isIPv6Enabled } }
    set { driver.look { driver.machine.configuration.isIPv6Enabled = newValue } }
  }

  /// Which family is tried first when a host has both; true at first (CFG-05).
  public var isIPv4PreferredOverIPv6: Bool {
    get { driver.look { driver.machine.configuration.isIPv4Preferred } }
    set { driver.look { driver.machine.configuration.isIPv4Preferred = newValue } }
  }

  /// The setter's name in the first documents (CFG-06).
  public func setPreferIPv4OverIPv6(_ flag: Bool) { isIPv4PreferredOverIPv6 = flag }

  /// The head start of the preferred family, in seconds; 0.3 at first (CON-22).
  public var alternateAddressDelay: TimeInterval {
    get { driver.look { driver.machine.configuration.alternateAddressDelay } }
    set { driver.look { driver.machine.configuration.alternateAddressDelay = newValue } }
  }

  // MARK: Behaviour

  /// Whether the end of the peer's stream closes the socket (true, at first) or only the reading side, which
  /// socketDidCloseReadStream then tells (HALF-01, HALF-02). Honoured as it stands when the end is reached (CFG-18).
  public var autoDisconnectOnClosedReadStream: Bool {
    get { driver.look { driver.machine.configuration.autoDisconnectOnClosedReadStream } }
    set { driver.look { driver.machine.configuration.autoDisconnectOnClosedReadStream = newValue } }
  }

  /// Whether socketDidDisconnect has run when `disconnect()` returns; false at first.
  ///
  /// By default the callback is only put in line, in order, before `disconnect()` returns. With this property set,
  /// `disconnect()` called on the delegate queue runs the waiting callbacks and then socketDidDisconnect inside the
  /// call; called elsewhere it waits for the delegate queue to do so. **That can deadlock:** do not call `disconnect()`
  /// while holding a lock that a callback takes, nor from a queue that the delegate queue waits for. Inside
  /// `perform(_:)`, and on a socket queue that is not the delegate queue too, the callback is always only put in line.
  public var notifiesDisconnectBeforeReturning: Bool {
    get { driver.look { driver.notifiesDisconnectBeforeReturning } }
    set {
      driver.look {
        driver.notifiesDisconnectBeforeReturning = newValue
        driver.markDelegateQueues()
      }
    }
  }

  /// Anything you like; the library does not touch it (CFG-13).
  public var userData: Any? {
    get { driver.look { driver.userData } }
    set {
      // What was there before ends outside the lock: its end may run any code.
      let former = driver.look { () -> Any? in
        defer { driver.userData = newValue }
        return driver.userData
      }
      withExtendedLifetime(former) {}
    }
  }

  /// The resolver for host names; the system's unless the lab or a test says otherwise.
  package var hostResolver: any HostResolving {
    get { driver.look { driver.resolver } }
    set { driver.look { driver.resolver = newValue } }
  }
}

extension SocketDriver {
  func setDelegateQueue(_ queue: DispatchQueue?) {
    lookInOrder {
      guard queue !== delegateQueue else { return }
      delegateQueue = queue
      joinLoans()
      if notifiesDisconnectBeforeReturning { markDelegateQueues() }
    }
  }
}

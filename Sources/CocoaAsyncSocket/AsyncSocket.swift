import Foundation
import SocketCore
import SocketValues

/// A TCP socket with queued, non-blocking reads and writes and a delegate, on a run loop.
///
/// A socket belongs to the run loop of the thread that starts it, until `move(to:)`: input, output, timeouts and
/// callbacks happen on that thread while it runs the loop in one of the socket's modes, and at no other time (THR-16,
/// RL-22); only `disconnect()` tells of its end in any mode. A call from another thread is a mistake of the program
/// (THR-17); it does no harm, but its callbacks come on the run loop's thread, and never if that thread has ended. A
/// socket that was left behind so is free again after `disconnect()`, unless that loop has never run.
///
/// The delegate is not retained (RL-13). An instance can be used again after every disconnect (LIFE-09). What is
/// overridable in the original stands in the class's body. Accepted connections are instances of the listener's class
/// (LIFE-27), made by `init(delegate:userData:)`: a subclass with designated initialisers of its own that is to listen
/// overrides that one, too.
///
/// The original's header says nothing of nil, so objects that a method returns are implicitly unwrapped, as Swift sees
/// them there. The initialisers never fail and are not, but `AsyncSocket(delegate: self)!`, as Swift wants it there,
/// compiles, too.
open class AsyncSocket: NSObject, @unchecked Sendable {
  // Unchecked: the only stored property is immutable and guards itself.
  let driver: RunLoopDriver

  /// A socket whose delegate is set later.
  public convenience override init() { self.init(delegate: nil, userData: 0) }

  /// A socket with a delegate.
  public convenience init(delegate: (any AsyncSocketDelegate)?) { self.init(delegate: delegate, userData: 0) }

  /// The designated initialiser (LIFE-26).
  public init(delegate: (any AsyncSocketDelegate)?, userData: Int) {
    driver = RunLoopDriver(delegate: delegate)
    driver.userData = userData
    super.init()
    driver.socket = self
  }

  // What is called where there is a mark behind the brackets. Swift never prefers these: they stand behind those above
  // for being disfavoured, and are told from them by a parameter that nobody passes.

  /// `init(delegate:)`, implicitly unwrapped.
  @_disfavoredOverload
  public convenience init!(delegate: (any AsyncSocketDelegate)?, _marked: Void = ()) { self.init(delegate: delegate) }

  /// `init(delegate:userData:)`, implicitly unwrapped.
  @_disfavoredOverload
  public convenience init!(delegate: (any AsyncSocketDelegate)?, userData: Int, _marked: Void = ()) {
    self.init(delegate: delegate, userData: userData)
  }

  deinit { driver.abandon() }

  /// One line about addresses, queues, the running operations and a pending disconnect, for logs (DIAG-10).
  open override var description: String { driver.text }

  // MARK: User data and delegate

  /// A number of yours; 0 at first. The library does not touch it (CFG-14).
  open func userData() -> Int { driver.look { driver.userData } }

  /// Sets the number.
  open func setUserData(_ userData: Int) { driver.look { driver.userData = userData } }

  /// The delegate; not retained (RL-13).
  open func delegate() -> (any AsyncSocketDelegate)! { driver.look { driver.delegate } }

  /// Sets the delegate, which receives all callbacks from now on, also those of earlier events (RL-12).
  open func setDelegate(_ delegate: (any AsyncSocketDelegate)?) { driver.look { driver.delegate = delegate } }

  /// Whether nothing is queued or active and no callback is waiting, so that a change of delegate loses none (RL-11,
  /// D-02).
  open func canSafelySetDelegate() -> Bool {
    driver.look {
      let backlog = driver.machine.backlog
      return backlog.reads == 0 && backlog.writes == 0 && !driver.runLoopEngine.hasEvents
    }
  }

  // MARK: Accepting and connecting
  // Each call throws the reason why it can't start and then leaves the socket as it was (LIFE-14): `AsyncSocketMisuse`
  // if there is no delegate or the socket is started already (LIFE-04, LIFE-07), otherwise an `NSError`. The socket
  // then belongs to the run loop of the calling thread.

  /// Listens on all interfaces; 0 lets the kernel choose the port (ACC-02).
  open func accept(onPort port: UInt16) throws { try accept(onInterface: nil, port: port) }

  /// Listens on one interface, given by its name (its first address of each family) or address, or by a host name,
  /// whose lookup blocks; "localhost" and "loopback" mean both loopback addresses, nil and "" all interfaces (ACC-10,
  /// ACC-11, ACC-39).
  open func accept(onInterface interface: String?, port: UInt16) throws {
    try driver.listen(onInterface: interface, port: port)
  }

  /// The same, by its name in the manual (D-06).
  open func accept(onAddress hostaddr: String?, port: UInt16) throws { try accept(onInterface: hostaddr, port: port) }

  /// Connects to a host, without a timeout.
  open func connect(toHost hostname: String?, onPort port: UInt16) throws {
    try connect(toHost: hostname, onPort: port, withTimeout: -1)
  }

  /// Connects to a host, by name or numeric address; a negative timeout (seconds) means none. The delegate is asked by
  /// onSocketWillConnect first (CON-41). Then either didConnect follows, or willDisconnect and didDisconnect (CON-42).
  open func connect(toHost hostname: String?, onPort port: UInt16, withTimeout timeout: TimeInterval) throws {
    let host = hostname ?? ""
    try driver.connect(hasPlace: !host.isEmpty) {
      try $0.connect(toHost: host, onPort: port, viaInterface: nil, withTimeout: timeout)
    }
  }

  /// Connects to a raw sockaddr, without a timeout.
  open func connect(toAddress remoteAddr: Data?) throws { try connect(toAddress: remoteAddr, withTimeout: -1) }

  /// Connects to a raw sockaddr.
  open func connect(toAddress remoteAddr: Data?, withTimeout timeout: TimeInterval) throws {
    try connect(toAddress: remoteAddr, viaInterfaceAddress: nil, withTimeout: timeout)
  }

  /// Connects to a raw sockaddr_in or sockaddr_in6 from a local one (nil: any). Failed system calls are reported as
  /// `AsyncSocketCFSocketError` (CON-33).
  open func connect(
    toAddress remoteAddr: Data?, viaInterfaceAddress interfaceAddr: Data?, withTimeout timeout: TimeInterval
  ) throws {
    try driver.connect(toRaw: remoteAddr ?? Data(), from: interfaceAddr, withTimeout: timeout)
  }

  // MARK: Disconnecting

  /// Closes at once: queued operations are dropped, and didDisconnect, without willDisconnect, has been called when
  /// this returns (DIS-02, DIS-25), provided that it is called on the run loop's thread, and that no callback is under
  /// way on a run loop that the socket has left: it comes when that has returned (THR-16). Does nothing on an idle
  /// socket.
  open func disconnect() { driver.disconnect() }

  /// Closes in a later turn of the run loop, when the reads queued so far are done (DIS-09, DIS-27).
  open func disconnectAfterReading() { driver.disconnect(afterReads: true, afterWrites: false) }

  /// Closes in a later turn of the run loop, when the writes queued so far are done (DIS-10, DIS-22).
  open func disconnectAfterWriting() { driver.disconnect(afterReads: false, afterWrites: true) }

  /// Closes in a later turn of the run loop, when the reads and the writes queued so far are done (DIS-11).
  open func disconnectAfterReadingAndWriting() { driver.disconnect(afterReads: true, afterWrites: true) }

  // MARK: Diagnostics

  /// Whether there is a connection: from didConnect on, not for listeners, and not any more in the willDisconnect that
  /// reports the peer's end (DIAG-09). A peer that has vanished is not noticed (DIAG-08).
  open func isConnected() -> Bool { driver.look { driver.runLoopEngine.isConnected } }

  /// Whether nothing is started.
  open func isDisconnected() -> Bool { driver.look { driver.isFree } }

  /// The peer's numeric host; nil unless connected, or an accepted child that is still being handed over.
  open func connectedHost() -> String! { driver.look { driver.remote?.host } }

  /// The peer's port; 0 where `connectedHost()` is nil.
  open func connectedPort() -> UInt16 { driver.look { driver.remote?.port ?? 0 } }

  /// The own numeric host, also that of a listener (DIAG-03); nil in all other states.
  open func localHost() -> String! { driver.look { driver.local?.host } }

  /// The own port, also that of a listener (DIAG-03); 0 in all other states.
  open func localPort() -> UInt16 { driver.look { driver.local?.port ?? 0 } }

  /// The peer's raw sockaddr; nil where `connectedHost()` is.
  open func connectedAddress() -> Data! { driver.look { driver.remote }.map { Data($0.bytes) } }

  /// The own raw sockaddr, also that of a listener; nil in all other states.
  open func localAddress() -> Data! { driver.look { driver.local }.map { Data($0.bytes) } }

  /// Whether the socket uses IPv4; a listener may use both families.
  open func isIPv4() -> Bool { driver.look { driver.descriptor(of: .ipv4) != nil } }

  /// Whether the socket uses IPv6; a listener may use both families.
  open func isIPv6() -> Bool { driver.look { driver.descriptor(of: .ipv6) != nil } }

  // MARK: Reading and writing
  // Reads and writes are queued and return at once; nothing of them is reported before a later turn of the run loop,
  // or before the callback that made the call has returned (RDQ-02, D-08). A call that the contract makes a no-op has
  // no effect at all. Timeouts are in seconds, run from the moment the operation becomes the active one, and are none
  // if negative (TMO-01, TMO-02). A caller's buffer is kept, and filled just before didRead and didReadPartial.

  /// Reads what is there, at least a byte. Inside willDisconnect: the rest, once (RL-07).
  open func readData(withTimeout timeout: TimeInterval, tag: Int) {
    readData(withTimeout: timeout, buffer: nil, bufferOffset: 0, maxLength: 0, tag: tag)
  }

  /// Reads what is there into a buffer of the caller's.
  open func readData(withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt, tag: Int) {
    readData(withTimeout: timeout, buffer: buffer, bufferOffset: offset, maxLength: 0, tag: tag)
  }

  /// Reads what is there, at most `length` bytes (0: no limit; RD-ANY-04), into a buffer of the caller's from `offset`
  /// on. The call is a no-op if the offset is greater than the buffer's length (RD-BUF-04).
  open func readData(
    withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt, maxLength length: UInt,
    tag: Int
  ) {
    guard let place = DescriptorDriver.readDestination(buffer, offset) else { return }
    driver.read(.available(limit: Int(clamping: length), timeout: timeout, tag: tag, destination: place.destination))
  }

  /// Reads exactly `length` bytes; 0 is a no-op (RD-LEN-02).
  open func readData(toLength length: UInt, withTimeout timeout: TimeInterval, tag: Int) {
    readData(toLength: length, withTimeout: timeout, buffer: nil, bufferOffset: 0, tag: tag)
  }

  /// Reads exactly `length` bytes into a buffer of the caller's.
  open func readData(
    toLength length: UInt, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt,
    tag: Int
  ) {
    guard let place = DescriptorDriver.readDestination(buffer, offset) else { return }
    driver.read(.exactly(Int(clamping: length), timeout: timeout, tag: tag, destination: place.destination))
  }

  /// Reads up to and including the delimiter; nil and empty delimiters are no-ops (RD-DELIM-02).
  open func readData(to data: Data?, withTimeout timeout: TimeInterval, tag: Int) {
    readData(to: data, withTimeout: timeout, buffer: nil, bufferOffset: 0, maxLength: 0, tag: tag)
  }

  /// Reads up to and including the delimiter into a buffer of the caller's.
  open func readData(
    to data: Data?, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt, tag: Int
  ) { readData(to: data, withTimeout: timeout, buffer: buffer, bufferOffset: offset, maxLength: 0, tag: tag) }

  /// Reads up to and including the delimiter, which must end within `length` bytes, or the socket closes with
  /// `AsyncSocketReadMaxedOutError` (RD-MAX-01…RD-MAX-06). Does nothing if the delimiter itself is longer (RD-MAX-05).
  open func readData(to data: Data?, withTimeout timeout: TimeInterval, maxLength length: UInt, tag: Int) {
    readData(to: data, withTimeout: timeout, buffer: nil, bufferOffset: 0, maxLength: length, tag: tag)
  }

  /// Reads up to and including the delimiter within `length` bytes (0: no limit) into a buffer of the caller's. The
  /// delimiter is captured now (RD-DELIM-17).
  open func readData(
    to data: Data?, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt,
    maxLength length: UInt, tag: Int
  ) {
    guard let data, let place = DescriptorDriver.readDestination(buffer, offset) else { return }
    driver.read(through: data, limit: Int(clamping: length), timeout: timeout, tag: tag, place.destination)
  }

  /// How far the active read is: 0…1, 1 if its length is not known beforehand, NaN (and zeros) if no read is active
  /// (DIAG-11, DIAG-12).
  @discardableResult
  open func progress(
    ofReadReturningTag tag: UnsafeMutablePointer<Int>?, bytesDone done: UnsafeMutablePointer<UInt>?,
    total: UnsafeMutablePointer<UInt>?
  ) -> Float { driver.look { driver.machine.readProgress }.report(tag, done, total) }

  /// Writes the data; nil and empty data are no-ops (WR-02). The content is captured now (WR-07).
  open func write(_ data: Data?, withTimeout timeout: TimeInterval, tag: Int) {
    guard let data, !data.isEmpty else { return }
    data.withUnsafeBytes { driver.write($0, timeout: timeout, tag: tag) }
  }

  /// How far the active write is, in bytes and as 0…1; NaN (and zeros) if no write is active (DIAG-13, WR-17).
  @discardableResult
  open func progress(
    ofWriteReturningTag tag: UnsafeMutablePointer<Int>?, bytesDone done: UnsafeMutablePointer<UInt>?,
    total: UnsafeMutablePointer<UInt>?
  ) -> Float { driver.look { driver.machine.writeProgress }.report(tag, done, total) }

  /// Inside willDisconnect: all bytes that have arrived and were not delivered, in stream order, as a copy; asked
  /// again, the same (RL-03…RL-06). nil at all other times.
  open func unreadData() -> Data! { driver.look { driver.unread() } }

  /// Without effect: bytes are always read ahead for reads to a delimiter (RL-24, D-14).
  open func enablePreBuffering() {}

  /// The same, by its other name.
  open func enablePrebuffering() {}

  // MARK: Security

  /// Secures the connection once everything queued before is done; the settings are those of the other class, without
  /// trust evaluated by hand (TLS-01…TLS-03). nil and empty settings are the defaults of `TLSSettings`. Ignored on a
  /// socket that is not started, after any disconnectAfter…, and when called again (TLS-08, RL-26).
  open func startTLS(_ tlsSettings: [AnyHashable: Any]?) { driver.startTLS(tlsSettings) }

  /// Whether the handshake is done and the connection still there.
  open func isSecure() -> Bool { driver.look { driver.machine.isSecure } }

  // MARK: Run loops and modes

  /// Moves a started socket to another run loop, on whose thread everything happens from now on (RL-17, RL-18); one
  /// that is not started goes to the run loop of the thread that starts it. To be called on the present one; inside a
  /// callback, nothing happens on either run loop until the callback has returned. nil: false.
  @discardableResult
  open func move(to runLoop: RunLoop?) -> Bool { driver.move(to: runLoop) }

  /// The same, by its name in the documents.
  @discardableResult
  open func moveToRunLoop(_ runLoop: RunLoop?) -> Bool { move(to: runLoop) }

  /// Sets the modes in which the socket works: names, or values of `RunLoop.Mode`; one that is named twice counts once.
  /// Empty or ill-typed: false (RL-20).
  @discardableResult
  open func setRunLoopModes(_ runLoopModes: [Any]?) -> Bool {
    var modes: [RunLoop.Mode] = []
    for mode in runLoopModes ?? [] {
      guard let name = (mode as? RunLoop.Mode)?.rawValue ?? mode as? String else { return false }
      modes.append(RunLoop.Mode(name))
    }
    return driver.changeModes { _ in modes }
  }

  /// Adds a mode; nil: false (RL-21).
  @discardableResult
  open func addRunLoopMode(_ runLoopMode: String?) -> Bool {
    guard let runLoopMode else { return false }
    return driver.changeModes { $0 + [RunLoop.Mode(runLoopMode)] }
  }

  /// Takes a mode out; nil and the last one: false (RL-21, RL-22).
  @discardableResult
  open func removeRunLoopMode(_ runLoopMode: String?) -> Bool {
    guard let runLoopMode else { return false }
    let mode = RunLoop.Mode(runLoopMode)
    return driver.changeModes { $0.filter { $0 != mode } }
  }

  /// The names of the modes; the default mode alone at first (RL-19).
  open func runLoopModes() -> [Any]! { driver.look { driver.modes }.map(\.rawValue) }

  // MARK: Advanced

  /// Always nil: there is no CFSocket behind it on Linux (RL-25).
  open func getCFSocket() -> Unmanaged<CFSocket>! { nil }

  /// Always nil: there are no CFStreams on Linux (RL-25).
  open func getCFReadStream() -> Unmanaged<CFReadStream>! { nil }

  /// Always nil: there are no CFStreams on Linux (RL-25).
  open func getCFWriteStream() -> Unmanaged<CFWriteStream>! { nil }

  /// Carriage return and line feed (UTIL-06).
  open class func crlfData() -> Data! { Data([0x0D, 0x0A]) }

  /// A carriage return.
  open class func crData() -> Data! { Data([0x0D]) }

  /// A line feed.
  open class func lfData() -> Data! { Data([0x0A]) }

  /// A zero byte.
  open class func zeroData() -> Data! { Data([0]) }
}

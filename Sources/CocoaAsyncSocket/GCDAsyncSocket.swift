import Dispatch
import Foundation
import SocketValues

/// A TCP (or Unix-domain) socket with queued, non-blocking reads and writes and a delegate.
///
/// Every method may be called from any thread or queue (THR-01) and never waits for the delegate queue, with the one
/// exception that `notifiesDisconnectBeforeReturning` asks for (INV-12). Callbacks run on the delegate queue, in order.
/// The delegate is held weakly. An instance can be used again after every disconnect (LIFE-09).
///
/// Whatever the original has is overridable, so it stands in the class's body: Swift does not override what an
/// extension declares. The library calls none of it on its own account; only the short forms of a call go through the
/// longer ones.
///
/// Accepted connections are instances of the listener's class (LIFE-27), made by `init(delegate:delegateQueue:
/// socketQueue:)`. A subclass with designated initialisers of its own that is to listen must override that one, too:
/// without it the program ends when a client comes, as it does on Apple's systems.
///
/// Sockets are Sendable, so Swift reminds subclasses to say that they are, too: `class Chat: GCDAsyncSocket, @unchecked
/// Sendable`.
open class GCDAsyncSocket: NSObject, @unchecked Sendable {
  // Unchecked: the only stored property is immutable and guards itself.
  let driver: SocketDriver

  /// A socket whose delegate and queues are set later (LIFE-24).
  public convenience override init() {
    self.init(delegate: nil, delegateQueue: nil, socketQueue: nil)
  }

  /// The designated initialiser. Without a socket queue the socket works on whichever thread has work for it; with one
  /// (serial; a concurrent one, global or not, is a programming error, LIFE-25), input and output happen on it only.
  public init(
    delegate aDelegate: (any GCDAsyncSocketDelegate)?, delegateQueue dq: DispatchQueue?, socketQueue sq: DispatchQueue?
  ) {
    guard sq?.isConcurrent != true else {
      misuse("The socket queue must not be concurrent: make a serial DispatchQueue for the socket.")
    }
    driver = SocketDriver(delegate: aDelegate, delegateQueue: dq, socketQueue: sq)
    super.init()
    driver.socket = self
  }

  deinit { driver.abandon() }

  /// One line about the state, for logs.
  open override var description: String { driver.text }

  // MARK: Delegate

  /// Receives the callbacks; held weakly (LIFE-21). A change concerns the events produced after it (CFG-09).
  open var delegate: (any GCDAsyncSocketDelegate)? {
    get { driver.look { driver.delegate } }
    set { driver.setDelegate(newValue) }
  }

  /// Where callbacks run; normally serial. On a concurrent queue they also come one at a time and in order, where the
  /// original runs them side by side (THR-03). A change concerns the events produced after it (THR-10).
  open var delegateQueue: DispatchQueue? {
    get { driver.look { driver.delegateQueue } }
    set { driver.setDelegateQueue(newValue) }
  }

  /// Reads both as a consistent pair (CFG-08).
  open func getDelegate(
    _ delegatePtr: UnsafeMutablePointer<(any GCDAsyncSocketDelegate)?>?,
    delegateQueue delegateQueuePtr: UnsafeMutablePointer<DispatchQueue?>?
  ) {
    let (delegate, queue) = driver.look { (driver.delegate, driver.delegateQueue) }
    delegatePtr?.pointee = delegate
    delegateQueuePtr?.pointee = queue
  }

  /// Sets both at once: no callback ever sees the old delegate on the new queue (CFG-08).
  open func setDelegate(_ delegate: (any GCDAsyncSocketDelegate)?, delegateQueue: DispatchQueue?) {
    driver.setDelegate(delegate, delegateQueue: delegateQueue)
  }

  /// Sets the delegate; takes effect before returning, as every setter here does (CFG-10).
  open func synchronouslySetDelegate(_ delegate: (any GCDAsyncSocketDelegate)?) { driver.setDelegate(delegate) }

  /// Sets the delegate queue before returning (CFG-10).
  open func synchronouslySetDelegateQueue(_ delegateQueue: DispatchQueue?) { driver.setDelegateQueue(delegateQueue) }

  /// Sets both before returning (CFG-10).
  open func synchronouslySetDelegate(
    _ delegate: (any GCDAsyncSocketDelegate)?, delegateQueue: DispatchQueue?
  ) { driver.setDelegate(delegate, delegateQueue: delegateQueue) }

  // MARK: Address families

  /// Whether IPv4 may be used; true at first. Governs the next start (CFG-03).
  open var isIPv4Enabled: Bool {
    get { driver.look { driver.machine.configuration.isIPv4Enabled } }
    set { driver.look { driver.machine.configuration.isIPv4Enabled = newValue } }
  }

  /// Whether IPv6 may be used; true at first. Governs the next start (CFG-03).
  open var isIPv6Enabled: Bool {
    get { driver.look { driver.machine.configuration.isIPv6Enabled } }
    set { driver.look { driver.machine.configuration.isIPv6Enabled = newValue } }
  }

  /// Which family is tried first when a host has both; true at first (CFG-05).
  open var isIPv4PreferredOverIPv6: Bool {
    get { driver.look { driver.machine.configuration.isIPv4Preferred } }
    set { driver.look { driver.machine.configuration.isIPv4Preferred = newValue } }
  }

  /// The name of the setter in the original's first documentation (CFG-06). Sets `isIPv4PreferredOverIPv6`.
  open func setPreferIPv4OverIPv6(_ flag: Bool) { isIPv4PreferredOverIPv6 = flag }

  /// The head start of the preferred family, in seconds; 0.3 at first (CON-22).
  open var alternateAddressDelay: TimeInterval {
    get { driver.look { driver.machine.configuration.alternateAddressDelay } }
    set { driver.look { driver.machine.configuration.alternateAddressDelay = newValue } }
  }

  // MARK: Behaviour

  /// Whether the end of the peer's stream closes the socket (true, at first) or only the reading side, which
  /// socketDidCloseReadStream then reports (HALF-01, HALF-02). Its value counts when the end is reached (CFG-18).
  open var autoDisconnectOnClosedReadStream: Bool {
    get { driver.look { driver.machine.configuration.autoDisconnectOnClosedReadStream } }
    set { driver.lookInOrder { driver.machine.configuration.autoDisconnectOnClosedReadStream = newValue } }
  }

  /// Anything you like; the library does not touch it (CFG-13).
  open var userData: Any? {
    get { driver.look { driver.userData } }
    set { driver.setUserData(newValue) }
  }

  // MARK: Accepting and connecting
  // Each call throws the reason why it can't start and then leaves the socket as it was (LIFE-03, LIFE-14); later
  // events are reported by callbacks.

  /// Listens on all interfaces, in both enabled families, on the same port; 0 lets the kernel choose (ACC-01, ACC-02).
  open func accept(onPort port: UInt16) throws { try accept(onInterface: nil, port: port) }

  /// Listens on one interface, given by its name, which means its first address of each family, or by one of its
  /// addresses; "localhost" and "loopback" mean both loopback addresses, nil and "" all interfaces. A link-local
  /// address may have its interface behind a percent sign ("fe80::1%eth0"). A ":port" suffix counts if `port` is 0
  /// (ACC-08…ACC-15).
  open func accept(onInterface interface: String?, port: UInt16) throws {
    try driver.accept(onInterface: interface, port: port)
  }

  /// Listens on the Unix-domain path of a URL (scheme "file", "unix" or none). A socket file there is replaced; any
  /// other file is left alone and is an error. The path goes with the listener, unless it is another's (ACC-34…ACC-37).
  open func accept(on url: URL) throws { try driver.accept(on: url) }

  /// Connects to a host, without a timeout.
  open func connect(toHost host: String, onPort port: UInt16) throws {
    try connect(toHost: host, onPort: port, withTimeout: -1)
  }

  /// Connects to a host; a negative timeout (seconds) means none (CON-08…CON-11).
  open func connect(toHost host: String, onPort port: UInt16, withTimeout timeout: TimeInterval) throws {
    try connect(toHost: host, onPort: port, viaInterface: nil, withTimeout: timeout)
  }

  /// Connects to a host, by name or numeric address, from a local interface, given as to
  /// `accept(onInterface:port:)`, with an optional local ":port" (CON-24…CON-28). Then either didConnect follows or
  /// didDisconnect (CON-01, CON-45).
  open func connect(
    toHost host: String, onPort port: UInt16, viaInterface interface: String?, withTimeout timeout: TimeInterval
  ) throws { try driver.connect(toHost: host, onPort: port, viaInterface: interface, withTimeout: timeout) }

  /// Connects to a raw sockaddr, without a timeout.
  open func connect(toAddress remoteAddr: Data) throws {
    try connect(toAddress: remoteAddr, viaInterface: nil, withTimeout: -1)
  }

  /// Connects to a raw sockaddr.
  open func connect(toAddress remoteAddr: Data, withTimeout timeout: TimeInterval) throws {
    try connect(toAddress: remoteAddr, viaInterface: nil, withTimeout: timeout)
  }

  /// Connects to a raw sockaddr_in or sockaddr_in6, which must have exactly its size (CON-31). A local address that
  /// can't be bound makes the call itself throw (CON-27).
  open func connect(
    toAddress remoteAddr: Data, viaInterface interface: String?, withTimeout timeout: TimeInterval
  ) throws { try driver.connect(toAddress: remoteAddr, viaInterface: interface, withTimeout: timeout) }

  /// Connects to the Unix-domain path of a URL (scheme "file", "unix" or none); didConnectTo follows, or didDisconnect
  /// (CON-34). While the listener's backlog is full the attempt waits, up to the timeout (CON-08).
  open func connect(to url: URL, withTimeout timeout: TimeInterval) throws {
    try driver.connect(to: url, withTimeout: timeout)
  }

  /// Connects to the first of the service's addresses that a connection can be started to; throws if there is none
  /// (CON-46).
  open func connect(to netService: NetService) throws {
    try connect(toFirstOf: netService.addresses ?? [])
  }

  // MARK: Reading and writing
  // Reads and writes are queued and return at once; a call that the contract makes a no-op has no effect at all, no
  // callback, no timeout. They are ignored while the socket isn't started and after any disconnectAfter… (RDQ-03,
  // WR-06, DIS-13). Timeouts are in seconds, run from the moment the operation becomes the active one, and are none if
  // negative (TMO-01, TMO-02). A caller's buffer is kept, and filled on the delegate queue just before didRead, and
  // before didReadPartial with what that announces; without a delegate or queue, at the same moments (D-32).

  /// Reads what is there, at least a byte.
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
  ) { driver.readData(withTimeout: timeout, buffer: buffer, bufferOffset: offset, maxLength: length, tag: tag) }

  /// Reads exactly `length` bytes; 0 is a no-op (RD-LEN-02).
  open func readData(toLength length: UInt, withTimeout timeout: TimeInterval, tag: Int) {
    readData(toLength: length, withTimeout: timeout, buffer: nil, bufferOffset: 0, tag: tag)
  }

  /// Reads exactly `length` bytes into a buffer of the caller's.
  open func readData(
    toLength length: UInt, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt,
    tag: Int
  ) { driver.readData(toLength: length, withTimeout: timeout, buffer: buffer, bufferOffset: offset, tag: tag) }

  /// Reads up to and including the delimiter; nil and empty delimiters are no-ops (RD-DELIM-02).
  open func readData(to data: Data?, withTimeout timeout: TimeInterval, tag: Int) {
    readData(to: data, withTimeout: timeout, buffer: nil, bufferOffset: 0, maxLength: 0, tag: tag)
  }

  /// Reads up to and including the delimiter into a buffer of the caller's.
  open func readData(
    to data: Data?, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt, tag: Int
  ) { readData(to: data, withTimeout: timeout, buffer: buffer, bufferOffset: offset, maxLength: 0, tag: tag) }

  /// Reads up to and including the delimiter, which must end within `length` bytes, or the socket closes with
  /// readMaxedOutError (RD-MAX-01…RD-MAX-06). Does nothing if the delimiter itself is longer (RD-MAX-05).
  open func readData(to data: Data?, withTimeout timeout: TimeInterval, maxLength length: UInt, tag: Int) {
    readData(to: data, withTimeout: timeout, buffer: nil, bufferOffset: 0, maxLength: length, tag: tag)
  }

  /// Reads up to and including the delimiter within `length` bytes (0: no limit) into a buffer of the caller's. The
  /// delimiter is captured now (RD-DELIM-17).
  open func readData(
    to data: Data?, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt,
    maxLength length: UInt, tag: Int
  ) {
    driver.readData(
      to: data, withTimeout: timeout, buffer: buffer, bufferOffset: offset, maxLength: length, tag: tag)
  }

  /// How far the active read is: 0…1, 1 if its length is not known beforehand, NaN (and zeros) if no read is active
  /// (DIAG-11, DIAG-12).
  @discardableResult
  open func progress(
    ofReadReturningTag tagPtr: UnsafeMutablePointer<Int>?, bytesDone donePtr: UnsafeMutablePointer<UInt>?,
    total totalPtr: UnsafeMutablePointer<UInt>?
  ) -> Float { driver.lookInOrder { driver.machine.readProgress }.report(tagPtr, donePtr, totalPtr) }

  /// Writes the data; nil and empty data are no-ops (WR-02). The content is captured now (WR-07). didWrite means that
  /// the kernel has taken all of it (WR-03).
  open func write(_ data: Data?, withTimeout timeout: TimeInterval, tag: Int) {
    guard let data, !data.isEmpty else { return }
    data.withUnsafeBytes { driver.write($0, timeout: timeout, tag: tag) }
  }

  /// How far the active write is, in bytes and as 0…1; NaN (and zeros) if no write is active (DIAG-13, WR-17).
  @discardableResult
  open func progress(
    ofWriteReturningTag tagPtr: UnsafeMutablePointer<Int>?, bytesDone donePtr: UnsafeMutablePointer<UInt>?,
    total totalPtr: UnsafeMutablePointer<UInt>?
  ) -> Float { driver.lookInOrder { driver.machine.writeProgress }.report(tagPtr, donePtr, totalPtr) }

  // MARK: Security

  /// Secures the connection once everything queued before is done; operations queued after it travel encrypted, and
  /// none of them before the handshake has succeeded (TLS-01…TLS-03, TLS-15). didSecure reports success; after a
  /// failure the socket closes with an error of `kCFStreamErrorDomainSSL`. nil and empty settings are the defaults of
  /// `TLSSettings`; its documentation says what the keys mean. Settings that make no sense close the socket with
  /// otherError when the upgrade's turn comes (TLS-18). Ignored on a socket that is not started, after any
  /// disconnectAfter…, and when called again (TLS-08, TLS-10).
  ///
  /// The handshake has no timeout of its own, and those of operations behind it don't run yet (TMO-21): bound it with a
  /// timer that calls `disconnect()`, cancelled in socketDidSecure and socketDidDisconnect. A peer that only floods
  /// (4 MiB of handshake; 128 messages, or 16,384 records, without data) is thrown out (TLS-41).
  open func startTLS(_ tlsSettings: [String: NSObject]?) { driver.startTLS(TLSSettings.sessionMaker(tlsSettings)) }

  /// The same, with typed settings.
  open func startTLS(settings: TLSSettings) { driver.startTLS(settings.sessionMaker()) }

  /// Whether the handshake is done and the connection still there (TLS-38).
  open var isSecure: Bool { driver.look { driver.machine.isSecure } }

  // MARK: Disconnecting

  /// Closes at once: queued operations are dropped, the socket may be started again when the call returns (DIS-01), and
  /// didDisconnect follows with a nil error. Queued writes are offered to the kernel once more; bytes that it has no
  /// room for are dropped (DIS-23). Does nothing on an idle socket.
  open func disconnect() {
    driver.disconnect()
    driver.deliverBeforeReturning()
  }

  /// Closes when the reads queued so far are done; writes don't hold it back (DIS-09).
  open func disconnectAfterReading() { driver.disconnect(afterReads: true, afterWrites: false) }

  /// Closes when the writes queued so far are done, and so that they reach the peer (DIS-10, DIS-22).
  open func disconnectAfterWriting() { driver.disconnect(afterReads: false, afterWrites: true) }

  /// Closes when the reads and the writes queued so far are done (DIS-11).
  open func disconnectAfterReadingAndWriting() { driver.disconnect(afterReads: true, afterWrites: true) }

  // MARK: Diagnostics
  // What the socket is and where; usable from any thread at any time (DIAG-07).

  /// Whether nothing is started: the socket is neither connected, nor connecting, nor accepting (DIAG-01).
  open var isDisconnected: Bool { driver.look { driver.machine.isDisconnected } }

  /// Whether there is a connection, half-closed or not (DIAG-01).
  open var isConnected: Bool { driver.look { driver.machine.isConnected } }

  /// The peer's numeric host; nil unless connected (DIAG-02, DIAG-04).
  open var connectedHost: String? { driver.look { driver.remoteAddress?.host } }

  /// The peer's port; 0 unless connected (DIAG-02).
  open var connectedPort: UInt16 { driver.look { driver.remoteAddress?.port ?? 0 } }

  /// The Unix-domain path this client is connected to; nil otherwise (DIAG-14).
  open var connectedUrl: URL? {
    driver.look { driver.machine.isConnected ? driver.connectedPath : nil }.map { URL(fileURLWithPath: $0) }
  }

  /// The own numeric host, also that of a listener (DIAG-03); nil in all other states.
  open var localHost: String? { driver.look { driver.localAddress?.host } }

  /// The own port, also that of a listener (DIAG-03); 0 in all other states.
  open var localPort: UInt16 { driver.look { driver.localPort } }

  /// The peer's raw sockaddr (DIAG-05); nil unless connected.
  open var connectedAddress: Data? { driver.look { driver.remoteAddress }.map { Data($0.bytes) } }

  /// The own raw sockaddr (DIAG-05).
  open var localAddress: Data? { driver.look { driver.localAddress }.map { Data($0.bytes) } }

  /// Whether the socket uses IPv4; a listener may use both families (DIAG-06).
  open var isIPv4: Bool { driver.look { driver.descriptor(of: .ipv4) != nil } }

  /// Whether the socket uses IPv6; a listener may use both families (DIAG-06).
  open var isIPv6: Bool { driver.look { driver.descriptor(of: .ipv6) != nil } }

  // MARK: Advanced

  /// Runs the block with exclusive access to the socket, and returns when it has run: on the socket queue if the socket
  /// has one, otherwise on the calling thread. Nested calls run inline, and this thread's earlier writes have been
  /// offered to the kernel (THR-04). Input, output and other threads' calls on this socket wait meanwhile; callbacks
  /// that are in line are made, and all other sockets go on. A callback that calls this socket waits for the block, so
  /// a block that waits for the delegate queue never ends if that happens. What the block is given, such as a
  /// descriptor, is not valid outside of it: the socket may close it as soon as the block has returned (THR-18).
  open func perform(_ block: @escaping () -> Void) { driver.performInOrder(block) }

  /// The descriptor, for socket options: only inside `perform(_:)` or on the socket queue, otherwise −1 (THR-05). For a
  /// listener on both families it is the IPv4 one (THR-06).
  @discardableResult open func socketFD() -> Int32 { driver.exclusiveDescriptor { $0.anyDescriptor } }

  /// The IPv4 descriptor, like `socketFD()`.
  @discardableResult open func socket4FD() -> Int32 { driver.exclusiveDescriptor { $0.descriptor(of: .ipv4) } }

  /// The IPv6 descriptor, like `socketFD()`.
  @discardableResult open func socket6FD() -> Int32 { driver.exclusiveDescriptor { $0.descriptor(of: .ipv6) } }

  /// Announces that code on this queue, a target of the socket queue, runs as if on the socket queue (THR-11).
  open func markSocketQueueTargetQueue(_ socketQueuesPreConfiguredTargetQueue: DispatchQueue) {
    driver.mark(socketQueuesPreConfiguredTargetQueue)
  }

  /// Reverts `markSocketQueueTargetQueue(_:)`.
  open func unmarkSocketQueueTargetQueue(_ socketQueuesPreviouslyConfiguredTargetQueue: DispatchQueue) {
    driver.unmark(socketQueuesPreviouslyConfiguredTargetQueue)
  }

  /// Always nil: there are no CFStreams on Linux (THR-14).
  @discardableResult open func readStream() -> Unmanaged<CFReadStream>? { nil }

  /// Always nil: there are no CFStreams on Linux (THR-14).
  @discardableResult open func writeStream() -> Unmanaged<CFWriteStream>? { nil }

  /// Always nil: there is no Secure Transport on Linux (THR-14).
  @discardableResult open func sslContext() -> Unmanaged<SSLContext>? { nil }

  /// Always false: there is no backgrounding on Linux (THR-14).
  @discardableResult open func enableBackgroundingOnSocket() -> Bool { false }
}

import Dispatch
import Foundation
import SocketCore
import SocketTLS

// Reading, writing, upgrading, disconnecting. Reads and writes are queued and return at once; a call that the contract
// makes a no-op has no effect at all, no callback, no timeout. They are ignored while the socket isn't started and
// after any disconnectAfter… (RDQ-03, WR-06, DIS-13). Timeouts are in seconds, run from the moment the operation
// becomes the active one, and are none if negative (TMO-01, TMO-02).
extension GCDAsyncSocket {
  // MARK: Reading whatever is there

  /// Reads what is there, at least a byte.
  public func readData(withTimeout timeout: TimeInterval, tag: Int) {
    readData(withTimeout: timeout, buffer: nil, bufferOffset: 0, maxLength: 0, tag: tag)
  }

  /// Reads what is there into a buffer of the caller's.
  public func readData(withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt, tag: Int) {
    readData(withTimeout: timeout, buffer: buffer, bufferOffset: offset, maxLength: 0, tag: tag)
  }

  /// Reads what is there, at most `length` bytes (0: no limit; RD-ANY-04), into a buffer of the caller's from `offset`
  /// on. The call is a no-op if the offset is greater than the buffer's length (RD-BUF-04).
  public func readData(
    withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt, maxLength length: UInt,
    tag: Int
  ) {
    guard let place = SocketDriver.place(buffer, offset) else { return }
    driver.read(
      .available(limit: Int(clamping: length), timeout: timeout, tag: tag, destination: place.destination))
  }

  // MARK: Reading to a length

  /// Reads exactly so many bytes; 0 is a no-op (RD-LEN-02).
  public func readData(toLength length: UInt, withTimeout timeout: TimeInterval, tag: Int) {
    readData(toLength: length, withTimeout: timeout, buffer: nil, bufferOffset: 0, tag: tag)
  }

  /// Reads exactly so many bytes into a buffer of the caller's.
  public func readData(
    toLength length: UInt, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt,
    tag: Int
  ) {
    guard let place = SocketDriver.place(buffer, offset) else { return }
    driver.read(
      .exactly(Int(clamping: length), timeout: timeout, tag: tag, destination: place.destination))
  }

  // MARK: Reading to a delimiter

  /// Reads up to and including the delimiter; nil and empty delimiters are no-ops (RD-DELIM-02).
  public func readData(to data: Data?, withTimeout timeout: TimeInterval, tag: Int) {
    readData(to: data, withTimeout: timeout, buffer: nil, bufferOffset: 0, maxLength: 0, tag: tag)
  }

  /// Reads up to and including the delimiter into a buffer of the caller's.
  public func readData(
    to data: Data?, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt, tag: Int
  ) {
    readData(to: data, withTimeout: timeout, buffer: buffer, bufferOffset: offset, maxLength: 0, tag: tag)
  }

  /// Reads up to and including the delimiter, which must end within `length` bytes, or the socket closes with
  /// readMaxedOutError (RD-MAX-01…RD-MAX-06).
  public func readData(to data: Data?, withTimeout timeout: TimeInterval, maxLength length: UInt, tag: Int) {
    readData(to: data, withTimeout: timeout, buffer: nil, bufferOffset: 0, maxLength: length, tag: tag)
  }

  /// Reads up to and including the delimiter within `length` bytes (0: no limit) into a buffer of the caller's. The
  /// delimiter is captured now (RD-DELIM-17).
  public func readData(
    to data: Data?, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt,
    maxLength length: UInt, tag: Int
  ) {
    guard let data, let place = SocketDriver.place(buffer, offset) else { return }
    driver.read(
      through: data, limit: Int(clamping: length), timeout: timeout, tag: tag, destination: place.destination)
  }

  /// How far the active read is: 0…1, 1 if its length is not known beforehand, NaN (and zeros) if no read is active
  /// (DIAG-11, DIAG-12).
  public func progressOfRead(
    returningTag tagPtr: UnsafeMutablePointer<Int>?, bytesDone donePtr: UnsafeMutablePointer<UInt>?,
    total totalPtr: UnsafeMutablePointer<UInt>?
  ) -> Float {
    let progress = driver.look { driver.machine.readProgress }
    return progress.report(tagPtr, donePtr, totalPtr)
  }

  // MARK: Writing

  /// Writes the data; nil and empty data are no-ops (WR-02). The content is captured now (WR-07). didWrite means that
  /// the kernel has taken all of it (WR-03).
  public func write(_ data: Data?, withTimeout timeout: TimeInterval, tag: Int) {
    guard let data, !data.isEmpty else { return }
    data.withUnsafeBytes { driver.write($0, timeout: timeout, tag: tag) }
  }

  /// How far the active write is (DIAG-13, WR-17).
  public func progressOfWrite(
    returningTag tagPtr: UnsafeMutablePointer<Int>?, bytesDone donePtr: UnsafeMutablePointer<UInt>?,
    total totalPtr: UnsafeMutablePointer<UInt>?
  ) -> Float {
    let progress = driver.look { driver.machine.writeProgress }
    return progress.report(tagPtr, donePtr, totalPtr)
  }

  // MARK: Security

  /// Secures the connection once everything queued before is done; what is queued after travels encrypted, and nothing
  /// of it before the handshake succeeded (TLS-01…TLS-03, TLS-15). didSecure tells of success; after a failure the
  /// socket closes with an error of `kCFStreamErrorDomainSSL`. nil and empty settings are the defaults of
  /// `TLSSettings`; its documentation says what the keys mean. Settings that make no sense close the socket with
  /// otherError when the upgrade's turn comes (TLS-18). A peer that sends more than 128 messages of TLS in a row
  /// without a byte of data in either direction, or 4 MiB of handshake, is thrown out with errSSLUnexpectedRecord
  /// (TLS-41).
  /// Ignored on a socket that is not started, after any disconnectAfter…, and when called again (TLS-08, TLS-10).
  public func startTLS(_ tlsSettings: [String: NSObject]?) { startTLS(TLSSettings.sessionMaker(tlsSettings)) }

  /// The same, with typed settings.
  public func startTLS(settings: TLSSettings) { startTLS { settings.makeSession() } }

  private func startTLS(_ makeSession: @escaping StreamMachine.SessionMaker) {
    driver.enter {
      driver.machine.startTLS(makeSession)
      driver.pass()
    }
  }

  /// Whether the handshake is done and the connection still there (TLS-38).
  public var isSecure: Bool { driver.look { driver.machine.isSecure } }

  /// The protocol both sides agreed on by ALPN; nil: none, or not secured.
  public var negotiatedApplicationProtocol: String? { driver.tlsSession { $0.applicationProtocol } }

  /// The version of TLS, such as "TLS 1.3"; nil: not secured.
  public var negotiatedTLSVersion: String? { driver.tlsSession { $0.version?.description } }

  // MARK: Disconnecting

  /// Closes at once: what is queued is dropped, the socket may be started again when the call returns (DIS-01), and
  /// didDisconnect follows with a nil error. Silent on an idle socket.
  public func disconnect() {
    driver.enter { driver.machine.disconnect() }
    if driver.look({ driver.notifiesDisconnectBeforeReturning }) { driver.deliverBeforeReturning() }
  }

  /// Closes when the reads queued so far are done; writes don't hold it back (DIS-09).
  public func disconnectAfterReading() { driver.disconnect(afterReads: true, afterWrites: false) }

  /// Closes when the writes queued so far are done, and so that they reach the peer (DIS-10, DIS-22).
  public func disconnectAfterWriting() { driver.disconnect(afterReads: false, afterWrites: true) }

  /// Closes when the reads and the writes queued so far are done (DIS-11).
  public func disconnectAfterReadingAndWriting() { driver.disconnect(afterReads: true, afterWrites: true) }
}

extension SocketDriver {
  /// Looks at the session of a secured connection.
  func tlsSession<Result>(_ body: (TLSSession) -> Result?) -> Result? {
    look { machine.isSecure ? (machine.session as? TLSSession).flatMap(body) : nil }
  }

  func read(_ request: ReadRequest?) {
    guard let request else { return }
    enterToQueue(isWrite: false) { machine.read(request) }
  }

  func read(through delimiter: Data, limit: Int, timeout: Double, tag: Int, destination: CallerBuffer?) {
    enterToQueue(isWrite: false) {
      guard let delimiter = known(delimiter),
        let request = ReadRequest.through(
          delimiter, limit: limit, timeout: timeout, tag: tag, destination: destination)
      else { return }
      machine.read(request)
    }
  }

  /// The same delimiter as the last time, or a new one; nil if it is empty.
  private func known(_ bytes: Data) -> Delimiter? {
    bytes.withUnsafeBytes { bytes in
      if let lastDelimiter, lastDelimiter.isEqual(to: bytes) { return lastDelimiter }
      lastDelimiter = Delimiter(Array(bytes)) ?? lastDelimiter
      return bytes.isEmpty ? nil : lastDelimiter
    }
  }

  /// From here on the kernel is offered the caller's own memory, and only what it doesn't take is copied.
  private static let leastLent = 1 << 13

  func write(_ bytes: UnsafeRawBufferPointer, timeout: Double, tag: Int) {
    guard bytes.count >= Self.leastLent else {
      guard let request = WriteRequest(bytes: ByteBlock(copying: bytes), timeout: timeout, tag: tag) else { return }
      return enterToQueue(isWrite: true) { machine.write(request) }
    }
    var block = ByteBlock(lent: bytes, by: self)
    enter {
      if let request = WriteRequest(bytes: block, timeout: timeout, tag: tag) { machine.write(request) }
      sendOrPass()
    }
    // Whoever has it now has it under the lock.
    look { if !isKnownUniquelyReferenced(&block) { block.keep() } }
  }

  func disconnect(afterReads reads: Bool, afterWrites writes: Bool) {
    enter {
      machine.disconnect(afterReads: reads, afterWrites: writes)
      pass()
    }
  }

  /// Where a read goes; nil if the call is a no-op because the offset lies behind the buffer's end (RD-BUF-03…05).
  static func place(_ buffer: NSMutableData?, _ offset: UInt) -> (destination: CallerBuffer?, Void)? {
    guard let buffer else { return offset == 0 ? (nil, ()) : nil }
    guard offset <= UInt(buffer.length) else { return nil }
    return (CallerBuffer(buffer: buffer, offset: Int(offset)), ())
  }
}

extension SocketMachine.Progress? {
  fileprivate func report(
    _ tag: UnsafeMutablePointer<Int>?, _ done: UnsafeMutablePointer<UInt>?, _ total: UnsafeMutablePointer<UInt>?
  ) -> Float {
    tag?.pointee = self?.tag ?? 0
    done?.pointee = UInt(self?.done ?? 0)
    total?.pointee = UInt(self?.total ?? 0)
    return self?.fraction ?? .nan
  }
}

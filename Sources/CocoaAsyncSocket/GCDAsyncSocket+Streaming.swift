import Dispatch
import Foundation
import SocketCore

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
      .through(
        Array(data), limit: Int(clamping: length), timeout: timeout, tag: tag, destination: place.destination))
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
    let block = data.withUnsafeBytes { ByteBlock(copying: $0) }
    guard let request = WriteRequest(bytes: block, timeout: timeout, tag: tag) else { return }
    driver.enter {
      driver.machine.write(request)
      driver.pass()
    }
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

  /// Secures the connection once everything queued before is done; what is queued after travels encrypted. In a build
  /// without a TLS engine the socket closes with otherError when the upgrade's turn comes: it never goes on in clear.
  public func startTLS(_ tlsSettings: [String: NSObject]?) {
    driver.enter {
      driver.machine.startTLS { .failure(.other("TLS is not available.")) }
      driver.pass()
    }
  }

  /// Whether the connection is secured.
  public var isSecure: Bool { false }

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
  func read(_ request: ReadRequest?) {
    guard let request else { return }
    enter {
      machine.read(request)
      pass()
    }
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

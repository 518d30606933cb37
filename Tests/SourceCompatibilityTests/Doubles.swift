import CocoaAsyncSocket
import Foundation

// Sockets as tests and programs subclass them. The only thing to add to what one writes for the original is "@unchecked
// Sendable", of which Swift warns otherwise.

/// Connects to nothing, and notes what it is asked for.
final class FakeSocket: GCDAsyncSocket, @unchecked Sendable {
  struct ConnectCall: Equatable {
    let host: String
    let port: UInt16
    let timeout: TimeInterval
  }

  private(set) var connectCalls = [ConnectCall]()
  private(set) var disconnectCount = 0
  private(set) var written = [Data]()
  private(set) var reads = [Int]()
  private(set) var tlsSettings: [String: NSObject]?
  private(set) var delegates = 0
  var connected = false

  override var isConnected: Bool { connected }
  override var isDisconnected: Bool { return !connected }
  override var connectedHost: String? { return connected ? "double.example" : nil }
  override var localPort: UInt16 { return 7 }

  override var delegate: GCDAsyncSocketDelegate? {
    get { return super.delegate }
    set {
      delegates += 1
      super.delegate = newValue
    }
  }

  override var delegateQueue: DispatchQueue? {
    didSet { delegates += 100 }
  }

  override func connect(
    toHost host: String, onPort port: UInt16, viaInterface interface: String?, withTimeout timeout: TimeInterval
  ) throws {
    connectCalls.append(ConnectCall(host: host, port: port, timeout: timeout))
    connected = true
  }

  override func disconnect() {
    connected = false
    disconnectCount += 1
  }

  override func disconnectAfterWriting() { disconnect() }

  override func write(_ data: Data?, withTimeout timeout: TimeInterval, tag: Int) {
    if let data = data { written.append(data) }
  }

  override func readData(
    withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt, maxLength length: UInt,
    tag: Int
  ) { reads.append(tag) }

  override func readData(
    toLength length: UInt, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt,
    tag: Int
  ) { reads.append(tag) }

  override func readData(
    to data: Data?, withTimeout timeout: TimeInterval, buffer: NSMutableData?, bufferOffset offset: UInt,
    maxLength length: UInt, tag: Int
  ) { reads.append(tag) }

  override func startTLS(_ tlsSettings: [String: NSObject]?) { self.tlsSettings = tlsSettings }
  override func accept(onInterface interface: String?, port: UInt16) throws { connected = true }
  override func perform(_ block: @escaping () -> Void) { block() }
  override func readStream() -> Unmanaged<CFReadStream>? { return nil }
}

/// Sees the middle forms, as doubles do that override what the program calls.
class MiddleSocket: GCDAsyncSocket, @unchecked Sendable {
  var calls = 0

  override func connect(toHost host: String, onPort port: UInt16, withTimeout timeout: TimeInterval) throws {
    calls += 1
  }
}

/// Its own delegate, with initialisers of its own.
class OwnDelegateSocket: GCDAsyncSocket, GCDAsyncSocketDelegate, @unchecked Sendable {
  let name: String
  let done = DispatchSemaphore(value: 0)

  init(name: String) {
    self.name = name
    super.init(delegate: nil, delegateQueue: nil, socketQueue: nil)
    delegate = self
    delegateQueue = DispatchQueue(label: name)
  }

  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) { done.signal() }
  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) { done.signal() }
}

/// Overrides the designated initialiser, so its listeners accept its like.
class NamedSocket: GCDAsyncSocket, @unchecked Sendable {
  var name: String
  static let made = 3

  override init(
    delegate aDelegate: GCDAsyncSocketDelegate?, delegateQueue dq: DispatchQueue?, socketQueue sq: DispatchQueue?
  ) {
    name = "made with \(sq?.label ?? "no queue")"
    super.init(delegate: aDelegate, delegateQueue: dq, socketQueue: sq)
  }
}

/// Adds a property and no initialiser.
class CountingSocket: GCDAsyncSocket, @unchecked Sendable {
  var messages = [String](repeating: "none", count: 2)
}

/// A subclass of a subclass.
final class LoudSocket: NamedSocket, @unchecked Sendable {
  let volume = 11
}

import CocoaAsyncSocket
import Foundation

/// What becomes of a client, told on its queue.
protocol MQTTClientDelegate: AnyObject, Sendable {
  func clientDidConnect(_ client: MQTTClient)
  func client(_ client: MQTTClient, didSubscribeTo topic: String, granted code: UInt8)
  func client(_ client: MQTTClient, didReceive message: MQTTMessage)
  /// A message of QoS 0 is in the kernel's hands, or one of QoS 1 or 2 is acknowledged.
  func client(_ client: MQTTClient, didPublish id: UInt16)
  func clientDidPing(_ client: MQTTClient)
  func clientDidDisconnect(_ client: MQTTClient, error: Error?)
}

/// An MQTT 3.1.1 client in the manner of those written for the original: a serial queue that is the socket's delegate
/// queue, and a state that is changed on it.
final class MQTTClient: NSObject, GCDAsyncSocketDelegate, @unchecked Sendable {
  // Unchecked: everything that changes is touched on the queue only.
  enum State: String, Sendable {
    case disconnected, connecting, connected
  }

  struct Settings: Sendable {
    var host = "127.0.0.1"
    var port: UInt16 = 1883
    var id = "example-\(UInt32.random(in: 0 ... .max))"
    /// Seconds; 0: no pings.
    var keepAlive: UInt16 = 60
    var will: MQTTMessage?
    /// Seconds after which a connection that was lost is made anew; nil: never.
    var reconnectDelay: TimeInterval?
  }

  /// The broker's refusal, or nonsense that it sent.
  struct ProtocolError: LocalizedError {
    let errorDescription: String?
  }

  private static let connectTimeout: TimeInterval = 10
  private static let writeTimeout: TimeInterval = 30
  /// How many messages may be under way unacknowledged: brokers drop what is too much for them.
  private static let window = 10
  /// Tags of writes: the packet identifier of a message, or this.
  private static let control = 0

  let settings: Settings
  weak var delegate: (any MQTTClientDelegate)?
  private let queue = DispatchQueue(label: "MQTTClient")
  private var socket: GCDAsyncSocket!
  /// What is shown; `isOpen` is what counts.
  private var currentState = State.disconnected
  /// The broker has accepted, and the connection is there.
  private var isOpen = false
  private var reader = MQTTReader()
  private var lastID: UInt16 = 0
  private var subscriptions: [(topic: String, qos: MQTTMessage.QoS)] = []
  private var subscribing: [UInt16: String] = [:]
  /// What was published and is not acknowledged, in order; the first of it is under way. Sessions are clean ones: a new
  /// one begins with it anew.
  private var unacknowledged: [(id: UInt16, message: MQTTMessage)] = []
  /// Messages of QoS 2 that came and are not released.
  private var held: Set<UInt16> = []
  private var pingTimer: (any DispatchSourceTimer)?
  private var isPingUnanswered = false
  private var isWished = false
  private var failure: (any Error)?

  init(_ settings: Settings, delegate: any MQTTClientDelegate) {
    self.settings = settings
    self.delegate = delegate
    super.init()
    socket = GCDAsyncSocket(delegate: self, delegateQueue: queue)
  }

  /// Waits for what is under way on the queue; not to be asked on it.
  var state: State { queue.sync { currentState } }

  // MARK: Calls, from any thread

  func connect() throws {
    try socket.connect(toHost: settings.host, onPort: settings.port, withTimeout: Self.connectTimeout)
    // No callback about this connection comes before `connect` has returned, so none comes before this block.
    queue.async { self.currentState = .connecting }
  }

  /// Publishes; of QoS 1 and 2 also over later connections, until the broker has it.
  func publish(_ message: MQTTMessage) {
    queue.async { [self] in
      let id = nextID()
      guard message.qos == .atMostOnce else {
        unacknowledged.append((id, message))
        if isOpen, unacknowledged.count <= Self.window { write(MQTTFrame.publish(message, id: id)) }
        return
      }
      if isOpen { write(MQTTFrame.publish(message, id: id), tag: Int(id)) }
    }
  }

  /// Subscribes, now and on every later connection.
  func subscribe(to topic: String, qos: MQTTMessage.QoS) {
    queue.async { [self] in
      subscriptions.append((topic, qos))
      if isOpen { subscribeNow(topic, qos) }
    }
  }

  func disconnect() {
    queue.async { self.isWished = true }
    // The broker closes as soon as it has read this.
    socket.write(MQTTFrame.disconnect, withTimeout: Self.writeTimeout, tag: Self.control)
    socket.disconnectAfterWriting()
  }

  // MARK: The socket

  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    write(MQTTFrame.connect(id: settings.id, keepAlive: settings.keepAlive, will: settings.will))
    reader.begin(on: sock)
  }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    switch reader.take(data, tag: tag, from: sock) {
    case .unfinished: break
    case .nonsense: end(ProtocolError(errorDescription: "The broker sent something that is no packet."))
    case .packet(let packet):
      handle(packet)
      reader.begin(on: sock)
    }
  }

  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) {
    if tag != Self.control { delegate?.client(self, didPublish: UInt16(tag)) }
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) {
    currentState = .disconnected
    isOpen = false
    pingTimer?.cancel()
    pingTimer = nil
    let error = failure ?? err
    failure = nil
    held = []
    subscribing = [:]
    delegate?.clientDidDisconnect(self, error: error)
    defer { isWished = false }
    guard let delay = settings.reconnectDelay, !isWished else { return }
    queue.asyncAfter(deadline: .now() + delay) { [weak self] in
      guard let self, self.socket.isDisconnected else { return }
      do { try self.connect() } catch { self.delegate?.clientDidDisconnect(self, error: error) }
    }
  }

  private func write(_ bytes: Data, tag: Int = MQTTClient.control) {
    socket.write(bytes, withTimeout: Self.writeTimeout, tag: tag)
  }

  private func end(_ error: any Error) {
    failure = error
    socket.disconnect()
  }

  private func nextID() -> UInt16 {
    repeat { lastID = lastID == .max ? 1 : lastID + 1 } while unacknowledged.contains { $0.id == lastID }
    return lastID
  }
}

// MARK: The protocol

extension MQTTClient {
  private func handle(_ packet: MQTTPacket) {
    switch packet {
    case .connack(code: 0): begin()
    case .connack(let code): end(ProtocolError(errorDescription: "The broker refused with code \(code)."))
    case .publish(let message, let id, _): receive(message, id)
    case .pubrec(let id): write(MQTTFrame.pubrel(id))
    case .pubrel(let id):
      held.remove(id)
      write(MQTTFrame.pubcomp(id))
    case .puback(let id), .pubcomp(let id):
      guard let index = unacknowledged.firstIndex(where: { $0.id == id }) else { return }
      unacknowledged.remove(at: index)
      if unacknowledged.count >= Self.window {
        let (next, message) = unacknowledged[Self.window - 1]
        write(MQTTFrame.publish(message, id: next))
      }
      delegate?.client(self, didPublish: id)
    case .suback(let id, let codes):
      guard let topic = subscribing.removeValue(forKey: id), let code = codes.first else { return }
      delegate?.client(self, didSubscribeTo: topic, granted: code)
    case .pingresp:
      isPingUnanswered = false
      delegate?.clientDidPing(self)
    }
  }

  /// The broker has accepted. A new session begins with what the last one left undone.
  private func begin() {
    currentState = .connected
    isOpen = true
    startPinging()
    delegate?.clientDidConnect(self)
    for (topic, qos) in subscriptions { subscribeNow(topic, qos) }
    for (id, message) in unacknowledged.prefix(Self.window) {
      write(MQTTFrame.publish(message, id: id, isDuplicate: true))
    }
  }

  private func subscribeNow(_ topic: String, _ qos: MQTTMessage.QoS) {
    let id = nextID()
    subscribing[id] = topic
    write(MQTTFrame.subscribe(topic, qos: qos, id: id))
  }

  private func receive(_ message: MQTTMessage, _ id: UInt16) {
    switch message.qos {
    case .atMostOnce: delegate?.client(self, didReceive: message)
    case .atLeastOnce:
      write(MQTTFrame.puback(id))
      delegate?.client(self, didReceive: message)
    case .exactlyOnce:
      write(MQTTFrame.pubrec(id))
      // A duplicate of what was not released yet is acknowledged again, and told once.
      if held.insert(id).inserted { delegate?.client(self, didReceive: message) }
    }
  }

  private func startPinging() {
    guard settings.keepAlive > 0 else { return }
    isPingUnanswered = false
    let timer = DispatchSource.makeTimerSource(queue: queue)
    // Well before the broker loses patience, which is after one and a half times as long.
    let interval = DispatchTimeInterval.milliseconds(Int(settings.keepAlive) * 750)
    timer.schedule(deadline: .now() + interval, repeating: interval)
    timer.setEventHandler { [weak self] in
      guard let self else { return }
      guard !self.isPingUnanswered else {
        return self.end(ProtocolError(errorDescription: "The broker does not answer pings."))
      }
      self.isPingUnanswered = true
      self.write(MQTTFrame.pingreq)
    }
    timer.resume()
    pingTimer = timer
  }
}

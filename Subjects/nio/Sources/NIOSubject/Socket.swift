import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// One name of the case: a channel, a listener, or nothing yet.
final class Socket: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private enum Item {
    case read(Message)
    case write(ByteBuffer, tag: Int)
    case tls(Message)
  }

  // The case lets go of its sockets when it ends.
  private let place: Case
  private let name: String
  /// What accepted it.
  private var listener: Socket?
  private var channel: Channel?
  private var listeners: [Channel] = []
  private var reads: [Item] = []
  private var writes: [Item] = []
  private var unsent = 0
  private var bytes = ByteBuffer()
  private var ending: Set<String> = []
  private var isConnecting = false
  private var isOpen = false
  private var isSecure = false
  /// The peer has closed, and what it had sent is not all read.
  private var hasEnded = false
  private var isReading = true
  private var wasAsked = false
  private var failure: Error?

  init(_ place: Case, _ name: String, acceptedBy listener: Socket? = nil) {
    (self.place, self.name, self.listener) = (place, name, listener)
  }

  private var isInUse: Bool { isConnecting || channel != nil }

  private func tell(_ callback: String, _ members: Message = [:]) { place.tell(name, callback, members) }

  // MARK: - Calls

  func call(_ message: Message, _ answer: @escaping (Message) -> Void) throws -> Bool {
    switch message["call"] as? String {
    case "connect": try connect(message)
    case "listen":
      try listen(message, answer)
      return true
    case "read":
      if !isInUse || !ending.isEmpty || message["until"] as? String == "length" && (message["length"] as? Int ?? 0) <= 0
      {
        break
      }
      reads.append(.read(message))
      place.loop.execute { self.serve() }
    case "write":
      let data = Data(base64Encoded: message["data"] as? String ?? "") ?? Data()
      if !isInUse || !ending.isEmpty || data.isEmpty { break }
      writes.append(.write(ByteBuffer(bytes: data), tag: message["tag"] as? Int ?? 0))
      if isOpen { send() }
    case "startTLS":
      reads.append(.tls(message))
      writes.append(.tls(message))
      place.loop.execute { self.serve() }
    case "disconnect": disconnect()
    case "disconnectAfterReading": disconnect(after: ["reads"])
    case "disconnectAfterWriting": disconnect(after: ["writes"])
    case "disconnectAfterReadingAndWriting": disconnect(after: ["reads", "writes"])
    default: throw Refusal(text: "there is no such call")
    }
    return false
  }

  private func connect(_ message: Message) throws {
    guard !isConnecting, channel == nil, listeners.isEmpty else { throw Refusal(text: "the socket is in use") }
    isConnecting = true
    var bootstrap = ClientBootstrap(group: place.loop)
    if let seconds = message["timeout"] as? Double {
      bootstrap = bootstrap.connectTimeout(.nanoseconds(Int64(seconds * 1e9)))
    }
    if let interface = message["interface"] as? String, let address = try? SocketAddress(ipAddress: interface, port: 0)
    {
      bootstrap = bootstrap.bind(to: address)
    }
    let path = message["path"] as? String
    let future =
      path.map { bootstrap.connect(unixDomainSocketPath: $0) }
      ?? bootstrap.connect(host: message["host"] as? String ?? "", port: message["port"] as? Int ?? 0)
    future.hop(to: place.loop).whenComplete { result in
      guard !self.place.isOver, !self.wasAsked else {
        if case .success(let channel) = result { channel.close(promise: nil) }
        (self.isConnecting, self.wasAsked) = (false, false)
        return
      }
      switch result {
      case .failure(let error): self.end(error)
      case .success(let channel):
        (self.isConnecting, self.isOpen) = (false, true)
        self.channel = channel
        if let path {
          self.tell("didConnectToURL", ["path": path])
        } else {
          let remote = channel.remoteAddress
          self.tell("didConnect", ["host": remote?.ipAddress ?? "", "port": remote?.port ?? 0])
        }
        try? channel.pipeline.syncOperations.addHandler(self)
        self.serve()
      }
    }
  }

  private func listen(_ message: Message, _ answer: @escaping (Message) -> Void) throws {
    guard !isConnecting, channel == nil, listeners.isEmpty else { throw Refusal(text: "the socket is in use") }
    let bootstrap = ServerBootstrap(group: place.loop)
      .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        let child = self.place.adoptChild(by: self)
        return channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(child) }
      }
    let bound: EventLoopFuture<Channel>
    let path = message["path"] as? String
    let interface = message["interface"] as? String
    if let path {
      bound = bootstrap.bind(unixDomainSocketPath: path)
    } else {
      let host = ["localhost": "127.0.0.1", "loopback": "127.0.0.1"][interface ?? ""] ?? interface ?? "::"
      bound = bootstrap.bind(host: host, port: message["port"] as? Int ?? 0)
    }
    bound.hop(to: place.loop).whenComplete { result in
      switch result {
      case .failure(let error): answer(Self.described(error).merging(["result": "refused"]) { first, _ in first })
      case .success(let channel):
        self.listeners = [channel]
        let local = channel.localAddress
        let host: Any = interface == nil ? NSNull() : local?.ipAddress ?? ""
        answer(path == nil ? ["port": local?.port ?? 0, "host": host] : [:])
      }
    }
  }

  private func disconnect() {
    if isConnecting {
      wasAsked = true
      place.loop.execute { self.tell("didDisconnect") }
    } else if !listeners.isEmpty {
      for listener in listeners { listener.close(promise: nil) }
      listeners = []
      place.loop.execute { self.tell("didDisconnect") }
    } else if let channel {
      wasAsked = true
      if hasEnded { place.loop.execute { self.end(nil) } }
      channel.close(promise: nil)
    }
  }

  private func disconnect(after queues: Set<String>) {
    guard isInUse else { return }
    // What is waited for adds up.
    ending.formUnion(queues)
    endIfDone()
  }

  private func endIfDone() {
    guard isOpen, !ending.isEmpty, !wasAsked else { return }
    if ending.contains("reads"), !reads.isEmpty { return }
    if ending.contains("writes"), !writes.isEmpty || unsent > 0 { return }
    disconnect()
  }

  // MARK: - What the channel does

  /// Of an accepted channel: before this it can't be used.
  func channelActive(context: ChannelHandlerContext) {
    if let listener {
      (isOpen, channel) = (true, context.channel)
      listener.tell("didAccept", ["child": name])
      serve()
    }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var more = unwrapInboundIn(data)
    bytes.writeBuffer(&more)
    serve()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent {
      (isOpen, isSecure) = (true, true)
      tell("didSecure")
      serve()
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: Error) {
    failure = failure ?? error
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    hasEnded = true
    if isOpen, failure == nil, !wasAsked { serve() } else { end(failure) }
  }

  private func end(_ error: Error?) {
    guard isInUse else { return }
    let closed: Message = ["error": "Closed", "message": "the channel became inactive"]
    let members = wasAsked ? [:] : error.map(Self.described) ?? closed
    forget()
    tell("didDisconnect", members)
  }

  private func forget() {
    (channel, listeners, reads, writes, unsent) = (nil, [], [], [], 0)
    (isOpen, isSecure, wasAsked, failure, ending) = (false, false, false, nil, [])
    (hasEnded, isReading, isConnecting) = (false, true, false)
    bytes.clear()
  }

  private func serve() {
    guard isOpen, !wasAsked else { return }
    send()
    while isOpen, !wasAsked, case .read(let wanted)? = reads.first, let data = take(wanted) {
      reads.removeFirst()
      tell("didRead", ["data": Data(data.readableBytesView).base64EncodedString(), "tag": wanted["tag"] ?? 0])
      endIfDone()
    }
    guard isOpen, !wasAsked else { return }
    // The end comes behind the bytes, as soon as nobody can be given them any more.
    if hasEnded, bytes.readableBytes == 0 || !reads.isEmpty { return end(failure) }
    if unsent == 0, case .tls(let settings)? = reads.first, case .tls? = writes.first { return secure(settings) }
    pace()
  }

  /// What comes is read ahead, so that an end is seen without a read; up to a limit, beyond which the peer waits.
  private func pace() {
    let isWanted = bytes.readableBytes < 256 << 10 || !reads.isEmpty
    guard isWanted != isReading, !hasEnded else { return }
    isReading = isWanted
    _ = channel?.setOption(.autoRead, value: isWanted)
  }

  private func take(_ wanted: Message) -> ByteBuffer? {
    defer { bytes.discardReadBytes() }
    if wanted["until"] as? String == "length" { return bytes.readSlice(length: wanted["length"] as? Int ?? 0) }
    let limit = wanted["limit"] as? Int ?? 0
    let count = limit > 0 ? min(limit, bytes.readableBytes) : bytes.readableBytes
    return count > 0 ? bytes.readSlice(length: count) : nil
  }

  private func send() {
    while let channel, case .write(let buffer, let tag)? = writes.first {
      writes.removeFirst()
      unsent += 1
      let loop = place.loop
      let promise = loop.makePromise(of: Void.self)
      let written = promise.futureResult
      // The channel becomes inactive right behind, and does not say why.
      written.whenFailure { error in
        guard self.channel === channel else { return }
        self.failure = self.failure ?? error
        if self.hasEnded { self.end(self.failure) }
      }
      // What the kernel takes at once is told after the call has been answered.
      written.flatMap { loop.submit {} }.whenSuccess {
        guard self.channel === channel else { return }
        self.unsent -= 1
        self.tell("didWrite", ["tag": tag])
        self.endIfDone()
        self.serve()
      }
      channel.writeAndFlush(buffer, promise: promise)
    }
  }

  private func secure(_ settings: Message) {
    guard let channel else { return }
    reads.removeFirst()
    writes.removeFirst()
    (isOpen, isReading) = (false, true)
    // What was read ahead belongs to TLS.
    let early = bytes
    bytes = ByteBuffer()
    do {
      let isServer = settings["role"] as? String == "server"
      let context = try NIOSSLContext(configuration: try Self.configuration(settings, isServer: isServer))
      let operations = channel.pipeline.syncOperations
      if isServer {
        try operations.addHandler(NIOSSLServerHandler(context: context), position: .first)
      } else {
        let name = settings["peerName"] as? String
        let isAddress = name.map { (try? SocketAddress(ipAddress: $0, port: 0)) != nil } ?? false
        try operations.addHandler(
          try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : name), position: .first)
      }
      _ = channel.setOption(.autoRead, value: true)
      if early.readableBytes > 0 {
        channel.pipeline.fireChannelRead(early)
        channel.pipeline.fireChannelReadComplete()
      }
    } catch {
      failure = error
      channel.close(promise: nil)
    }
  }

  private static func configuration(_ settings: Message, isServer: Bool) throws -> TLSConfiguration {
    let pem = { (key: String) in (settings[key] as? String).map { Array($0.utf8) } }
    let chain =
      try pem("chain").map { try NIOSSLCertificate.fromPEMBytes($0).map { NIOSSLCertificateSource.certificate($0) } }
      ?? []
    let key = try pem("key").map { NIOSSLPrivateKeySource.privateKey(try NIOSSLPrivateKey(bytes: $0, format: .pem)) }
    var configuration: TLSConfiguration
    if isServer, let key {
      configuration = .makeServerConfiguration(certificateChain: chain, privateKey: key)
    } else {
      configuration = .makeClientConfiguration()
      (configuration.certificateChain, configuration.privateKey) = (chain, key)
      configuration.certificateVerification = settings["peerName"] == nil ? .noHostnameVerification : .fullVerification
      if let anchors = pem("anchors") {
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(anchors))
      }
    }
    let versions: [String: TLSVersion] = ["tls1.2": .tlsv12, "tls1.3": .tlsv13]
    configuration.minimumTLSVersion = versions[settings["minimum"] as? String ?? ""] ?? .tlsv12
    configuration.maximumTLSVersion = versions[settings["maximum"] as? String ?? ""]
    configuration.applicationProtocols = settings["alpn"] as? [String] ?? []
    return configuration
  }

  private static func described(_ error: Error) -> Message {
    let message = "\(error)"
    switch error {
    case let error as IOError: return ["error": "errno \(error.errnoCode)", "message": message]
    case let error as NIOConnectionError:
      if let first = error.connectionErrors.last?.error { return described(first) }
      let failed = error.dnsAError != nil || error.dnsAAAAError != nil
      return ["error": failed ? "EAI_NONAME" : "Other", "message": message]
    case let error as ChannelError:
      if case .connectTimeout = error { return ["error": "ConnectTimeout", "message": message] }
      if case .ioOnClosedChannel = error { return ["error": "Closed", "message": message] }
      return ["error": "Other", "message": message]
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: return ["error": "SSL", "message": message]
    case let error as Refusal: return ["error": "EISCONN", "message": error.text]
    default: return ["error": "Other", "message": message]
    }
  }

  // MARK: - Properties

  /// Until what the peer sent is read, or until the channel says that it is closed.
  private var isConnected: Bool { wasAsked ? channel?.isActive ?? false : channel != nil }

  func read(_ property: String) -> Any {
    let (local, remote) = (channel?.localAddress ?? listeners.first?.localAddress, channel?.remoteAddress)
    switch property {
    case "isConnected": return isConnected
    case "isDisconnected": return !isConnected && listeners.isEmpty && !isConnecting
    case "isSecure": return isSecure
    case "connectedHost": return remote?.ipAddress ?? NSNull()
    case "connectedPort": return remote?.port ?? 0
    case "localHost": return local?.ipAddress ?? NSNull()
    case "localPort": return local?.port ?? 0
    default: return NSNull()
    }
  }

  func close() {
    let (channel, listeners) = (channel, listeners)
    forget()
    channel?.close(promise: nil)
    for listener in listeners { listener.close(promise: nil) }
  }
}

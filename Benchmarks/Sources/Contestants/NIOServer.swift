import BenchmarkModel
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOPosix

#if !WITHOUT_NIOSSL
  import NIOSSL
#endif

/// SwiftNIO as its users serve with it: one event loop, handlers in the channel's pipeline.
struct NIOServer {
  let role: ServerRole

  func start() throws -> UInt16 {
    let role = role
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let tls = role.kind.isSecure ? try NIOServerTLS() : nil
    let server = try ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 4096)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try Self.addHandlers(to: channel, role, tls) }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
    return UInt16(server.localAddress?.port ?? 0)
  }

  private static func addHandlers(to channel: any Channel, _ role: ServerRole, _ tls: NIOServerTLS?) throws {
    let pipeline = channel.pipeline.syncOperations
    try tls?.addHandler(to: pipeline)
    switch role.kind {
    case .echo: try pipeline.addHandler(EchoHandler())
    case .respond:
      try pipeline.addHandler(ByteToMessageHandler(PieceDecoder(size: ServerRole.message)))
      try pipeline.addHandler(AnsweringHandler(size: role.size))
    case .lines:
      try pipeline.addHandler(ByteToMessageHandler(LineDecoder()))
      try pipeline.addHandler(CountingHandler<Data>(acknowledge: role.acknowledge))
    case .receive, .tlsReceive:
      try pipeline.addHandler(ByteToMessageHandler(PieceDecoder(size: role.size)))
      try pipeline.addHandler(CountingHandler<ByteBuffer>(acknowledge: role.acknowledge))
    case .send, .tlsSend: try pipeline.addHandler(SendingHandler(size: role.size, depth: role.depth))
    }
  }
}

#if WITHOUT_NIOSSL
  /// There is none in this build.
  private struct NIOServerTLS {
    init() throws { throw ServerFailure(description: "this build is without NIOSSL") }

    func addHandler(to pipeline: ChannelPipeline.SynchronousOperations) throws {}
  }
#else
  /// TLS 1.3 with the certificate that all present.
  private struct NIOServerTLS {
    private let context: NIOSSLContext

    init() throws {
      let pem = Array(try certificate())
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMBytes(pem).map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(bytes: pem, format: .pem)))
      configuration.minimumTLSVersion = .tlsv13
      context = try NIOSSLContext(configuration: configuration)
    }

    func addHandler(to pipeline: ChannelPipeline.SynchronousOperations) throws {
      try pipeline.addHandler(NIOSSLServerHandler(context: context))
    }
  }
#endif

/// Writes what comes and flushes when everything of one turn is written, as NIO's own example does.
private final class EchoHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.write(data, promise: nil) }
  func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Answers with a header and a body, each written and flushed from a task on the event loop: the program has gone
/// elsewhere for the answer and comes back with it.
private final class AnsweringHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  private let header = ByteBuffer(string: answerHeader)
  private let body: ByteBuffer

  init(size: Int) { body = ByteBuffer(repeating: 0x78, count: size) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.execute {
      let (handler, context) = bound.value
      context.writeAndFlush(handler.wrapOutboundOut(handler.header), promise: nil)
      context.writeAndFlush(handler.wrapOutboundOut(handler.body), promise: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Lines with their CRLF, as Data; goes on searching where it stopped.
private struct LineDecoder: ByteToMessageDecoder {
  typealias InboundOut = Data
  private var searched = 0

  mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) -> DecodingState {
    let view = buffer.readableBytesView
    guard let end = view.dropFirst(searched).firstIndex(of: 0x0A) else {
      searched = view.count
      return .needMoreData
    }
    searched = 0
    guard let line = buffer.readData(length: end - view.startIndex + 1) else { return .needMoreData }
    context.fireChannelRead(wrapInboundOut(line))
    return .continue
  }
}

/// Pieces of one length, as slices of what was received.
private struct PieceDecoder: ByteToMessageDecoder {
  typealias InboundOut = ByteBuffer
  let size: Int

  mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) -> DecodingState {
    guard let piece = buffer.readSlice(length: size) else { return .needMoreData }
    context.fireChannelRead(wrapInboundOut(piece))
    return .continue
  }
}

private final class CountingHandler<Message>: ChannelInboundHandler {
  typealias InboundIn = Message
  typealias OutboundOut = ByteBuffer
  private let acknowledge: Int
  private var messages = 0

  init(acknowledge: Int) { self.acknowledge = acknowledge }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // Unwrapped, as whoever uses the message must.
    withExtendedLifetime(unwrapInboundIn(data)) { messages += 1 }
    guard messages.isMultiple(of: acknowledge) else { return }
    context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: [0x61])), promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Keeps so many writes under way; each that is done is followed by another.
private final class SendingHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  private let piece: ByteBuffer
  private let depth: Int

  init(size: Int, depth: Int) {
    piece = ByteBuffer(repeating: 0x78, count: size)
    self.depth = depth
  }

  func channelActive(context: ChannelHandlerContext) {
    for _ in 0..<depth { send(context) }
    context.flush()
  }

  private func send(_ context: ChannelHandlerContext) {
    let promise = context.eventLoop.makePromise(of: Void.self)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    promise.futureResult.whenSuccess {
      let (handler, context) = bound.value
      handler.send(context)
      context.flush()
    }
    context.write(wrapOutboundOut(piece), promise: promise)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

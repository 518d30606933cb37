import ScenarioModel
import Testing

@testable import Simulation

private let brokenPipe: Int32 = 32
private let connectionReset: Int32 = 104

/// How connections end: the facts of the Linux kernel, one by one.
@Suite struct LinkEndingTests {
  private let five = Array("12345".utf8)

  @Test func resetWithNothingBuffered() {
    let rig = LinkRig(.none)
    rig.link.reset(.server)
    rig.settle()
    #expect(rig.attemptReceive(.client) == .failed(connectionReset))
    #expect(rig.attemptReceive(.client) == .endOfStream)
    #expect(rig.attemptSend(.client, five) == .failed(brokenPipe))
  }

  @Test func bytesBeforeAResetStayReadable() {
    let rig = LinkRig(.none)
    _ = rig.link.offer(.server, five, from: 0)
    rig.link.reset(.server)
    rig.settle()
    #expect(rig.receive(.client, room: 3) == Array("123".utf8))
    #expect(rig.receive(.client, room: 9) == Array("45".utf8))
    #expect(rig.attemptReceive(.client) == .failed(connectionReset))
    #expect(rig.attemptReceive(.client) == .endOfStream)
  }

  /// Who has heard of the peer's end has got what came before it, whether or not readiness has been told.
  @Test(arguments: [true, false]) func bytesBeforeAnEndAreThereForCertain(isReset: Bool) {
    var faults = LinkFaults.none
    faults.spuriousWouldBlock = 1
    let rig = LinkRig(faults)
    _ = rig.link.offer(.server, five, from: 0)
    rig.settle()
    #expect(rig.attemptReceive(.client) == .wouldBlock)
    if isReset { rig.link.reset(.server) } else { rig.link.finish(.server) }
    rig.settle()
    #expect(rig.receive(.client, room: 9) == five)
  }

  @Test func firstSendAfterTheFullCloseSucceeds() {
    let rig = LinkRig(.none)
    rig.link.close(.server)
    rig.settle()
    #expect(rig.attemptSend(.client, five) == .bytes(5))
    rig.settle()
    #expect(rig.attemptSend(.client, five) == .failed(brokenPipe))
    #expect(rig.attemptSend(.client, five) == .failed(brokenPipe))
    #expect(rig.attemptReceive(.client) == .endOfStream)
  }

  @Test func halfCloseKeepsTheOtherDirection() {
    let rig = LinkRig(.none)
    rig.link.finish(.server)
    rig.settle()
    #expect(rig.attemptReceive(.client) == .endOfStream)
    #expect(rig.attemptSend(.client, five) == .bytes(5))
    rig.settle()
    #expect(rig.receive(.server, room: 9) == five)
    #expect(rig.attemptSend(.server, five) == .failed(brokenPipe))
  }

  @Test func closeWithUnreadInputResetsAndLosesWhatWaits() {
    let rig = LinkRig(.none, window: 1000)
    _ = rig.link.offer(.client, five, from: 0)
    rig.settle()
    let many = PatternBytes.make(seed: 1, count: 20_000)
    _ = rig.link.offer(.server, many, from: 0)
    rig.link.close(.server)
    rig.settle()
    var received: [UInt8] = []
    while case let chunk = rig.receive(.client, room: 100), !chunk.isEmpty {
      received += chunk
      rig.settle()
    }
    #expect(received == Array(many.prefix(1000)), "only what the reader had room for")
    // The last receive met the error.
    #expect(rig.attemptReceive(.client) == .endOfStream)
    #expect(rig.attemptSend(.client, five) == .failed(brokenPipe))
  }

  @Test func closeWithoutUnreadInputLosesNothing() {
    let rig = LinkRig(.standard, seed: 9, window: 1000)
    let many = PatternBytes.make(seed: 1, count: 20_000)
    _ = rig.link.offer(.server, many, from: 0)
    rig.link.close(.server)
    var received: [UInt8] = []
    while rig.step() != nil { received += rig.receive(.client, room: 700, announced: true) }
    while case let chunk = rig.receive(.client, room: 700, announced: true), !chunk.isEmpty {
      received += chunk
      rig.settle()
    }
    #expect(received == many)
    #expect(rig.attemptReceive(.client) == .endOfStream)
  }

  @Test func gracefulCloseLosesNothingWhateverInputComes() {
    let rig = LinkRig(.standard, seed: 4, window: 1000)
    let many = PatternBytes.make(seed: 1, count: 20_000)
    _ = rig.link.offer(.client, five, from: 0)
    rig.settle()
    _ = rig.link.offer(.server, many, from: 0)
    rig.link.closeGracefully(.server)
    var received: [UInt8] = []
    while received.count < many.count {
      received += rig.receive(.client, room: 900, announced: true)
      if received.count == 5 || received.count == 5000 { _ = rig.link.offer(.client, five, from: 0) }
      guard rig.step() != nil || !rig.receiveIsEmpty(.client) else { break }
    }
    #expect(received == many)
    rig.settle()
    #expect(rig.link[.server].isClosed)
  }

  @Test func resetAfterTheFINReportsABrokenPipeToWritersOnly() {
    let rig = LinkRig(.none)
    rig.link.finish(.server)
    rig.settle()
    rig.link.reset(.server)
    rig.settle()
    #expect(rig.attemptReceive(.client) == .endOfStream)
    #expect(rig.link.pendingError(.client) == brokenPipe)
    #expect(rig.link.pendingError(.client) == 0)
  }

  @Test func inputThatArrivesAfterTheCloseIsAnsweredWithAReset() {
    let rig = LinkRig(.none)
    _ = rig.link.offer(.client, five, from: 0)
    rig.link.close(.server)
    rig.settle()
    #expect(rig.link[.client].resetArrived)
    #expect(rig.link.isOver == false)
    rig.link.close(.client)
    rig.settle()
    #expect(rig.link.isOver)
  }

  @Test func localStreamsNoticeAClosedReaderAtOnce() {
    let rig = LinkRig(.standard, isLocal: true)
    rig.link.close(.server)
    #expect(rig.attemptSend(.client, five) == .failed(brokenPipe))
    rig.settle()
    #expect(rig.attemptReceive(.client) == .endOfStream)
  }

  @Test func localStreamsKeepAllBytesAcrossAResetLikeClose() {
    let rig = LinkRig(.none, isLocal: true)
    _ = rig.link.offer(.client, five, from: 0)
    _ = rig.link.offer(.server, five, from: 0)
    rig.link.close(.server)
    rig.settle()
    #expect(rig.receive(.client, room: 9) == five)
    #expect(rig.attemptReceive(.client) == .failed(connectionReset))
    #expect(rig.attemptReceive(.client) == .endOfStream)
  }

  @Test func bothClosedIsOver() {
    for seed in 0..<50 as Range<UInt64> {
      let rig = LinkRig(.harsh, seed: seed, isLocal: seed % 2 == 0)
      _ = rig.send(.client, five)
      if seed % 3 == 0 { rig.settle() }
      rig.link.close(.client)
      if seed % 5 == 0 { rig.settle() }
      rig.link.close(.server)
      rig.settle()
      #expect(rig.link.isOver, "seed \(seed)")
    }
  }
}

extension LinkRig {
  /// What a call said, without the core's types.
  enum Outcome: Equatable {
    case bytes(Int)
    case wouldBlock
    case endOfStream
    case failed(Int32)
  }

  func attemptReceive(_ side: LinkSide) -> Outcome {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      switch link.receive(side, into: buffer) {
      case .bytes(let count): .bytes(count)
      case .wouldBlock: .wouldBlock
      case .endOfStream, .broken: .endOfStream
      case .failed(let errno): .failed(errno)
      }
    }
  }

  func attemptSend(_ side: LinkSide, _ bytes: [UInt8]) -> Outcome {
    bytes.withUnsafeBytes { bytes in
      withUnsafePointer(to: bytes) { piece in
        switch link.send(side, UnsafeBufferPointer(start: piece, count: 1)) {
        case .bytes(let count): .bytes(count)
        case .wouldBlock: .wouldBlock
        case .endOfStream, .broken: .endOfStream
        case .failed(let errno): .failed(errno)
        }
      }
    }
  }

  func receiveIsEmpty(_ side: LinkSide) -> Bool { link[to: side].unread == 0 }
}

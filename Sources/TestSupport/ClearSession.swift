import SocketCore

/// A session without cryptography, for tests of the machine that pumps it: a record is its kind, its length (two bytes)
/// and its bytes. Each side says hello; anything else first is no handshake.
package final class ClearSession: SecureSession {
  package enum Kind: UInt8 { case hello = 1, data, notice, alert, behindTheScenes }

  package enum Trust: Sendable { case notAsked, asked, given, refused }

  package static let headerSize = 3
  package let recordLimit: Int

  private let pinnedRoom: UnsafeMutableRawBufferPointer
  private var input: [UInt8] = []
  private var plain: [UInt8] = []
  private var outgoing: [UInt8] = []
  private var pinnedOutput: UnsafeMutableRawBufferPointer?
  private var saidHello = false
  private var heardHello = false
  private var isClosed = false
  private var failure: SocketFailure?
  private var trust: Trust
  private let asksTrust: Bool
  /// What happened to it, in order, for assertions.
  package private(set) var calls: [String] = []

  package var recordBudget = Int.max
  package var maySeal: Bool { true }
  package func rest() { calls.append("rest") }

  package init(recordLimit: Int = 16, asksTrust: Bool = false) {
    self.recordLimit = recordLimit
    self.asksTrust = asksTrust
    trust = asksTrust ? .notAsked : .given
    pinnedRoom = .allocate(byteCount: 256, alignment: 1)
  }

  deinit {
    pinnedRoom.deallocate()
    pinnedOutput?.deallocate()
  }

  package static func record(_ kind: Kind, _ bytes: [UInt8] = []) -> [UInt8] {
    [kind.rawValue, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
  }

  /// What a peer that says hello and then these bytes puts on the wire.
  package static func wire(_ texts: String..., hello: Bool = true) -> [UInt8] {
    texts.reduce(into: hello ? record(.hello) : []) { $0 += record(.data, Array($1.utf8)) }
  }

  package var inputRoom: UnsafeMutableRawBufferPointer { pinnedRoom }
  package func inputFilled(_ count: Int) { input += pinnedRoom[..<count] }
  package func inputEnded() { calls.append("ended") }

  package func handshake() -> HandshakeProgress {
    if let failure { return .failed(failure) }
    if !saidHello {
      saidHello = true
      say(.hello)
    }
    if !heardHello {
      guard let record = next() else { return failure.map { .failed($0) } ?? (isTired ? .budgetUsed : .needsInput) }
      guard record.kind == .hello else {
        return .failed(fail(code: -9819, "no hello"))
      }
      heardHello = true
    }
    switch trust {
    case .given: return .complete
    case .refused: return .failed(fail(code: -9825, "not trusted"))
    case .notAsked, .asked:
      trust = .asked
      return .awaitsTrust(self)
    }
  }

  package func answerTrust(_ isTrusted: Bool) {
    calls.append("trust \(isTrusted)")
    trust = isTrusted ? .given : .refused
  }

  package func open(into buffer: UnsafeMutableRawBufferPointer) -> SecureResult {
    let answer = peek()
    guard case .bytes(let available) = answer else { return answer }
    let count = min(available, buffer.count)
    buffer.copyBytes(from: plain[..<count])
    plain.removeFirst(count)
    return .bytes(count)
  }

  package func peek() -> SecureResult {
    while plain.isEmpty {
      if let failure { return .failed(failure) }
      if isClosed { return .closed }
      guard let record = next() else { return failure.map { .failed($0) } ?? (isTired ? .budgetUsed : .needsInput) }
      switch record.kind {
      case .data: plain += record.bytes
      case .notice: isClosed = true
      case .alert: _ = fail(code: -9824, "alert", says: false)
      case .hello, .behindTheScenes: say(.behindTheScenes)
      }
    }
    return .bytes(plain.count)
  }

  package func seal(_ bytes: UnsafeRawBufferPointer) -> SocketFailure? {
    precondition(!bytes.isEmpty && bytes.count <= recordLimit)
    if let failure { return failure }
    calls.append("seal \(bytes.count)")
    say(.data, Array(bytes))
    return nil
  }

  package var output: UnsafeRawBufferPointer {
    pinnedOutput?.deallocate()
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: outgoing.count, alignment: 1)
    copy.copyBytes(from: outgoing)
    pinnedOutput = copy
    return UnsafeRawBufferPointer(copy)
  }

  package func outputTaken(_ count: Int) { outgoing.removeFirst(count) }

  package func close() {
    guard failure == nil else { return }
    say(.notice)
  }

  private func say(_ kind: Kind, _ bytes: [UInt8] = []) { outgoing += Self.record(kind, bytes) }

  private func fail(code: Int32, _ message: String, says: Bool = true) -> SocketFailure {
    let failure = SocketFailure.tls(code: code, message: message)
    self.failure = failure
    if says { say(.alert) }
    return failure
  }

  private var isTired: Bool { recordBudget <= 0 && !input.isEmpty }

  private func next() -> (kind: Kind, bytes: [UInt8])? {
    guard let first = input.first, recordBudget > 0 else { return nil }
    guard let kind = Kind(rawValue: first) else {
      _ = fail(code: -9847, "not a record")
      return nil
    }
    guard input.count >= Self.headerSize else { return nil }
    let length = Int(input[1]) << 8 | Int(input[2])
    guard input.count >= Self.headerSize + length else { return nil }
    recordBudget -= 1
    defer { input.removeFirst(Self.headerSize + length) }
    return (kind, Array(input[Self.headerSize..<Self.headerSize + length]))
  }
}

// Unchecked: it is confined to the test that made it; the machine hands it to the delegate as the object to look at.
extension ClearSession: @unchecked Sendable {}

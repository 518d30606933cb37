import ReferenceModel

/// Programs in few words, and what the model tells in fewer.
extension SocketProgram {
  init(
    staysHalfOpen: Bool = false, onRunLoop: Bool = false, room: Int? = nil, extensions: [Int] = [],
    reactions: [Reaction] = [], _ steps: Step...
  ) {
    self.init()
    livesOnRunLoop = onRunLoop
    closesOnEndOfStream = !staysHalfOpen
    self.room = room
    self.extensions = extensions
    self.reactions = reactions
    self.steps = steps
  }
}

extension SocketProgram.Step {
  static func exactly(_ length: Int, timeout: Int? = nil) -> Self { .call(.exactly(length, timeout: timeout)) }
  static func through(_ delimiter: String, limit: Int = 0, timeout: Int? = nil) -> Self {
    .call(.read(.through(Array(delimiter.utf8), limit: limit), timeout: timeout))
  }
  static func available(limit: Int = 0, timeout: Int? = nil) -> Self {
    .call(.read(.available(limit: limit), timeout: timeout))
  }
  static func write(_ text: String, timeout: Int? = nil) -> Self { .call(.write(text, timeout: timeout)) }
  static func arrive(_ text: String) -> Self { .arrive(Array(text.utf8)) }
  static var disconnect: Self { .call(.disconnect) }
  static func after(reads: Bool = false, writes: Bool = false) -> Self {
    .call(.disconnectAfter(reads: reads, writes: writes))
  }
}

extension SocketProgram.Call {
  static func exactly(_ length: Int, timeout: Int? = nil) -> Self { .read(.exactly(length), timeout: timeout) }
  static func write(_ text: String, timeout: Int? = nil) -> Self { .write(Array(text.utf8), timeout: timeout) }
}

extension ModelRun.Entry {
  var text: String {
    switch event {
    case .connected: "connected"
    case .read(_, let tag): "read \(tag) \(String(decoding: bytes, as: UTF8.self))"
    case .readPartial(let count, let tag): "partial \(tag) \(count)"
    case .wrote(let tag): "wrote \(tag)"
    case .wrotePartial(let count, let tag): "wrote \(tag) \(count) of it"
    case .readTimeout(let tag, let elapsed, let done): "read \(tag) late \(elapsed) \(done)"
    case .writeTimeout(let tag, let elapsed, let done): "write \(tag) late \(elapsed) \(done)"
    case .readClosed: "read closed"
    case .willDisconnect(let reason, _): "will \(reason) \(String(decoding: bytes, as: UTF8.self))"
    case .disconnected(let reason): "\(reason)"
    }
  }
}

/// Numbers that look random and are the same each time.
struct Numbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }

  mutating func bytes(upTo most: Int) -> [UInt8] {
    (0..<Int.random(in: 0...most, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
  }
}

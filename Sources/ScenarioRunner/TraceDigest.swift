import ScenarioModel

/// The hash of a trace: FNV-1a taken over 64-bit words, straight over the fields, so that thousands of traces a second
/// can be compared. Every field that says what happened takes part; where it stands in the file does not.
///
/// In the simulated world instants take part, so equal seeds must give equal hashes. On loopback instants, ports,
/// progress reports and notes depend on the host's timing and are left out.
package struct TraceDigest: Sendable {
  private var value: UInt64 = 0xCBF2_9CE4_8422_2325
  private let isExact: Bool
  /// Peers whose wire carries TLS: on a real host its bytes are new in every run.
  private var securedPeers: Set<String> = []

  /// The world decides what is left out.
  package init(world: WorldName) { isExact = world == .simulated }

  /// The hash of a whole trace.
  package static func text(of trace: Trace, world: WorldName) -> String {
    var digest = TraceDigest(world: world)
    for event in trace.events { digest.add(event) }
    return digest.text
  }

  /// Sixteen lowercase hexadecimal digits, as `ContentHash.text`.
  package var text: String {
    // One more mix: the last words would otherwise only reach the upper bits.
    var mixed = value ^ (value >> 32)
    mixed = mixed &* 0xD6E8_FEB8_6659_FD93
    mixed ^= mixed >> 32
    let digits = String(mixed, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Takes the next event.
  package mutating func add(_ event: TraceEvent) {
    let isSealed = isCiphertext(event.kind)
    if !isExact, event.kind.isTimingDependent || isSealed { return }
    if isExact { add(event.at) }
    switch event.kind {
    case .command(let command, let socket, let result, let inCallback):
      add(1)
      add(socket)
      add(inCallback ? 1 : 0)
      add(command)
      add(result)
    case .checked(let check, let socket, let actual, let holds):
      add(2)
      add(socket)
      add(check.property.rawValue)
      add(check.name ?? "")
      add(holds ? 1 : 0)
      if isExact { add(actual) }
    case .callback(let delivered):
      add(3)
      add(delivered.socket)
      add(delivered.delegate)
      add(delivered.callback)
      if let loop = delivered.runLoop { add(loop) }
      if let mode = delivered.mode { add(mode) }
    case .peerAction(.send(let bytes), let peer) where isSealed:
      // Tickets hold the host's time of day: what is on the wire is as long in every run, but not the same.
      add(4)
      add(peer)
      add(bytes.count)
    case .peerSaw(.received(let bytes), let peer) where isSealed:
      add(5)
      add(peer)
      add(bytes.count)
    case .peerAction(let action, let peer):
      add(4)
      add(peer)
      add(action)
    case .peerSaw(let observation, let peer):
      add(5)
      add(peer)
      add(observation)
    case .tls(let event, let peer):
      add(8)
      add(peer)
      add(event)
    case .network(let action):
      add(9)
      add(action)
    case .packet: break
    case .point(let name):
      add(6)
      add(name)
    case .note(let text):
      add(7)
      add(text)
    }
  }

  private mutating func isCiphertext(_ kind: TraceKind) -> Bool {
    switch kind {
    case .tls(.began, let peer): securedPeers.insert(peer)
    case .peerSaw(.connected, let peer): securedPeers.remove(peer)
    case .peerSaw(.received, let peer), .peerSaw(.sent, let peer), .peerAction(.send, let peer):
      return securedPeers.contains(peer)
    default: break
    }
    return false
  }

  mutating func add(_ word: UInt64) { value = Self.mixed(value, with: word) }

  mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

  mutating func add(_ number: Double) { add(number.bitPattern) }

  mutating func add(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    add(UInt64(bitPattern: seconds))
    add(UInt64(bitPattern: attoseconds))
  }

  mutating func add(_ text: String) {
    var word: UInt64 = 0
    var count = 0
    for byte in text.utf8 {
      word = word << 8 | UInt64(byte)
      count += 1
      if count & 7 == 0 {
        add(word)
        word = 0
      }
    }
    add(word)
    add(count)
  }

  mutating func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      var offset = 0
      // Four chains side by side: one alone would wait for each of its multiplications.
      if bytes.count >= 128 {
        var lanes = SIMD4<UInt64>(repeating: value) ^ SIMD4(1, 2, 3, 4)
        while offset + 32 <= bytes.count {
          let words = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
          for lane in 0..<4 { lanes[lane] = Self.mixed(lanes[lane], with: UInt64(littleEndian: words[lane])) }
          offset += 32
        }
        for lane in 0..<4 { add(lanes[lane]) }
      }
      while offset + 8 <= bytes.count {
        add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        offset += 8
      }
      var word: UInt64 = 0
      while offset < bytes.count {
        word = word << 8 | UInt64(bytes[offset])
        offset += 1
      }
      add(word)
    }
    add(bytes.count)
  }

  private static func mixed(_ value: UInt64, with word: UInt64) -> UInt64 {
    let product = (value ^ word) &* 0x0000_0100_0000_01B3
    return product ^ (product >> 47)
  }

  mutating func add(port: UInt16) { if isExact { add(UInt64(port)) } }
}

extension TraceKind {
  /// Whether it differs from run to run on a real host although all is well.
  fileprivate var isTimingDependent: Bool {
    switch self {
    case .note, .packet: true
    case .callback(let delivered):
      delivered.callback.kind == .didReadPartial || delivered.callback.kind == .didWritePartial
    default: false
    }
  }
}

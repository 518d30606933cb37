import ScenarioModel
import ScriptedPeer
import Testing

/// A machine that speaks TLS, and its counterpart in memory.
final class TLSBench {
  var bench: MachineBench
  let other: Counterpart
  private let chunk: Int
  private let rewrite: ([UInt8]) -> [UInt8]
  private(set) var tlsEvents: [TLSEvent] = []
  /// Actions that were no sends.
  private(set) var acts: [PeerAction] = []
  /// All bytes the peer put on the wire.
  private(set) var sent: [UInt8] = []
  private(set) var sends = 0

  /// `chunk`: so many bytes of the counterpart's reach the machine at a time. `rewrite` changes them on their way.
  init(
    _ steps: [PeerStep], _ options: Counterpart.Options = Counterpart.Options(), cut: Variant.Cut = .whole,
    chunk: Int = .max, rewrite: @escaping ([UInt8]) -> [UInt8] = { $0 }
  ) throws {
    let connects = options.role == .server
    bench = MachineBench(connects ? [.connect(socket: "server")] + steps : steps, cut: cut, connected: !connects)
    other = try Counterpart(options)
    (self.chunk, self.rewrite) = (chunk, rewrite)
    if connects {
      bench.board.listens("server")
      #expect(bench.actions() == [.connect(socket: "server")])
      bench.see(.connected)
    }
    other.work()
    run()
  }

  var names: [String] { tlsEvents.compactMap(\.name) }
  var deviation: String? { bench.machine.deviation.map { "\($0.expected) / \($0.actual)" } }
  var isFinished: Bool { bench.machine.isFinished }

  /// Lets both talk until neither has anything to say.
  func run() {
    var goesOn = true
    while goesOn {
      goesOn = false
      for done in bench.run() {
        goesOn = true
        if case .send(let bytes) = done.action {
          sent += bytes
          sends += 1
          other.receive(bytes)
        } else {
          acts.append(done.action)
        }
      }
      var bytes = rewrite(other.take())
      while !bytes.isEmpty {
        goesOn = true
        bench.see(.received(Array(bytes.prefix(chunk))))
        bytes.removeFirst(min(chunk, bytes.count))
      }
      tlsEvents += bench.machine.takeTLSEvents()
    }
  }

  func say(_ text: String) {
    other.send(Array(text.utf8))
    run()
  }

  func end() {
    bench.see(.endOfStream)
    run()
  }
}

extension TLSEvent {
  /// What a test looks at: messages as `>name` and `<name`, alerts likewise.
  var name: String? {
    switch self {
    case .began(let role): "began \(role.rawValue)"
    case .messageSent(let name): ">\(name)"
    case .messageReceived(let name): "<\(name)"
    case .alertSent(let alert): ">\(alert.text)"
    case .alertReceived(let alert): "<\(alert.text)"
    case .established: "established"
    case .failed: "failed"
    case .certificates(let lines): "\(lines.count) certificates"
    case .leftover(let bytes, let areRecords):
      "leftover \(areRecords ? "records" : String(decoding: bytes, as: UTF8.self))"
    case .presents, .forged, .plainSent, .plainReceived, .secret: nil
    }
  }
}

func tls(_ change: (inout PeerTLS) -> Void = { _ in }) -> PeerStep {
  var settings = PeerTLS()
  change(&settings)
  return .tls(settings)
}

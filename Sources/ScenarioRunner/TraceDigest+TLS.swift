import ScenarioModel

extension TraceDigest {
  /// Names, not lengths: signatures and tickets vary in size from run to run.
  mutating func add(_ event: TLSEvent) {
    switch event {
    case .began(let role): add(1, role.rawValue)
    case .messageSent(let name): add(2, name)
    case .messageReceived(let name): add(3, name)
    case .alertSent(let alert): add(4, alert.text)
    case .alertReceived(let alert): add(5, alert.text)
    case .certificates(let lines):
      add(6)
      for line in lines { add(line) }
    case .established(let facts): add(7, facts.text)
    case .forged(let what): add(8, what)
    case .failed(let reason): add(9, reason)
    case .plainSent(let bytes):
      add(10)
      add(bytes)
    case .plainReceived(let bytes):
      add(11)
      add(bytes)
    case .secret: add(12)
    case .leftover(let bytes, let areRecords):
      add(14, areRecords ? "records" : "clear")
      add(bytes)
    case .presents(let name, let summary):
      add(13, name.rawValue)
      add(summary)
    }
  }

  private mutating func add(_ kind: Int, _ text: String) {
    add(kind)
    add(text)
  }
}

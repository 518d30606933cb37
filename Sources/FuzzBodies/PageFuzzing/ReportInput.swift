import FuzzHarness
import ScenarioModel

/// A run report made of a fuzzer's bytes: few cases, each text of them hostile, each number one that hurts.
struct ReportInput {
  /// Stands in every text that comes from outside. No page may show its markup characters as they stand.
  static let marker = "<zq\"'&>"

  private var input: FuzzInput

  init(_ input: FuzzInput) { self.input = input }

  private static let pieces = [
    "", "]]>", "-->", "</script>", "`", "``", "\\", "|", "\u{0}", "\u{1B}[31m", "\r\n", "\n\n# ", "\t", "\u{7F}\u{85}",
    "\u{202E}", "\u{2028}", "\u{FEFF}", "\u{FFFE}", "\u{301}", "&#60;", "{{{style}}}", "javascript:", "é", "\u{1F600}",
  ]
  private static let numbers = [0, 1, -1, 2, 7, 255, 400, 4096, .max, .min, Int(Int32.max), 1 << 53]
  private static let durations: [Duration] = [
    .zero, .nanoseconds(1), .microseconds(1500), .milliseconds(999), .seconds(61), .seconds(-3), .seconds(1 << 40),
  ]
  private static let doubles = [0, -1, 0.1, 1e-9, 1e300, .infinity, -.infinity, .nan, .pi]

  /// The marker with payload and a piece of mischief around it; a combining mark may cling to either end.
  private mutating func text() -> String {
    let choice = input.byte()
    let piece = Self.pieces[Int(choice & 31) % Self.pieces.count]
    // A z would let payload pass for a piece of the marker.
    let bytes = input.payload(Int(choice >> 5)).lazy.map { $0 == UInt8(ascii: "z") ? UInt8(ascii: "y") : $0 }
    return piece + Self.marker + String(decoding: bytes, as: UTF8.self)
  }

  private mutating func number() -> Int { input.choice(of: Self.numbers) }
  private mutating func duration() -> Duration { input.choice(of: Self.durations) }

  private mutating func position() -> SourcePosition? {
    switch input.byte() & 3 {
    case 0: nil
    case 1: SourcePosition(line: 1, column: 1)
    case 2: SourcePosition(line: number(), column: number())
    default: SourcePosition(line: Int(input.byte() & 7), column: Int(input.byte() & 31))
    }
  }

  mutating func report() -> RunReport {
    var sources: [String: ScenarioSource] = [:]
    var ids = ["area/plain"]
    if input.bool() { ids.append(text()) }
    for id in ids where input.bool() { sources[id] = ScenarioSource(path: text(), text: text() + "\n" + text()) }
    let count = input.number(upTo: 3)
    let cases = (0..<count).map { _ in result(input.choice(of: ids)) }
    var report = RunReport(
      startedAt: input.bool() ? text() : "2026-03-14T09:26:53Z", version: text(), subject: text(),
      profile: input.choice(of: Profile.allCases),
      host: HostFacts(system: text(), processors: number(), jitter: duration()),
      seed: UInt64(bitPattern: Int64(number())),
      seeds: number(), duration: duration(), cases: cases, sources: sources)
    // Last, so that older inputs keep their meaning.
    for index in cases.indices { end(&report.cases[index], ids) }
    if input.bool() { report.casesNotJudged = input.number(upTo: 9) }
    return report
  }

  /// Last words of the case's process, and a control that may be another case, or the case itself.
  private mutating func end(_ result: inout CaseResult, _ ids: [String]) {
    if input.bool() {
      result.backtrace = [text(), "1 [ra] 0x1 \(text()) + 4 in \(text()) at \(text()):1", "2  \(text()) at \(text())"]
    }
    guard input.bool() else { return }
    result.voided = VoidedCase(
      control: input.choice(of: ids), controlVerdict: input.bool() ? input.choice(of: Verdict.allCases) : nil,
      verdict: input.choice(of: Verdict.allCases))
  }

  private mutating func result(_ id: String) -> CaseResult {
    var scenario = Scenario(id: id, title: text())
    scenario.requirements = input.bool() ? [text()] : []
    scenario.tags = input.bool() ? [text()] : []
    scenario.canary = input.byte() & 7 == 7
    let cut = input.choice(of: [Variant.Cut.whole, .bytes, .random, .split(at: number())])
    let variant = Variant(
      family: input.choice(of: AddressFamily.allCases), cut: cut, queues: input.choice(of: QueueTopology.allCases),
      security: input.choice(of: Security.allCases), speed: input.choice(of: Speed.allCases))
    var result = CaseResult(
      scenario: scenario, variant: variant, world: input.choice(of: WorldName.allCases),
      seed: UInt64(bitPattern: Int64(number())))
    result.verdict = input.choice(of: Verdict.allCases)
    if input.bool() { result.reason = text() }
    result.traceHash = input.bool() ? text() : "00000000000000ff"
    result.duration = duration()
    if input.byte() & 7 == 7 { result.capture = text() }
    result.deviations = (0..<input.number(upTo: 2)).map { _ in deviation() }
    result.trace = Trace(events: (0..<input.number(upTo: 4)).map { _ in event() })
    if input.bool(), let place = position() { result.matches = [Int(input.byte() & 7): place] }
    return result
  }

  private mutating func deviation() -> Deviation {
    Deviation(
      kind: input.choice(of: Deviation.Kind.allCases), expected: text(), actual: text(), position: position(),
      requirement: input.bool() ? text() : nil,
      traceIndex: input.bool() ? input.choice(of: [0, 1, 3, 400, .max, -1]) : nil)
  }

  private mutating func event() -> TraceEvent {
    TraceEvent(at: duration(), kind: kind(), position: position())
  }

  private mutating func kind() -> TraceKind {
    switch input.number(upTo: 7) {
    case 0: return .command(command(), socket: text(), result: answer(), inCallback: input.bool())
    case 1: return .callback(DeliveredCallback(socket: text(), delegate: text(), callback: callback()))
    case 2: return .peerAction(action(), peer: text())
    case 3: return .peerSaw(sight(), peer: text())
    case 4, 5: return .tls(remark(), peer: input.bool() ? "peer" : text())
    case 6: return input.bool() ? .point(text()) : .note(text())
    default:
      let check = PropertyCheck(
        property: input.choice(of: SubjectProperty.allCases), name: text(), expected: .present,
        position: SourcePosition(line: 0, column: 0))
      return .checked(check, socket: text(), actual: value(), holds: input.bool())
    }
  }

  private mutating func bytes() -> [UInt8] {
    let prefix: [UInt8] = input.bool() ? [22, 3, 1, 0, 2] : []
    return prefix + Array(text().utf8)
  }

  private mutating func timeout() -> TimeoutValue { TimeoutValue(seconds: input.choice(of: Self.doubles)) }

  private mutating func payload() -> Payload {
    switch input.byte() & 3 {
    case 0: .bytes(bytes())
    case 1: .repeated(unit: .pattern(seed: 1, count: 1 << 40), times: 1 << 10)
    case 2: .joined([.bytes(bytes()), .bytes([])])
    default: .pattern(seed: .max, count: 7)
    }
  }

  private mutating func command() -> SubjectCommand {
    switch input.number(upTo: 8) {
    case 0: .connect(ConnectCommand(target: .host(text(), port: .peer(text())), timeout: timeout(), interface: text()))
    case 1: .connect(ConnectCommand(target: .address(bytes()), timeout: timeout()))
    case 2: .listen(ListenCommand(place: input.bool() ? .path(text()) : .interface(text(), port: .of(text()))))
    case 3: .read(ReadCommand(boundary: .through(payload(), limit: number()), timeout: timeout(), tag: number()))
    case 4:
      .read(
        ReadCommand(
          boundary: .exactly(number()),
          buffer: ReadCommand.Buffer(name: text(), size: number(), offset: number(), fill: 255)))
    case 5: .write(WriteCommand(payload: payload(), timeout: timeout(), tag: number()))
    case 6: .set(input.bool() ? .userData(text()) : .alternateAddressDelay(input.choice(of: Self.doubles)))
    case 7: .perform([.setDelegate(text()), .setDelegateQueue(text()), .disconnect])
    default: .answerTrust(input.bool())
    }
  }

  private mutating func answer() -> CommandResult {
    switch input.byte() & 3 {
    case 0: .done
    case 1: .refused(error())
    case 2: .unsupported(text())
    default: .hung
    }
  }

  private mutating func error() -> SubjectError {
    let domain = input.choice(of: [SubjectError.Domain.library, .posix, .netDB, .ssl, .other])
    return SubjectError(
      domain: domain, code: input.bool() ? -9814 : number(), message: text(), reason: input.bool() ? text() : nil)
  }

  private mutating func callback() -> Callback {
    switch input.number(upTo: 7) {
    case 0: .didConnect(host: text(), port: 0)
    case 1: .didConnectToURL(path: text())
    case 2: .didAccept(child: text())
    case 3: .didRead(bytes: bytes(), tag: number())
    case 4: .didReadPartial(count: number(), tag: number())
    case 5: .shouldTimeoutRead(tag: number(), elapsed: input.choice(of: Self.doubles), bytesDone: number())
    case 6: .didWrite(tag: number())
    default: .didDisconnect(input.bool() ? error() : nil)
    }
  }

  private mutating func action() -> PeerAction {
    switch input.number(upTo: 4) {
    case 0: .connect(socket: text())
    case 1: .send(bytes())
    case 2: .setReading(.atMost(number()))
    case 3: .sendUrgent(input.byte())
    default: .reset
    }
  }

  private mutating func sight() -> PeerObservation {
    switch input.number(upTo: 3) {
    case 0: .received(bytes())
    case 1: .broken(Int32(truncatingIfNeeded: number()))
    case 2: .sent(number())
    default: .endOfStream
    }
  }

  private mutating func remark() -> TLSEvent {
    switch input.number(upTo: 12) {
    case 0: .began(input.choice(of: [.client, .server]))
    case 1: .messageSent(text())
    case 2: .messageReceived(text())
    case 3: .alertSent(TLSAlert(level: input.byte(), description: input.byte()))
    case 4: .alertReceived(TLSAlert(level: input.byte(), description: input.byte()))
    case 5: .presents(input.choice(of: CertificateName.allCases), text())
    case 6: .certificates([text(), text()])
    case 7:
      .established(
        TLSFacts(version: nil, cipher: text(), serverName: text(), alpn: text(), isResumed: input.bool()))
    case 8: .forged(text())
    case 9: .failed(text())
    case 10: .plainSent(bytes())
    case 11: .leftover(bytes(), areRecords: input.bool())
    default: .plainReceived(bytes())
    }
  }

  private mutating func value() -> PropertyValue {
    switch input.number(upTo: 4) {
    case 0: .text(text())
    case 1: .bytes(bytes())
    case 2: .number(input.choice(of: Self.doubles))
    case 3: .progress(tag: number(), done: number(), total: number(), fraction: input.choice(of: Self.doubles))
    default: .none
    }
  }
}

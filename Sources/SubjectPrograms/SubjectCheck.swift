import Foundation
import HostTools
import ReportMarkup
import ScenarioModel
import SubjectProtocol

/// Tries a subject message by message, and reports what it does wrong. The first fault ends the check, because what
/// follows would mean little.
package final class SubjectCheck {
  /// One thing that was tried.
  package struct Finding: Hashable, Sendable {
    /// In words; the subject is the sentence's.
    package var what: String
    /// nil: it does it right.
    package var trouble: String?
    /// Not wrong, and hardly meant so.
    package var remarks: [String] = []
  }

  /// What the subject does wrong.
  struct Trouble: Error { var text: String }

  /// Nanoseconds that an answer may take.
  private static let timeout: Int64 = 5_000_000_000

  private let program: SubjectProgram
  /// Held as long as the subject: it ends with its pool.
  private let pool = SubjectPool()
  private let tell: (Finding) -> Void
  private var lastID = 0
  private var number = 0

  /// - Parameter tell: takes each finding as it is made.
  package init(_ program: SubjectProgram, tell: @escaping (Finding) -> Void) {
    self.program = program
    self.tell = tell
  }

  /// The subject's claims and the last words of its standard error; the claims are nil if it has said no hello, and
  /// whether all was right. Throws a `LabFailure` when no process can be had.
  package func run() throws -> (claims: SubjectClaims?, isSound: Bool, lastWords: [String]) {
    let process: SubjectProcess
    do { process = try pool.take(program) } catch let trouble as SubjectPool.Trouble {
      tell(Finding(what: "starts and says hello", trouble: trouble.fault.text))
      return (nil, false, trouble.lastWords)
    }
    guard let claims = process.claims else { throw LabFailure("\(program.name) said no hello.") }
    tell(Finding(what: "starts and says hello: \(claims.title)", remarks: claims.unknown.map(\.remark)))
    do {
      try tried("begins a case, ends it, and begins the next one") {
        for _ in 0..<2 { try inCase(process) {} }
      }
      try properties(process, claims)
      if claims.calls.contains("connect") { try client(process, claims) }
      if claims.calls.contains("listen") { try server(process, claims) }
      if claims.calls.contains("connect") {
        try perform(process, claims)
        try gracefulEnds(process, claims)
        try release(process, claims)
      }
      try set(process, claims)
      try secured(process, claims)
      if claims.calls.contains("connect"), claims.features.contains(.reactions) { try reaction(process, claims) }
    } catch is Trouble {
      process.end(grace: 0)
      return (claims, false, process.lastWords)
    }
    let endsItself = process.end(grace: 2_000_000_000)
    let trouble = endsItself ? process.exitFault : "it still ran 2 s later, and was ended"
    tell(Finding(what: "ends when its input is closed", trouble: trouble))
    return (claims, trouble == nil, process.lastWords)
  }

  // MARK: - What is tried

  private func properties(_ process: SubjectProcess, _ claims: SubjectClaims) throws {
    guard !claims.properties.isEmpty else { return }
    try tried("answers for its \(claims.properties.count) properties") {
      try inCase(process) { try askAll(process, claims) }
    }
  }

  /// Asks for every property, whose value must be of its kind.
  private func askAll(_ process: SubjectProcess, _ claims: SubjectClaims) throws {
    for property in claims.properties.sorted(by: { $0.rawValue < $1.rawValue }) {
      let id = newID()
      process.say(.get(id: id, socket: "socket", property: property))
      try wait(process, "the value of `\(property.rawValue)`") { message in
        guard case .value(id, _, let value) = message else { return false }
        if let trouble = property.trouble(with: value) { throw Trouble(text: trouble) }
        return true
      }
    }
  }

  private func client(_ process: SubjectProcess, _ claims: SubjectClaims) throws {
    let peer = try CheckPeer()
    try inCase(process) {
      try tried("connects, and tells didConnect with the peer's address") {
        try connect(process, to: peer)
      }
      if !claims.properties.isEmpty {
        try tried("answers for them while it is connected") { try askAll(process, claims) }
      }
      if claims.calls.contains("write") {
        try tried("writes, and tells didWrite with the tag") {
          try call(process, "write", ["data": .text(Data("hello".utf8).base64EncodedString()), "tag": .integer(-7)])
          try callback(process, "didWrite of tag -7") { $0 == .didWrite(tag: -7) }
          let seen = peer.receive(5)
          guard seen == "hello" else { throw Trouble(text: "the peer got \(seen.debugDescription), not \"hello\"") }
        }
      }
      if claims.calls.contains("read"), claims.features.contains(.readLength) {
        try tried("reads a length, and tells didRead with bytes and tag") {
          try call(process, "read", ["until": .text("length"), "length": .integer(3), "tag": .integer(8)])
          peer.send("abcdef")
          try callback(process, "didRead of tag 8 with \"abc\"") { $0 == .didRead(bytes: Array("abc".utf8), tag: 8) }
        }
      }
      if claims.features.contains(.readDelimiter), claims.calls.contains("read") {
        try tried("reads through a delimiter") {
          let delimiter = Data("\n".utf8).base64EncodedString()
          let left = claims.features.contains(.readLength) ? "def" : ""
          try call(
            process, "read",
            ["until": .text("delimiter"), "delimiter": .text(delimiter), "limit": .integer(0), "tag": .integer(9)])
          peer.send("ghi\nrest")
          try callback(process, "didRead of tag 9 with the line") {
            $0 == .didRead(bytes: Array("\(left)ghi\n".utf8), tag: 9)
          }
        }
      }
      if claims.features.contains(.readAvailable), claims.calls.contains("read") {
        try tried("reads what is available") { try readAvailable(process, claims, from: peer) }
      }
      try tried("tells didDisconnect when it is disconnected") {
        try call(process, "disconnect", [:])
        try callback(process, "didDisconnect without an error") { $0 == .didDisconnect(nil) }
      }
    }
    try tried("does not stay connected when nobody listens") { try refused(process) }
  }

  private func readAvailable(_ process: SubjectProcess, _ claims: SubjectClaims, from peer: CheckPeer) throws {
    let left =
      claims.features.contains(.readDelimiter) ? "rest" : claims.features.contains(.readLength) ? "def" : ""
    try call(process, "read", ["until": .text("available"), "limit": .integer(0), "tag": .integer(10)])
    peer.send("there")
    try callback(process, "didRead of tag 10 with what was sent") {
      guard case .didRead(let bytes, 10) = $0 else { return false }
      return !bytes.isEmpty && Array("\(left)there".utf8).starts(with: bytes)
    }
  }

  private func refused(_ process: SubjectProcess) throws {
    let port = try CheckPeer().port
    try inCase(process) {
      let id = newID()
      process.say(
        .call(
          SubjectCall(
            id: id, socket: "socket", name: "connect",
            arguments: ["host": .text("127.0.0.1"), "port": .integer(Int(port))])))
      try wait(process, "a refusal, or didDisconnect with an error") { message in
        if case .result(let answer) = message, case .refused = answer.result { return true }
        if case .callback(_, .didDisconnect(.some), _) = message { return true }
        return false
      }
    }
  }

  private func server(_ process: SubjectProcess, _ claims: SubjectClaims) throws {
    try tried("listens on a port of the kernel's choice, and tells didAccept of `child`") {
      try inCase(process, maySayEnd: true) {
        let answer = try call(process, "listen", ["port": .integer(0)])
        guard let port = answer.port, port > 0 else {
          throw Trouble(text: "its answer to `listen` must name the `port`")
        }
        let peer = try CheckPeer()
        guard peer.connect(to: port) else { throw Trouble(text: "nobody listens on its port \(port)") }
        try callback(process, "didAccept of `child`") { $0 == .didAccept(child: "child") }
      }
    }
  }

  private func reaction(_ process: SubjectProcess, _ claims: SubjectClaims) throws {
    try tried("takes the steps of a reaction inside the callback") {
      let peer = try CheckPeer()
      var steps: [ReactionStep] = []
      if claims.properties.contains(.isConnected) {
        steps.append(.get(id: newID(), socket: "socket", property: .isConnected))
      }
      steps.append(.reach(id: newID()))
      steps.append(.call(SubjectCall(id: newID(), socket: "socket", name: "disconnect")))
      let reaction = ReactionOutline(kind: .didConnect, socket: "socket", times: 1, steps: steps)
      try inCase(process, [reaction]) {
        try connect(process, to: peer)
        // A library with threads may be in the callback before `connect` has returned.
        for id in steps.compactMap(\.id) where !earlyAnswers.contains(id) {
          try wait(process, "the answer to step \(id)") { $0.answeredID == id }
        }
        try callback(process, "didDisconnect without an error") { $0 == .didDisconnect(nil) }
      }
    }
  }

  // MARK: - Messages

  func connect(_ process: SubjectProcess, to peer: CheckPeer) throws {
    try call(process, "connect", ["host": .text("127.0.0.1"), "port": .integer(Int(peer.port))])
    guard peer.accept() else { throw Trouble(text: "no connection came to the peer") }
    try callback(process, "didConnect to 127.0.0.1, port \(peer.port)") {
      $0 == .didConnect(host: "127.0.0.1", port: peer.port)
    }
  }

  /// Whether something is tried that has a finding of its own.
  private var isTrying = false

  func tried(_ what: String, isWorthTelling: Bool = true, _ body: () throws -> Void) throws {
    if isTrying, !isWorthTelling { return try body() }
    isTrying = true
    defer { isTrying = false }
    do {
      try body()
      if isWorthTelling { tell(Finding(what: what)) }
    } catch let trouble as Trouble {
      tell(Finding(what: what, trouble: trouble.text))
      throw trouble
    }
  }

  func newID() -> Int {
    lastID += 1
    return lastID
  }

  /// - Parameter maySayEnd: whether a socket is left open, whose end may be reported as the case is closed.
  func inCase(
    _ process: SubjectProcess, _ reactions: [ReactionOutline] = [], maySayEnd: Bool = false, _ body: () throws -> Void
  ) throws {
    number += 1
    (early, earlyAnswers) = ([], [])
    process.say(.begin(CaseOutline(number: number, scenario: "check", sockets: ["socket"], reactions: reactions)))
    try tried("begins a case", isWorthTelling: false) {
      try wait(process, "`ready`") { if case .ready = $0 { true } else { false } }
    }
    try body()
    try tried("ends the case", isWorthTelling: false) { try end(process, maySayEnd: maySayEnd) }
  }

  private func end(_ process: SubjectProcess, maySayEnd: Bool) throws {
    process.say(.end(number: number))
    try wait(process, "`ended`") { message in
      guard case .ended(_, let open) = message else { return false }
      if let left = open.first { throw Trouble(text: "it could not close \(left)") }
      return true
    }
    if let left = early.first(where: { !maySayEnd || $0.kind != .didDisconnect }) {
      throw Trouble(text: "it told \(left.told), and nothing of the case had set that off")
    }
  }

  @discardableResult
  func call(
    _ process: SubjectProcess, _ name: String, _ arguments: JSONNode, on socket: String = "socket"
  ) throws -> CallAnswer {
    let id = newID()
    process.say(.call(SubjectCall(id: id, socket: socket, name: name, arguments: arguments)))
    var found: CallAnswer?
    try wait(process, "the result of `\(name)`") { message in
      guard case .result(let answer) = message, answer.id == id else { return false }
      found = answer
      return true
    }
    guard let found else { throw Trouble(text: "no result of `\(name)`") }
    if case .refused(let error) = found.result {
      throw Trouble(text: "it refused `\(name)`: \(error.name) (\(error.message))")
    }
    return found
  }

  func callback(_ process: SubjectProcess, _ what: String, _ isWanted: (Callback) -> Bool) throws {
    if let place = early.firstIndex(where: isWanted) {
      early.remove(at: place)
      return
    }
    if let other = early.first { throw Trouble(text: "it told \(other.told), and what was to come is \(what)") }
    try wait(process, what) { message in
      guard case .callback(_, let callback, _) = message else { return false }
      if isWanted(callback) { return true }
      if callback.isByTheWay { return false }
      throw Trouble(text: "it told \(callback.told), and what was to come is \(what)")
    }
  }

  /// Callbacks that came before the result of the call that set them off.
  private var early: [Callback] = []
  /// The ids of calls and steps whose answer came before it was waited for.
  private var earlyAnswers: Set<Int> = []

  func wait(_ process: SubjectProcess, _ what: String, _ isWanted: (SubjectMessage) throws -> Bool) throws {
    let deadline = SubjectProcess.now + Self.timeout
    while true {
      guard process.wait(until: deadline), let news = process.next() else {
        throw Trouble(text: "\(what) did not come within \(Self.timeout / 1_000_000_000) s\(process.remark)")
      }
      switch news {
      case .message(let message):
        if try isWanted(message) { return }
        switch message {
        case .callback(_, let callback, _): if !callback.isByTheWay { early.append(callback) }
        default: if let id = message.answeredID { earlyAnswers.insert(id) }
        }
      case .violation(let violation): throw Trouble(text: violation.text)
      case .ended(let how), .notStarted(let how): throw Trouble(text: "\(how), and \(what) was to come")
      }
    }
  }
}

extension SubjectMessage {
  /// What it answers; nil: nothing.
  fileprivate var answeredID: Int? {
    switch self {
    case .result(let answer): answer.id
    case .value(let id, _, _), .reached(let id, _): id
    case .hello, .ready, .ended, .callback, .note: nil
    }
  }
}

extension ReactionStep {
  /// nil: it has no answer.
  fileprivate var id: Int? {
    switch self {
    case .call(let call): call.id
    case .get(let id, _, _), .reach(let id): id
    case .hold, .answer: nil
    }
  }
}

extension Callback {
  /// Callbacks that some libraries make before the expected one: a question for a queue, or progress.
  fileprivate var isByTheWay: Bool {
    switch self {
    case .newSocketQueue, .didReadPartial, .didWritePartial: true
    default: false
    }
  }

  /// With what it says, for a sentence.
  fileprivate var told: String {
    switch self {
    case .didConnect(let host, let port): "didConnect to \(VisibleText.clipped(host, to: 60)), port \(port)"
    case .didConnectToURL(let path): "didConnectToURL of \(VisibleText.clipped(path, to: 100))"
    case .didAccept(let child): "didAccept of `\(VisibleText.clipped(child, to: 60))`"
    case .didRead(let bytes, let tag):
      "didRead of tag \(tag) with \(VisibleText.preview(bytes, total: bytes.count, limit: 60))"
    case .didWrite(let tag): "didWrite of tag \(tag)"
    case .didDisconnect(let error?):
      "didDisconnect with the error "
        + VisibleText.clipped(error.domain == .other ? error.message : error.name, to: 160)
    case .didDisconnect(nil): "didDisconnect without an error"
    default: kind.rawValue
    }
  }
}

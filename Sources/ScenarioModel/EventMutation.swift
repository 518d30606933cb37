/// A derived mutant: one falsification of what a subject shows, made while a case runs and without a build. A subject
/// that shows the world this instead of that breaks the requirements that name the mutation.
///
/// ```
/// lose didRead of length fin        a didRead of a read to a length, behind the peer's FIN, does not come
/// invent didWrite after write of graceful
/// misread isSecure of ended
/// exchange didDisconnect of ECONNRESET reset
/// ```
package struct EventMutation: Hashable, Sendable {
  /// What is done to the event.
  package enum Operator: String, CaseIterable, Sendable {
    /// It does not come.
    case lose
    /// It comes twice.
    case `repeat`
    /// It comes half a minute late.
    case delay
    /// It comes behind the socket's next callback.
    case postpone
    /// Its tag is another one.
    case mistag
    /// One of its bytes is another one.
    case corrupt
    /// Its last byte is missing.
    case shorten
    /// It carries no bytes, or counts none.
    case empty
    /// It counts one too many: of bytes, or of a path's or port's.
    case miscount
    /// It names another host, path or child.
    case misname
    /// It has no error although it should.
    case excuse
    /// It has an error although it should have none.
    case blame
    /// It has another error.
    case exchange
    /// It goes to another delegate.
    case misdirect
    /// It comes on another run loop.
    case displace
    /// It comes in another run-loop mode.
    case remode
    /// Another callback comes in front of it or behind it.
    case invent
    /// A call that succeeds is refused.
    case refuse
    /// A call that is refused succeeds.
    case accept
    /// A call that answers yes answers no, and the other way round.
    case reverse
    /// A property has another value.
    case misread
  }

  /// What is falsified.
  package enum Target: Hashable, Sendable {
    case callback(CallbackKind)
    /// A call, as scenario files name it.
    case call(String)
    case property(SubjectProperty)
    /// What a peer receives in clear.
    case received
    /// The end of the stream as a peer sees it.
    case fin
  }

  /// Under which circumstances; all that are named must hold.
  package enum Situation: String, CaseIterable, Sendable {
    // Of a read or write.
    case length, delimiter, anything, limited, buffered, overlapping, binary, void, small, large, timed, endless, zero,
      early
    // Of a socket: what was called, and what came of it.
    case fresh, started, asked, unasked, plain, graceful, connected, unconnected, idle, ended, again, secured, clear,
      handshaking, half, child, listener
    // Of the peer.
    case fin, reset, silent
    // Of an error.
    case timeout, overflow, closed, posix, lookup, ssl, config, parameter, other, none
    // Of the call: it was made inside a callback.
    case inside
    // Which class is judged.
    case gcd
    case runLoop = "run-loop"
  }

  /// What is done.
  package var operation: Operator
  /// To what.
  package var target: Target
  /// Of `invent`: which callback, and whether it comes in front of the target.
  package var invented: CallbackKind?
  /// Whether what is invented comes in front of the target, and not behind it.
  package var isInFront = false
  /// Under which circumstances.
  package var situations: [Situation] = []
  /// Of which error, by its name in scenario files; empty: of any, or of none.
  package var error = ""

  /// Reads the form above; throws a remark that says what is wrong.
  package init(_ text: String) throws(LabFailure) {
    var words = text.split(separator: " ").map(String.init)[...]
    let verbs = Operator.allCases.map(\.rawValue)
    guard let verb = words.popFirst(), let operation = Operator(rawValue: verb) else {
      throw LabFailure("it begins with none of \(verbs.joined(separator: ", "))")
    }
    self.operation = operation
    if operation == .invent {
      guard let name = words.popFirst(), let kind = CallbackKind(rawValue: name),
        let place = words.popFirst(),
        place == "before" || place == "after"
      else {
        throw LabFailure("write `invent CALLBACK after CALL` or `invent CALLBACK before CALLBACK`")
      }
      invented = kind
      isInFront = place == "before"
    }
    guard let name = words.popFirst(), let target = Target(name) else {
      throw LabFailure("it names no callback, call or property, neither `received` nor `fin`")
    }
    self.target = target
    guard !words.isEmpty else { return }
    guard words.popFirst() == "of", !words.isEmpty else {
      throw LabFailure("circumstances stand behind `of`")
    }
    for word in words {
      if let situation = Situation(rawValue: word) {
        situations.append(situation)
      } else if error.isEmpty, Self.isError(word) {
        error = word
      } else {
        throw LabFailure("`\(word)` is no circumstance")
      }
    }
  }

  /// In the form above.
  package var text: String {
    let invention = invented.map { " \($0.rawValue) \(isInFront ? "before" : "after")" } ?? ""
    let words = (error.isEmpty ? [] : [error]) + situations.map(\.rawValue)
    let circumstances = words.isEmpty ? "" : " of " + words.joined(separator: " ")
    return "\(operation.rawValue)\(invention) \(target.name)\(circumstances)"
  }

  private static func isError(_ word: String) -> Bool {
    ErrnoName.number(of: word) != nil || ErrnoName.lookupNumber(of: word) != nil || SSLErrorName.code(of: word) != nil
  }
}

extension EventMutation.Target {
  private static let calls: Set<String> = [
    "connect", "listen", "read", "write", "disconnect", "startTLS", "moveToRunLoop",
    "setRunLoopModes",
    "addRunLoopMode", "removeRunLoopMode", "disconnectAfterReading", "disconnectAfterWriting",
    "disconnectAfterReadingAndWriting", "release", "trust",
  ]

  fileprivate init?(_ name: String) {
    if let kind = CallbackKind(rawValue: name) {
      self = .callback(kind)
    } else if Self.calls.contains(name) {
      self = .call(name)
    } else if let property = SubjectProperty(rawValue: name) {
      self = .property(property)
    } else if name == "received" {
      self = .received
    } else if name == "fin" {
      self = .fin
    } else {
      return nil
    }
  }

  fileprivate var name: String {
    switch self {
    case .callback(let kind): kind.rawValue
    case .call(let name): name
    case .property(let property): property.rawValue
    case .received: "received"
    case .fin: "fin"
    }
  }
}

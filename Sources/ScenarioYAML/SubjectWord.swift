/// The words a subject step can begin with.
enum SubjectWord: String, CaseIterable {
  case connect, listen, read, write
  case disconnect, disconnectAfterReading, disconnectAfterWriting, disconnectAfterReadingAndWriting
  case startTLS, trust, delegate, delegateQueue, set, blockDelegateQueue, unblockDelegateQueue, perform, release
  case exhaustDescriptors, freeDescriptors
  case moveToRunLoop, setRunLoopModes, addRunLoopMode, removeRunLoopMode, enablePrebuffering, runMode
  case check, wait, after, reach, `repeat`, hold, answer

  /// Whether the step is a call on a socket, or a look at one.
  var isOnSocket: Bool {
    switch self {
    case .wait, .after, .reach, .repeat, .hold, .answer: false
    default: true
    }
  }

  /// Whether the word alone is a whole step.
  var standsAlone: Bool {
    switch self {
    case .connect, .listen, .read, .release, .startTLS, .blockDelegateQueue, .unblockDelegateQueue: true
    case .disconnect, .disconnectAfterReading, .disconnectAfterWriting, .disconnectAfterReadingAndWriting: true
    case .exhaustDescriptors, .freeDescriptors, .enablePrebuffering: true
    default: false
    }
  }

  /// Whether the word takes nothing at all behind it.
  var isBare: Bool { standsAlone && ![.connect, .listen, .read, .startTLS].contains(self) }

  /// An example of its use, for messages.
  var example: String {
    switch self {
    case .write: "`write: \"text\"`"
    case .delegate, .delegateQueue: "`\(rawValue): NAME` or `\(rawValue): none`"
    case .set: "`set: { ipv6Enabled: false }`"
    case .perform: "`perform: [disconnect]`"
    case .check: "`check: { isConnected: true }`"
    case .trust: "`trust: true` or `trust: false`"
    case .moveToRunLoop: "`moveToRunLoop: worker` or `moveToRunLoop: none`"
    case .setRunLoopModes: "`setRunLoopModes: [default, private]`"
    case .addRunLoopMode, .removeRunLoopMode: "`\(rawValue): private`"
    case .runMode: "`runMode: { mode: private, for: 500ms }`"
    case .wait, .hold, .answer: "`\(rawValue): 20ms`"
    case .after: "`after: POINT` or `after: didConnect`"
    case .reach: "`reach: POINT`"
    case .repeat: "`repeat: { times: 3, steps: [...] }`"
    default: "`\(rawValue)` without a colon, or `\(rawValue): { … }`"
    }
  }
}

/// The words a peer step can begin with.
enum PeerWord: String, CaseIterable {
  case accept, refuse, blackhole, connect, send, sendUrgent, drip, expect, expectEnd, expectSilence, echo
  case finish, close, reset, shutdownRead, stall, drain, stopListening, listenAgain, wait, after, reach, `repeat`
  case tls, expectTLS, expectAlert, expectKeyUpdate, closeNotify, truncate, keyUpdate, tickets, alert, record, raw

  /// Whether the word alone is a whole step.
  var standsAlone: Bool { isBare || [.connect, .echo, .drain, .tls, .keyUpdate].contains(self) }

  /// Whether the word takes nothing at all behind it.
  var isBare: Bool {
    switch self {
    case .accept, .refuse, .blackhole, .finish, .close, .reset, .shutdownRead, .stall, .stopListening, .listenAgain,
      .closeNotify, .truncate, .expectKeyUpdate:
      true
    default: false
    }
  }

  /// An example of its use, for messages.
  var example: String {
    switch self {
    case .send, .expect, .raw: "`\(rawValue): \"text\"`"
    case .sendUrgent: "`sendUrgent: 0x21`"
    case .drip: "`drip: { bytes: \"text\", chunk: 1B, every: 20ms }`"
    case .expectEnd: "`expectEnd: fin`"
    case .expectTLS: "`expectTLS: { version: tls1.3 }`"
    case .expectAlert: "`expectAlert: close_notify`"
    case .tickets: "`tickets: 2`"
    case .alert: "`alert: { level: fatal, description: handshake_failure }`"
    case .record: "`record: { type: handshake, bytes: \"text\" }`"
    case .expectSilence: "`expectSilence: 100ms`"
    case .wait: "`wait: 20ms`"
    case .after: "`after: POINT`"
    case .reach: "`reach: POINT`"
    case .repeat: "`repeat: { times: 3, steps: [...] }`"
    default: "`\(rawValue)` without a colon"
    }
  }
}

/// A timeout or an extension as the API takes it: seconds, negative for never, and the absurd values on purpose.
package struct TimeoutValue: Hashable, Sendable, Codable {
  /// Seconds; may be negative, NaN or infinite.
  package var seconds: Double

  package init(seconds: Double) { self.seconds = seconds }

  /// NaN is NaN here: a scenario that has it equals itself.
  package static func == (one: TimeoutValue, other: TimeoutValue) -> Bool {
    one.seconds == other.seconds || one.seconds.isNaN && other.seconds.isNaN
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(seconds.isNaN ? .nan : seconds) }

  /// Any negative number of seconds means never; this is -1.
  package static let never = TimeoutValue(seconds: -1)
}

/// A call on a subject socket. Every command is one API call of the library.
package indirect enum SubjectCommand: Hashable, Sendable, Codable {
  case connect(ConnectCommand)
  case listen(ListenCommand)
  case read(ReadCommand)
  case write(WriteCommand)
  case disconnect
  case disconnectAfterReading
  case disconnectAfterWriting
  case disconnectAfterReadingAndWriting
  case startTLS(TLSCommand)
  /// Calls the completion handler of the socket's newest didReceiveTrust; true: the peer is trusted.
  case answerTrust(Bool)
  /// Makes the delegate of this name (made on first use) the socket's delegate; nil: no delegate.
  case setDelegate(String?)
  /// Makes the serial queue of this name (made on first use) the delegate queue; nil: no delegate queue.
  case setDelegateQueue(String?)
  case set(SubjectSetting)
  /// Suspends the socket's current delegate queue: callbacks pile up behind it.
  case blockDelegateQueue
  case unblockDelegateQueue
  /// The process can open no more descriptors, until they are freed: neither connect nor listen nor accept.
  case exhaustDescriptors
  case freeDescriptors
  /// Runs the commands inside `perform(_:)`, in order.
  case perform([SubjectCommand])
  /// Drops the lab's only reference to the socket.
  case release
  /// What only the run-loop class offers.
  case runLoop(RunLoopCommand)
}

extension SubjectCommand {
  /// As scenario files name it.
  package var name: String {
    switch self {
    case .connect: "connect"
    case .listen: "listen"
    case .read: "read"
    case .write: "write"
    case .disconnect: "disconnect"
    case .disconnectAfterReading: "disconnectAfterReading"
    case .disconnectAfterWriting: "disconnectAfterWriting"
    case .disconnectAfterReadingAndWriting: "disconnectAfterReadingAndWriting"
    case .startTLS: "startTLS"
    case .answerTrust: "trust"
    case .setDelegate: "delegate"
    case .setDelegateQueue: "delegateQueue"
    case .set: "set"
    case .blockDelegateQueue: "blockDelegateQueue"
    case .unblockDelegateQueue: "unblockDelegateQueue"
    case .exhaustDescriptors: "exhaustDescriptors"
    case .freeDescriptors: "freeDescriptors"
    case .perform: "perform"
    case .release: "release"
    case .runLoop(let command): command.call.name
    }
  }
}

/// A call of one of the connect methods.
package struct ConnectCommand: Hashable, Sendable, Codable {
  /// Where to; each case is another method of the library.
  package enum Target: Hashable, Sendable, Codable {
    /// The address at which the named peer listens (its family decides which).
    case peer(String)
    /// A host name or numeric address, and a port.
    case host(String, port: PortReference)
    /// A raw sockaddr blob, possibly ill-formed.
    case address([UInt8])
    /// A Unix-domain socket path, possibly empty or missing.
    case path(String)
  }

  /// Where to.
  package var target: Target
  /// How long the connection may take.
  package var timeout: TimeoutValue
  /// The interface to connect through, as the library takes it (name or address); nil: none is passed.
  package var interface: String?

  package init(target: Target, timeout: TimeoutValue = .never, interface: String? = nil) {
    self.target = target
    self.timeout = timeout
    self.interface = interface
  }
}

/// A port, by its number or by who has it.
package enum PortReference: Hashable, Sendable, Codable {
  case number(UInt16)
  /// The port of the named peer.
  case peer(String)
  /// The port of the named listening subject socket.
  case listener(String)
}

/// A call of one of the accept methods.
package struct ListenCommand: Hashable, Sendable, Codable {
  /// Where to listen; each case is another method of the library.
  package enum Place: Hashable, Sendable, Codable {
    /// The address of the variant's family: any interface for ipv4 and ipv6, a fresh path for unix.
    case anywhere(port: ListenPort)
    case interface(String, port: ListenPort)
    /// A Unix-domain path below the case's own temporary folder.
    case path(String)
  }

  /// The port to listen on.
  package enum ListenPort: Hashable, Sendable, Codable {
    /// Port 0: the kernel chooses.
    case free
    case number(UInt16)
    /// The port the named socket or peer has (busy) or had (just freed).
    case of(String)
  }

  /// Where to listen.
  package var place: Place

  package init(place: Place) { self.place = place }
}

/// A call of one of the read methods.
package struct ReadCommand: Hashable, Sendable, Codable {
  /// When the read is complete; byte counts.
  package enum Boundary: Hashable, Sendable, Codable {
    /// Whatever is there, at most `limit` bytes (0: no limit).
    case available(limit: Int)
    case exactly(Int)
    /// Up to and including the delimiter, at most `limit` bytes (0: no limit).
    case through(Payload, limit: Int)
  }

  /// The caller's buffer: `size` bytes of `fill`, read into from `offset` on. A size of nil passes no buffer.
  package struct Buffer: Hashable, Sendable, Codable {
    /// Reads that name the same buffer share one object.
    package var name: String
    /// Its length in bytes before the read; nil: no buffer is passed.
    package var size: Int?
    /// In bytes; where the read begins to store.
    package var offset: Int
    /// The byte it is filled with before the read.
    package var fill: UInt8

    package init(name: String, size: Int?, offset: Int, fill: UInt8) {
      self.name = name
      self.size = size
      self.offset = offset
      self.fill = fill
    }
  }

  /// When the read is complete.
  package var boundary: Boundary
  /// How long it may take once it is under way.
  package var timeout: TimeoutValue
  /// Handed back by the read's callbacks.
  package var tag: Int
  /// nil: the library makes a buffer.
  package var buffer: Buffer?

  package init(boundary: Boundary, timeout: TimeoutValue = .never, tag: Int = 0, buffer: Buffer? = nil) {
    self.boundary = boundary
    self.timeout = timeout
    self.tag = tag
    self.buffer = buffer
  }
}

/// A call of `write`.
package struct WriteCommand: Hashable, Sendable, Codable {
  /// What is written.
  package var payload: Payload
  /// How long it may take once it is under way.
  package var timeout: TimeoutValue
  /// Handed back by the write's callbacks.
  package var tag: Int

  package init(payload: Payload, timeout: TimeoutValue = .never, tag: Int = 0) {
    self.payload = payload
    self.timeout = timeout
    self.tag = tag
  }
}

/// A property of the socket and the value to give it.
package enum SubjectSetting: Hashable, Sendable, Codable {
  case ipv4Enabled(Bool)
  case ipv6Enabled(Bool)
  case ipv4Preferred(Bool)
  case autoDisconnectOnClosedReadStream(Bool)
  /// Seconds.
  case alternateAddressDelay(Double)
  case notifiesDisconnectBeforeReturning(Bool)
  case userData(String?)
  /// The run-loop class's user data is a number.
  case userNumber(Int)
  /// Whole seconds: the option SO_KEEPALIVE of the connection's descriptor, set inside `perform`. The time without
  /// input after which the peer is probed, and the time that it has to answer.
  case keepAlive(Double)
  /// Seconds: the option TCP_USER_TIMEOUT of the connection's descriptor, set inside `perform`. The longest time that
  /// bytes may stay unacknowledged.
  case userTimeout(Double)
  /// Whole seconds: the option SO_LINGER of the connection's descriptor, set inside `perform`. The longest time that
  /// `close` waits until the peer has everything; with 0 it resets the connection.
  case linger(Double)
}

/// A property that a `check` step reads.
package enum SubjectProperty: String, CaseIterable, Hashable, Sendable, Codable {
  case isConnected, isDisconnected, isSecure, isIPv4, isIPv6, connectedHost, connectedPort, localHost, localPort
  case connectedURL, connectedAddress, localAddress, ipv4Enabled, ipv6Enabled, ipv4Preferred
  case autoDisconnectOnClosedReadStream, alternateAddressDelay, userData, progressOfRead, progressOfWrite
  /// What the peer has shown: the name of a certificate of the lab's.
  case peerCertificate
  /// Of the run-loop class.
  case unreadData, canSafelySetDelegate, runLoopModes, description
  /// The caller's buffer, see `ReadCommand.Buffer`: `buffer.NAME` in a file.
  case buffer
}

/// A property's value as the lab compares it.
package enum PropertyValue: Hashable, Sendable, Codable {
  case none
  case flag(Bool)
  case number(Double)
  case text(String)
  case bytes([UInt8])
  /// Of run-loop modes; their order says nothing, so they are sorted (`modes`).
  case names([String])
  /// For progress: tag, bytes done, total bytes, fraction (NaN when nothing is active).
  case progress(tag: Int, done: Int, total: Int, fraction: Double)
}

extension PropertyValue {
  /// Run-loop modes as a value.
  package static func modes(_ names: [String]) -> PropertyValue { .names(Set(names).sorted()) }
}

/// What a `check` expects of one property.
package struct PropertyCheck: Hashable, Sendable, Codable {
  /// What the property must be.
  package enum Expected: Hashable, Sendable, Codable {
    case value(PropertyValue)
    /// These bytes, in their author's form: a buffer may be large where its description is short.
    case payload(Payload)
    /// Anything but none, 0, false or empty.
    case present
    /// The port of the named peer or socket.
    case port(PortReference)
    /// A text in which each of these occurs.
    case mentions([String])
    /// For progress: each part is compared only if given.
    case progress(tag: Int?, done: ClosedRange<Int>?, total: Int?, active: Bool)
  }

  /// The property that is read.
  package var property: SubjectProperty
  /// The buffer's name when `property` is `.buffer`.
  package var name: String?
  /// What it must be.
  package var expected: Expected
  /// Where the check stands in the file.
  package var position: SourcePosition

  package init(property: SubjectProperty, name: String? = nil, expected: Expected, position: SourcePosition) {
    self.property = property
    self.name = name
    self.expected = expected
    self.position = position
  }
}

/// One step of a subject lane, or of a reaction inside a callback.
package enum SubjectStep: Hashable, Sendable, Codable {
  /// `refusal`: the call must throw an error like this; nil: it must succeed.
  case command(SubjectCommand, socket: String, refusal: ErrorPattern?)
  case check([PropertyCheck], socket: String)
  case wait(Duration)
  /// Waits until the moment has come (or passes at once if it has).
  case after(SyncPoint)
  /// Announces the named point to all lanes.
  case reach(String)
  case repeated(times: Int, steps: [LocatedStep])
  /// In the lane of the network only.
  case network(NetworkAction)
  /// Reactions only: keeps the callback, and so its delegate queue, busy.
  case hold(Duration)
  /// Reactions to shouldTimeoutRead and shouldTimeoutWrite only: the extension to return.
  case answer(TimeoutValue)
  /// Reactions to willConnect and wantsRunLoop only: what to return.
  case decide(Decision)

  /// What a delegate returns to the run-loop class.
  package enum Decision: Hashable, Sendable, Codable {
    /// To willConnect: whether the connection shall be made.
    case connect(Bool)
    /// To wantsRunLoop: the lab's name of the loop that the child shall live on; nil: none is named.
    case runLoop(String?)
  }
}

/// A subject step and where it stands; a struct of its own because steps nest.
package struct LocatedStep: Hashable, Sendable, Codable {
  /// What is done.
  package var step: SubjectStep
  /// Where the step stands in the file.
  package var position: SourcePosition

  package init(_ step: SubjectStep, at position: SourcePosition) {
    self.step = step
    self.position = position
  }
}

/// Something lanes can wait for.
package enum SyncPoint: Hashable, Sendable, Codable {
  /// A point that some lane announces with `reach`.
  case point(String)
  /// The `occurrence`-th (from 1) callback of the socket that fits the pattern.
  case callback(CallbackPattern, socket: String, occurrence: Int)
}

/// Steps to run inside a callback, synchronously, on the delegate queue.
package struct Reaction: Hashable, Sendable, Codable {
  /// The callbacks in which the steps run.
  package var pattern: CallbackPattern
  /// The lab's name of the socket; nil: any socket.
  package var socket: String?
  /// How often it applies; nil: every time.
  package var times: Int?
  /// Whether the case is as expected, too, when no such callback comes.
  package var isOptional: Bool
  /// What a variant has made copies of has the same number in each copy: they are used up together, and are one to the
  /// judge. nil: there is no copy.
  package var origin: Int?
  /// In the order in which they are taken; the callback returns after the last one.
  package var steps: [LocatedStep]
  /// Where the reaction stands in the file.
  package var position: SourcePosition

  package init(
    pattern: CallbackPattern, socket: String?, times: Int?, isOptional: Bool = false, steps: [LocatedStep],
    position: SourcePosition
  ) {
    self.pattern = pattern
    self.socket = socket
    self.times = times
    self.isOptional = isOptional
    self.steps = steps
    self.position = position
  }
}

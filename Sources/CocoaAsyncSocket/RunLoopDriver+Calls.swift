import Foundation
import SocketCore
import SocketPOSIX
import SocketRunLoop
import SocketTLS
import SocketValues

// The class's calls.
extension RunLoopDriver {
  // MARK: Starting

  /// Asks the delegate first (CON-41), unless there is nowhere to connect to (CON-04).
  func connect(hasPlace: Bool, _ body: (RunLoopDriver) throws -> Void) throws {
    let target = look { () -> (Delegate, AsyncSocket)? in
      guard hasPlace, isFree, !startQuestion.isOpen, let delegate, let socket else { return nil }
      startQuestion.open()
      isAskedAboutStart.store(true, ordering: .relaxed)
      return (delegate, socket)
    }
    guard let (delegate, socket) = target else { return try body(self) }
    let mayConnect = delegate.onSocketWillConnect(socket)
    let answer = look {
      isAskedAboutStart.store(false, ordering: .relaxed)
      return startQuestion.close(mayConnect: mayConnect)
    }
    guard answer.mayStart else { throw AsyncSocketError.canceled }
    try body(self)
    for call in answer.putOff { call() }
  }

  /// Puts a call off until the start that the delegate is asked about. False: the question is over.
  private func putOff(_ call: @escaping () -> Void) -> Bool { look { startQuestion.putOff(call) } }

  private var isAsked: Bool { isAskedAboutStart.load(ordering: .relaxed) }

  /// Throws for a misuse before the arguments are looked at, some of which take long to find out about.
  private func refuseMisuse() throws {
    let failure = look { () -> SocketFailure? in
      do throws(SocketFailure) {
        try machine.checkStart(startContext, needsFamily: false)
        return nil
      } catch { return error }
    }
    if let failure { throw failure.runLoopError(toAddress: true) ?? failure.error }
  }

  func connect(toRaw remote: Data, from local: Data?, withTimeout timeout: TimeInterval) throws {
    try refuseMisuse()
    let own = try local.map { local in
      guard let address = SocketAddress(decoding: Array(local)) else {
        throw AsyncSocketError.socket("The interface address is no sockaddr_in or sockaddr_in6.")
      }
      return address
    }
    try connect(hasPlace: SocketAddress(decoding: Array(remote)) != nil) { driver in
      if let own {
        try driver.connect(toAddress: remote, from: own, withTimeout: timeout)
      } else {
        try driver.connect(toAddress: remote, viaInterface: nil, withTimeout: timeout)
      }
      driver.look { driver.runLoopEngine.beganWithAddress() }
    }
  }

  /// Listens on an interface or address. Another name is resolved, which blocks, and listened on in each family that it
  /// has an address of (ACC-39).
  func listen(onInterface interface: String?, port: UInt16) throws {
    try refuseMisuse()
    if let name = interface, !name.isEmpty, try !isKnown(name) {
      switch look({ resolver }).resolve(name, port: port) {
      case .success(let addresses): return try accept(resolved: addresses)
      case .failure(let failure):
        throw SocketFailure.lookup(code: failure.code, message: failure.message).error
      }
    }
    try accept(onInterface: interface, port: port)
  }

  private func isKnown(_ interface: String) throws -> Bool {
    do {
      return try InterfaceSpec.addresses(for: interface, port: 0, interfaces: Self.interfaces) != nil
    } catch { throw error.error }
  }

  // MARK: Reading and writing

  func read(_ request: ReadRequest?) {
    guard let request else { return }
    if isAsked, putOff({ [self] in read(request) }) { return }
    enterToQueue { runLoopEngine.read(request, mayWait: $0, isInCallback: $0 || isInCallback) }
  }

  func read(through delimiter: Data, limit: Int, timeout: Double, tag: Int, _ destination: CallerBuffer?) {
    if isAsked,
      putOff({ [self] in read(through: delimiter, limit: limit, timeout: timeout, tag: tag, destination) })
    {
      return
    }
    enterToQueue { mayWait in
      guard let delimiter = known(delimiter),
        let request = ReadRequest.through(
          delimiter, limit: limit, timeout: timeout, tag: tag, destination: destination)
      else { return true }
      return runLoopEngine.read(request, mayWait: mayWait, isInCallback: mayWait)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, timeout: Double, tag: Int) {
    guard let request = WriteRequest(bytes: ByteBlock(copying: bytes), timeout: timeout, tag: tag) else { return }
    write(request)
  }

  private func write(_ request: WriteRequest) {
    if isAsked, putOff({ [self] in write(request) }) { return }
    enterToQueue { engine.write(request, mayWait: $0) }
  }

  func startTLS(_ settings: [AnyHashable: Any]?) {
    var dictionary: [String: NSObject] = [:]
    for (key, value) in settings ?? [:] {
      // This class has nobody to ask about trust: the chain is checked.
      guard let key = key as? String, key != GCDAsyncSocketManuallyEvaluateTrust else { continue }
      // Core Foundation's null for the name means: check none, which is what happens without one.
      if key == kCFStreamSSLPeerName || key == "GCDAsyncSocketSSLPeerName", value is NSNull { continue }
      dictionary[key] = value as? NSObject ?? Self.object(value)
    }
    startTLS(TLSSettings.sessionMaker(dictionary))
  }

  private func startTLS(_ makeSession: @escaping StreamMachine.SessionMaker) {
    if isAsked, putOff({ [self] in startTLS(makeSession) }) { return }
    enter { engine.startTLS(makeSession) }
  }

  /// A Swift value as the object that the dictionary of the original holds; of another type: one of no key's.
  private static func object(_ value: Any) -> NSObject {
    switch value {
    case let flag as Bool: NSNumber(value: flag)
    // Of any width: Apple's constants are 16 or 32 bits wide.
    case let number as any BinaryInteger: NSNumber(value: Int64(clamping: number))
    case let text as String: NSString(string: text)
    case let list as [Any]: NSArray(array: list)
    case let data as Data: NSData(data: data)
    case let date as Date: NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
    default: NSNull()
    }
  }

  // MARK: Disconnecting

  /// Closes at once; on the socket's run loop didDisconnect has come when the call returns (DIS-02).
  func disconnect() {
    lock.lock()
    runLoopEngine.beginCall(mayDeliver: mayDeliver)
    exchangeBeforeEnd()
    settle()
    startQuestion.disconnect()
    runLoopEngine.disconnect()
    settle()
    leaveEndedThread()
    if mayDeliver { deliver() } else if runLoopEngine.hasEvents { requestTurn() }
    detachIfIdle()
    unlock()
  }

  /// Whether the socket could start.
  var isFree: Bool { runLoopEngine.isFree || hasLostThread }

  /// Whether it is disconnected, and the thread is over that was to tell of the end.
  private var hasLostThread: Bool { machine.isDisconnected && attachment?.hasEnded == true }

  /// Leaves a run loop whose thread is over once the socket is disconnected: nobody is left there who may tell of the
  /// end (THR-16), and the socket can be started again. The thread may end after the call that disconnected it, so
  /// starts ask, too.
  func leaveEndedThread() {
    guard hasLostThread else { return }
    runLoopEngine.abandon()
    if let attachment { hold(attachment) }
    self.attachment = nil
    runLoopEngine.attached(to: nil)
    isTurnRequested = false
  }

  func disconnect(afterReads reads: Bool, afterWrites writes: Bool) {
    if isAsked, putOff({ [self] in disconnect(afterReads: reads, afterWrites: writes) }) { return }
    enter { engine.disconnect(afterReads: reads, afterWrites: writes) }
  }

  // MARK: Diagnostics

  var remote: SocketAddress? { machine.isConnected ? addresses.remote : nil }

  var local: SocketAddress? { machine.isConnected ? addresses.local : localAddress }

  /// One line about the state (DIAG-10).
  var text: String { look { machine.description(remote: remote, local: local) } }

  // MARK: Run loops and modes

  /// Takes a place on the run loop, in place of the present one, with everything that is watched. A failure leaves the
  /// socket where it was.
  func attach(to runLoop: RunLoop) throws(SocketFailure) {
    let former = attachment
    var made: RunLoopAttachment?
    do throws(SystemCallFailure) {
      let place = try RunLoopAttachment(self, to: runLoop, modes: modes)
      made = place
      // A mode that both places have watches a descriptor once.
      for watched in watched { former?.unwatch(watched.number) }
      try watchAll(from: place)
      attachment = place
      runLoopEngine.attached(to: runLoop)
      // A callback that is under way may keep the former place, and run its modes.
      former?.detach()
      isTurnRequested = false
      place.setDeadline(engine.armedDeadline)
      if !machine.isDisconnected || runLoopEngine.hasEvents { requestTurn() }
    } catch {
      if let former, let made {
        for watched in watched { made.unwatch(watched.number) }
        try? watchAll(from: former)
      }
      throw SocketFailure(error)
    }
  }

  private func watchAll(from place: RunLoopAttachment) throws(SystemCallFailure) {
    for (number, part) in watched {
      let interest: Readiness = part == .listener ? [.readable] : [.readable, .writable]
      try place.watch(number, key: key(part), interest: interest)
    }
  }

  /// The descriptors that are watched now.
  private var watched: [(number: Int32, part: WatchedPart)] {
    var watched: [(number: Int32, part: WatchedPart)] = []
    if let stream, !engine.isInactive { watched.append((stream.number, .stream)) }
    for (attempt, open) in attempts { watched.append((open.number, attempt.index == 0 ? .preferred : .alternate)) }
    for listener in listeners { watched.append((listener.number, .listener)) }
    return watched
  }

  /// A socket that has nothing to wait for has no place on a run loop, which then may have nothing to wait for either.
  func detachIfIdle() {
    guard runLoopEngine.isIdle else { return }
    attachment = nil
    runLoopEngine.attached(to: nil)
    isTurnRequested = false
  }

  func move(to runLoop: RunLoop?) -> Bool {
    guard let runLoop else { return false }
    if isAsked, putOff({ [self] in _ = move(to: runLoop) }) { return true }
    return enter {
      // An accepted child does not work anywhere yet.
      if attachment == nil, engine.isInactive { wantedRunLoop = runLoop }
      guard let attachment, attachment.runLoop !== runLoop else { return true }
      do {
        try attach(to: runLoop)
        return true
      } catch {
        return false
      }
    }
  }

  /// Replaces the modes by others, which are made of the present ones while nobody else can change them; a mode that is
  /// named twice counts once. False: there would be none, or they can't be had; then they stay (RL-20, RL-21).
  func changeModes(_ change: ([RunLoop.Mode]) -> [RunLoop.Mode]) -> Bool {
    enter {
      let former = modes
      var known: Set<RunLoop.Mode> = []
      let wanted = change(former).filter { known.insert($0).inserted }
      guard !wanted.isEmpty else { return false }
      guard known != Set(former) else { return true }
      modes = wanted
      guard let attachment else { return true }
      do {
        try attach(to: attachment.runLoop)
        return true
      } catch {
        modes = former
        return false
      }
    }
  }
}

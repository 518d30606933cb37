import Dispatch
import Foundation
import SocketCore
import SocketPOSIX

extension DescriptorDriver {
  /// Carries out a command of the machine.
  func carryOut(_ command: SocketCommand) {
    switch command {
    case .lookUp(let lookup, let host, let port): lookUp(lookup, host, port)
    case .forgetLookup(let lookup): forget(lookup)
    case .attempt(let attempt, let remote, let local):
      if let failure = prepare(attempt, remote: RawAddress(remote), local: local.map(RawAddress.init)) {
        engine.attemptFailed(attempt, failure)
      } else {
        launch(attempt, to: RawAddress(remote))
      }
    case .retry(let attempt, let remote):
      launch(attempt, to: remote.map(RawAddress.init) ?? connectedPath.flatMap(RawAddress.unix))
    case .abandon(let attempt): discard(attempt)
    case .establish(let attempt): establish(attempt)
    case .close(let manner, let finalBytes): close(manner, finalBytes: finalBytes)
    }
  }

  // MARK: Attempts

  /// Opens and binds the attempt's socket; a failure leaves nothing open (CON-27).
  func prepare(_ attempt: AttemptID, remote: RawAddress?, local: RawAddress?) -> SocketFailure? {
    guard let remote else { return .badParam("The address can't be used.") }
    do {
      let descriptor = try SocketCall.open(family: remote.family)
      try DescriptorReserve.spare(descriptor.rawValue)
      if let local {
        try SocketCall.setReuseAddress(descriptor.rawValue)
        try SocketCall.bind(descriptor.rawValue, to: local)
      }
      applyNoDelay(to: descriptor.rawValue, remote)
      let open = OpenSocket(descriptor)
      open.hasNamedPort = local.map { $0.port != 0 } ?? false
      attempts[attempt] = open
      return nil
    } catch {
      return SocketFailure(error)
    }
  }

  /// Starts to connect. An immediate result, as on the loopback, is not reported at once
  /// (`SocketEngine.Service.Manner.behindCaller`).
  func launch(_ attempt: AttemptID, to remote: RawAddress?) {
    guard let remote, let open = attempts[attempt] else { return }
    do {
      if try SocketCall.startConnect(open.number, to: remote) {
        succeed(attempt, peer: SocketCall.peerAddress(open.number) ?? remote)
      } else {
        try watch(open.number, key: key(attempt.index == 0 ? .preferred : .alternate))
      }
    } catch {
      // The backlog of a Unix-domain listener is full, and no readiness says when that ends.
      if error.code == EAGAIN { return machine.attemptMustRetry(attempt, now: Self.now) }
      discard(attempt)
      engine.attemptFailed(attempt, SocketFailure(error))
    }
  }

  /// Readiness was signalled for the attempt with this index.
  func checkAttempt(index: Int) {
    let attempt = AttemptID(generation: machine.generation, index: index)
    guard machine.isRunning(attempt), let open = attempts[attempt] else { return }
    if let failure = SocketFailure.pending(SocketCall.pendingError(open.number), call: "connect") {
      discard(attempt)
      engine.attemptFailed(attempt, failure)
    } else if let peer = SocketCall.peerAddress(open.number) {
      succeed(attempt, peer: peer)
    }
  }

  /// A deadline has passed: an attempt that is connected by now wins over it (CON-10).
  func checkAttempts() {
    guard !attempts.isEmpty, let deadline = machine.nextDeadline, deadline <= Self.now else { return }
    for attempt in attempts.keys.sorted(by: { $0.index < $1.index }) { checkAttempt(index: attempt.index) }
  }

  private func succeed(_ attempt: AttemptID, peer: RawAddress) {
    if hasMetItself(attempt, peer) {
      discard(attempt)
      return engine.attemptFailed(attempt, .posix(code: ECONNREFUSED, call: "connect"))
    }
    attempts[attempt]?.peer = peer
    if let connectedPath {
      machine.attemptSucceeded(attempt, announcing: .didConnectToPath(connectedPath))
    } else if let address = peer.ip {
      machine.attemptSucceeded(attempt, announcing: .didConnect(address))
    }
  }

  /// Whether the attempt is connected with itself: to reach a port of this host on which nobody listens, the kernel may
  /// choose just that port as the attempt's own, and TCP takes that for two ends that connect at once. A user who names
  /// the port means it.
  private func hasMetItself(_ attempt: AttemptID, _ peer: RawAddress) -> Bool {
    guard let open = attempts[attempt], !open.hasNamedPort, peer.family != AF_UNIX else { return false }
    return SocketCall.localAddress(open.number) == peer
  }

  private func discard(_ attempt: AttemptID) {
    guard let open = attempts.removeValue(forKey: attempt) else { return }
    unwatch(open.number)
    open.close()
  }

  private func establish(_ attempt: AttemptID) {
    guard let open = attempts.removeValue(forKey: attempt) else { return }
    unwatch(open.number)
    stream = open
    engine.connectionIsEstablished()
  }

  // MARK: The connection

  /// Has the loop report the connection's readiness.
  func watchStream() {
    guard let stream else { return }
    do {
      try watch(stream.number, key: key(.stream))
      engine.connectionIsWatched()
    } catch {
      machine.disconnect(because: SocketFailure(error))
    }
  }

  private func close(_ manner: CloseManner, finalBytes: [UInt8]) {
    if let open = stream {
      stream = nil
      connectedPath = nil
      if !engine.isInactive { unwatch(open.number) }
      switch manner {
      case .immediate: open.close()
      case .secured:
        LingeringClose.begin(open, finalBytes: finalBytes, maxInput: LingerLimit.ownInput)
      case .graceful: LingeringClose.begin(open, finalBytes: finalBytes)
      }
    }
    engine.connectionIsClosed()
    closeListeners()
  }
}

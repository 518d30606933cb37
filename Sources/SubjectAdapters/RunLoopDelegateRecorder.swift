import CocoaAsyncSocket
import Foundation
import ScenarioModel
import SocketPOSIX
import SubjectSecurity

/// A delegate of the run-loop class with a name: writes every callback down with the run loop and the mode it comes in,
/// then runs the scenario's reaction to it before it returns.
///
/// An end is recorded in the terms of the other class: didDisconnect has the error of the willDisconnect before it, and
/// the peer's orderly end is an error of its own domain (`SubjectError.Domain.remoteEnd`).
final class RunLoopDelegateRecorder: AsyncSocketDelegate, Sendable {
  private let name: String
  private let stage: SubjectStage
  /// What willDisconnect said, by the socket's name, until its didDisconnect.
  private let announced = LockedValue<[String: SubjectError]>([:])

  init(name: String, stage: SubjectStage) {
    self.name = name
    self.stage = stage
  }

  @discardableResult
  private func record(_ callback: Callback, of socket: AsyncSocket) -> SubjectStage.ReactionAnswer {
    let mode = RunLoop.current.currentMode ?? .default
    return stage.deliver(
      DeliveredCallback(
        socket: stage.name(of: socket), delegate: name, callback: callback, runLoop: LabRunLoop.currentName,
        mode: LabRunLoop.name(of: mode)))
  }

  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: (any Error)?) {
    let error = err.map { SubjectError($0) }
    let end = error ?? .remoteEnd
    announced.withLock { $0[stage.name(of: sock)] = end }
    record(.willDisconnect(error), of: sock)
  }

  func onSocketDidDisconnect(_ sock: AsyncSocket) {
    let end = announced.withLock { $0.removeValue(forKey: stage.name(of: sock)) }
    record(.didDisconnect(end), of: sock)
  }

  func onSocket(_ sock: AsyncSocket, didAcceptNewSocket newSocket: AsyncSocket) {
    let child = stage.adopt(child: .runLoop(newSocket), of: stage.name(of: sock))
    record(.didAccept(child: child), of: sock)
  }

  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop? {
    let answer = record(.wantsRunLoop, of: sock)
    guard case .runLoop(let loop?)? = answer.decision else { return nil }
    return stage.settle(newSocket, on: loop)
  }

  func onSocketWillConnect(_ sock: AsyncSocket) -> Bool {
    if case .connect(let mayConnect)? = record(.willConnect, of: sock).decision { return mayConnect }
    return true
  }

  func onSocket(_ sock: AsyncSocket, didConnectToHost host: String, port: UInt16) {
    record(.didConnect(host: host, port: port), of: sock)
  }

  func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) {
    record(.didRead(bytes: Array(data), tag: tag), of: sock)
  }

  func onSocket(_ sock: AsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    record(.didReadPartial(count: Int(clamping: partialLength), tag: tag), of: sock)
  }

  func onSocket(_ sock: AsyncSocket, didWriteDataWithTag tag: Int) { record(.didWrite(tag: tag), of: sock) }

  func onSocket(_ sock: AsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    record(.didWritePartial(count: Int(clamping: partialLength), tag: tag), of: sock)
  }

  func onSocket(
    _ sock: AsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    let callback = Callback.shouldTimeoutRead(tag: tag, elapsed: elapsed, bytesDone: Int(clamping: length))
    return record(callback, of: sock).timeout?.seconds ?? 0
  }

  func onSocket(
    _ sock: AsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    let callback = Callback.shouldTimeoutWrite(tag: tag, elapsed: elapsed, bytesDone: Int(clamping: length))
    return record(callback, of: sock).timeout?.seconds ?? 0
  }

  func onSocketDidSecure(_ sock: AsyncSocket) { record(.didSecure, of: sock) }
}

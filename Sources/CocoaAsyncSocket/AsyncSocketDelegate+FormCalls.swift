// Made by `./lab tidy --update` from the delegate's protocol.

import Foundation

/// Each function calls the form with marks that the class has of a method. Those that take nil come first, and
/// others are not called without socket or data.
extension AsyncSocketDelegate {
  func onSocket(marked sock: AsyncSocket?, willDisconnectWithError err: (any Error)?) {
    if answers(.willDisconnect, onSocket(sock, willDisconnectWithError: err)) { return }
    if answers(forms2.onSocket(sock, willDisconnectWithError: err)) { return }
    if answers(forms1.onSocket(sock, willDisconnectWithError: err)) { return }
    if answers(forms0.onSocket(sock, willDisconnectWithError: err)) { return }
    if answers(forms3.onSocket(sock, willDisconnectWithError: err as NSError?)) { return }
    if answers(forms2.onSocket(sock, willDisconnectWithError: err as NSError?)) { return }
    if answers(forms1.onSocket(sock, willDisconnectWithError: err as NSError?)) { return }
    if answers(forms0.onSocket(sock, willDisconnectWithError: err as NSError?)) { return }
    if answers(forms1.onSocket(sock, willDisconnectWithError: known(err))) { return }
    if answers(forms0.onSocket(sock, willDisconnectWithError: known(err))) { return }
    if answers(forms1.onSocket(sock, willDisconnectWithError: known(err) as NSError)) { return }
    if answers(forms0.onSocket(sock, willDisconnectWithError: known(err) as NSError)) { return }
    guard sock != nil else { return }
    if answers(forms1.onSocket(sock!, willDisconnectWithError: err)) { return }
    if answers(forms1.onSocket(sock!, willDisconnectWithError: err as NSError?)) { return }
    if answers(forms0.onSocket(sock!, willDisconnectWithError: err as NSError?)) { return }
    if answers(forms0.onSocket(sock!, willDisconnectWithError: known(err))) { return }
    if answers(forms0.onSocket(sock!, willDisconnectWithError: known(err) as NSError)) { return }
  }

  func onSocketDidDisconnect(marked sock: AsyncSocket?) {
    if answers(.didDisconnect, onSocketDidDisconnect(sock)) { return }
    if answers(forms0.onSocketDidDisconnect(sock)) { return }
  }

  func onSocket(marked sock: AsyncSocket?, didAcceptNewSocket newSocket: AsyncSocket?) {
    if answers(.didAccept, onSocket(sock, didAcceptNewSocket: newSocket)) { return }
    if answers(forms2.onSocket(sock, didAcceptNewSocket: newSocket)) { return }
    if answers(forms1.onSocket(sock, didAcceptNewSocket: newSocket)) { return }
    if answers(forms0.onSocket(sock, didAcceptNewSocket: newSocket)) { return }
    guard sock != nil, newSocket != nil else { return }
    if answers(forms1.onSocket(sock, didAcceptNewSocket: newSocket!)) { return }
    if answers(forms0.onSocket(sock, didAcceptNewSocket: newSocket!)) { return }
    if answers(forms1.onSocket(sock!, didAcceptNewSocket: newSocket)) { return }
    if answers(forms0.onSocket(sock!, didAcceptNewSocket: newSocket)) { return }
  }

  func onSocket(marked sock: AsyncSocket?, wantsRunLoopForNewSocket newSocket: AsyncSocket?) -> RunLoop? {
    var answer: RunLoop?
    var known = RunLoop.current
    if answers(.wantsRunLoop, onSocket(sock, wantsRunLoopForNewSocket: newSocket), &answer) { return answer }
    if answers(forms6.onSocket(sock, wantsRunLoopForNewSocket: newSocket), &answer) { return answer }
    if answers(forms5.onSocket(sock, wantsRunLoopForNewSocket: newSocket), &answer) { return answer }
    if answers(forms4.onSocket(sock, wantsRunLoopForNewSocket: newSocket), &answer) { return answer }
    if answers(forms3.onSocket(sock, wantsRunLoopForNewSocket: newSocket), &answer) { return answer }
    if answers(forms2.onSocket(sock, wantsRunLoopForNewSocket: newSocket), &answer) { return answer }
    if answers(forms1.onSocket(sock, wantsRunLoopForNewSocket: newSocket), &answer) { return answer }
    if answers(forms0.onSocket(sock, wantsRunLoopForNewSocket: newSocket), &answer) { return answer }
    if answers(forms3.onSocket(sock, wantsRunLoopForNewSocket: newSocket), &known) { return known }
    if answers(forms2.onSocket(sock, wantsRunLoopForNewSocket: newSocket), &known) { return known }
    if answers(forms1.onSocket(sock, wantsRunLoopForNewSocket: newSocket), &known) { return known }
    if answers(forms0.onSocket(sock, wantsRunLoopForNewSocket: newSocket), &known) { return known }
    guard sock != nil, newSocket != nil else { return nil }
    if answers(forms3.onSocket(sock, wantsRunLoopForNewSocket: newSocket!), &answer) { return answer }
    if answers(forms2.onSocket(sock, wantsRunLoopForNewSocket: newSocket!), &answer) { return answer }
    if answers(forms1.onSocket(sock, wantsRunLoopForNewSocket: newSocket!), &answer) { return answer }
    if answers(forms0.onSocket(sock, wantsRunLoopForNewSocket: newSocket!), &answer) { return answer }
    if answers(forms3.onSocket(sock!, wantsRunLoopForNewSocket: newSocket), &answer) { return answer }
    if answers(forms2.onSocket(sock!, wantsRunLoopForNewSocket: newSocket), &answer) { return answer }
    if answers(forms1.onSocket(sock!, wantsRunLoopForNewSocket: newSocket), &answer) { return answer }
    if answers(forms0.onSocket(sock!, wantsRunLoopForNewSocket: newSocket), &answer) { return answer }
    if answers(forms1.onSocket(sock, wantsRunLoopForNewSocket: newSocket!), &known) { return known }
    if answers(forms0.onSocket(sock, wantsRunLoopForNewSocket: newSocket!), &known) { return known }
    if answers(forms1.onSocket(sock!, wantsRunLoopForNewSocket: newSocket), &known) { return known }
    if answers(forms0.onSocket(sock!, wantsRunLoopForNewSocket: newSocket), &known) { return known }
    if answers(forms1.onSocket(sock!, wantsRunLoopForNewSocket: newSocket!), &answer) { return answer }
    if answers(forms0.onSocket(sock!, wantsRunLoopForNewSocket: newSocket!), &known) { return known }
    return nil
  }

  func onSocketWillConnect(marked sock: AsyncSocket?) -> Bool {
    var answer: Bool = true
    if answers(.willConnect, onSocketWillConnect(sock), &answer) { return answer }
    if answers(forms0.onSocketWillConnect(sock), &answer) { return answer }
    return true
  }

  func onSocket(marked sock: AsyncSocket?, didConnectToHost host: String?, port: UInt16) {
    if answers(.didConnect, onSocket(sock, didConnectToHost: host, port: port)) { return }
    if answers(forms2.onSocket(sock, didConnectToHost: host, port: port)) { return }
    if answers(forms1.onSocket(sock, didConnectToHost: host, port: port)) { return }
    if answers(forms0.onSocket(sock, didConnectToHost: host, port: port)) { return }
    guard sock != nil, host != nil else { return }
    if answers(forms1.onSocket(sock, didConnectToHost: host!, port: port)) { return }
    if answers(forms0.onSocket(sock, didConnectToHost: host!, port: port)) { return }
    if answers(forms1.onSocket(sock!, didConnectToHost: host, port: port)) { return }
    if answers(forms0.onSocket(sock!, didConnectToHost: host, port: port)) { return }
  }

  func onSocket(marked sock: AsyncSocket?, didRead data: Data?, withTag tag: Int) {
    if answers(.didRead, onSocket(sock, didRead: data, withTag: tag)) { return }
    if answers(forms2.onSocket(sock, didRead: data, withTag: tag)) { return }
    if answers(forms1.onSocket(sock, didRead: data, withTag: tag)) { return }
    if answers(forms0.onSocket(sock, didRead: data, withTag: tag)) { return }
    guard sock != nil, data != nil else { return }
    if answers(forms1.onSocket(sock, didRead: data!, withTag: tag)) { return }
    if answers(forms0.onSocket(sock, didRead: data!, withTag: tag)) { return }
    if answers(forms1.onSocket(sock!, didRead: data, withTag: tag)) { return }
    if answers(forms0.onSocket(sock!, didRead: data, withTag: tag)) { return }
  }

  func onSocket(marked sock: AsyncSocket?, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    if answers(.didReadPartial, onSocket(sock, didReadPartialDataOfLength: partialLength, tag: tag)) { return }
    if answers(forms0.onSocket(sock, didReadPartialDataOfLength: partialLength, tag: tag)) { return }
  }

  func onSocket(marked sock: AsyncSocket?, didWriteDataWithTag tag: Int) {
    if answers(.didWrite, onSocket(sock, didWriteDataWithTag: tag)) { return }
    if answers(forms0.onSocket(sock, didWriteDataWithTag: tag)) { return }
  }

  func onSocket(marked sock: AsyncSocket?, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    if answers(.didWritePartial, onSocket(sock, didWritePartialDataOfLength: partialLength, tag: tag)) { return }
    if answers(forms0.onSocket(sock, didWritePartialDataOfLength: partialLength, tag: tag)) { return }
  }

  func onSocket(
    marked sock: AsyncSocket?, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    var answer: TimeInterval = 0
    if answers(
      .shouldTimeoutRead, onSocket(sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length), &answer)
    {
      return answer
    }
    if answers(
      forms0.onSocket(sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length), &answer)
    {
      return answer
    }
    return 0
  }

  func onSocket(
    marked sock: AsyncSocket?, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    var answer: TimeInterval = 0
    if answers(
      .shouldTimeoutWrite, onSocket(sock, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length), &answer)
    {
      return answer
    }
    if answers(
      forms0.onSocket(sock, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length), &answer)
    {
      return answer
    }
    return 0
  }

  func onSocketDidSecure(marked sock: AsyncSocket?) {
    if answers(.didSecure, onSocketDidSecure(sock)) { return }
    if answers(forms0.onSocketDidSecure(sock)) { return }
  }

  private var forms0: any _AsyncSocketDelegateForms0 { self }
  private var forms1: any _AsyncSocketDelegateForms1 { self }
  private var forms2: any _AsyncSocketDelegateForms2 { self }
  private var forms3: any _AsyncSocketDelegateForms3 { self }
  private var forms4: any _AsyncSocketDelegateForms4 { self }
  private var forms5: any _AsyncSocketDelegateForms5 { self }
  private var forms6: any _AsyncSocketDelegateForms6 { self }
}

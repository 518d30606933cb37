// Made by `./lab tidy --update` from the delegate's protocol.

import Foundation

/// Each function calls the form with marks that the class has of a method. Those that take nil come first, and
/// others are not called without socket or data.
extension GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(markedFromAddress address: Data?, on sock: GCDAsyncSocket?) -> DispatchQueue? {
    var answer: DispatchQueue?
    var known = DispatchQueue.main
    if answers(.newSocketQueue, newSocketQueueForConnection(fromAddress: address, on: sock), &answer) { return answer }
    if answers(forms6.newSocketQueueForConnection(fromAddress: address, on: sock), &answer) { return answer }
    if answers(forms5.newSocketQueueForConnection(fromAddress: address, on: sock), &answer) { return answer }
    if answers(forms4.newSocketQueueForConnection(fromAddress: address, on: sock), &answer) { return answer }
    if answers(forms3.newSocketQueueForConnection(fromAddress: address, on: sock), &answer) { return answer }
    if answers(forms2.newSocketQueueForConnection(fromAddress: address, on: sock), &answer) { return answer }
    if answers(forms1.newSocketQueueForConnection(fromAddress: address, on: sock), &answer) { return answer }
    if answers(forms0.newSocketQueueForConnection(fromAddress: address, on: sock), &answer) { return answer }
    if answers(forms3.newSocketQueueForConnection(fromAddress: address, on: sock), &known) { return known }
    if answers(forms2.newSocketQueueForConnection(fromAddress: address, on: sock), &known) { return known }
    if answers(forms1.newSocketQueueForConnection(fromAddress: address, on: sock), &known) { return known }
    if answers(forms0.newSocketQueueForConnection(fromAddress: address, on: sock), &known) { return known }
    guard address != nil, sock != nil else { return nil }
    if answers(forms3.newSocketQueueForConnection(fromAddress: address, on: sock!), &answer) { return answer }
    if answers(forms2.newSocketQueueForConnection(fromAddress: address, on: sock!), &answer) { return answer }
    if answers(forms1.newSocketQueueForConnection(fromAddress: address, on: sock!), &answer) { return answer }
    if answers(forms0.newSocketQueueForConnection(fromAddress: address, on: sock!), &answer) { return answer }
    if answers(forms3.newSocketQueueForConnection(fromAddress: address!, on: sock), &answer) { return answer }
    if answers(forms2.newSocketQueueForConnection(fromAddress: address!, on: sock), &answer) { return answer }
    if answers(forms1.newSocketQueueForConnection(fromAddress: address!, on: sock), &answer) { return answer }
    if answers(forms0.newSocketQueueForConnection(fromAddress: address!, on: sock), &answer) { return answer }
    if answers(forms1.newSocketQueueForConnection(fromAddress: address, on: sock!), &known) { return known }
    if answers(forms0.newSocketQueueForConnection(fromAddress: address, on: sock!), &known) { return known }
    if answers(forms1.newSocketQueueForConnection(fromAddress: address!, on: sock), &known) { return known }
    if answers(forms0.newSocketQueueForConnection(fromAddress: address!, on: sock), &known) { return known }
    if answers(forms1.newSocketQueueForConnection(fromAddress: address!, on: sock!), &answer) { return answer }
    if answers(forms0.newSocketQueueForConnection(fromAddress: address!, on: sock!), &known) { return known }
    return nil
  }

  func socket(marked sock: GCDAsyncSocket?, didAcceptNewSocket newSocket: GCDAsyncSocket?) {
    if answers(.didAccept, socket(sock, didAcceptNewSocket: newSocket)) { return }
    if answers(forms2.socket(sock, didAcceptNewSocket: newSocket)) { return }
    if answers(forms1.socket(sock, didAcceptNewSocket: newSocket)) { return }
    if answers(forms0.socket(sock, didAcceptNewSocket: newSocket)) { return }
    guard sock != nil, newSocket != nil else { return }
    if answers(forms1.socket(sock, didAcceptNewSocket: newSocket!)) { return }
    if answers(forms0.socket(sock, didAcceptNewSocket: newSocket!)) { return }
    if answers(forms1.socket(sock!, didAcceptNewSocket: newSocket)) { return }
    if answers(forms0.socket(sock!, didAcceptNewSocket: newSocket)) { return }
  }

  func socket(marked sock: GCDAsyncSocket?, didConnectToHost host: String?, port: UInt16) {
    if answers(.didConnect, socket(sock, didConnectToHost: host, port: port)) { return }
    if answers(forms2.socket(sock, didConnectToHost: host, port: port)) { return }
    if answers(forms1.socket(sock, didConnectToHost: host, port: port)) { return }
    if answers(forms0.socket(sock, didConnectToHost: host, port: port)) { return }
    guard sock != nil, host != nil else { return }
    if answers(forms1.socket(sock, didConnectToHost: host!, port: port)) { return }
    if answers(forms0.socket(sock, didConnectToHost: host!, port: port)) { return }
    if answers(forms1.socket(sock!, didConnectToHost: host, port: port)) { return }
    if answers(forms0.socket(sock!, didConnectToHost: host, port: port)) { return }
  }

  func socket(marked sock: GCDAsyncSocket?, didConnectTo url: URL?) {
    if answers(.didConnectToPath, socket(sock, didConnectTo: url)) { return }
    if answers(forms2.socket(sock, didConnectTo: url)) { return }
    if answers(forms1.socket(sock, didConnectTo: url)) { return }
    if answers(forms0.socket(sock, didConnectTo: url)) { return }
    guard sock != nil, url != nil else { return }
    if answers(forms1.socket(sock, didConnectTo: url!)) { return }
    if answers(forms0.socket(sock, didConnectTo: url!)) { return }
    if answers(forms1.socket(sock!, didConnectTo: url)) { return }
    if answers(forms0.socket(sock!, didConnectTo: url)) { return }
  }

  func socket(marked sock: GCDAsyncSocket?, didRead data: Data?, withTag tag: Int) {
    if answers(.didRead, socket(sock, didRead: data, withTag: tag)) { return }
    if answers(forms2.socket(sock, didRead: data, withTag: tag)) { return }
    if answers(forms1.socket(sock, didRead: data, withTag: tag)) { return }
    if answers(forms0.socket(sock, didRead: data, withTag: tag)) { return }
    guard sock != nil, data != nil else { return }
    if answers(forms1.socket(sock, didRead: data!, withTag: tag)) { return }
    if answers(forms0.socket(sock, didRead: data!, withTag: tag)) { return }
    if answers(forms1.socket(sock!, didRead: data, withTag: tag)) { return }
    if answers(forms0.socket(sock!, didRead: data, withTag: tag)) { return }
  }

  func socket(marked sock: GCDAsyncSocket?, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    if answers(.didReadPartial, socket(sock, didReadPartialDataOfLength: partialLength, tag: tag)) { return }
    if answers(forms0.socket(sock, didReadPartialDataOfLength: partialLength, tag: tag)) { return }
  }

  func socket(marked sock: GCDAsyncSocket?, didWriteDataWithTag tag: Int) {
    if answers(.didWrite, socket(sock, didWriteDataWithTag: tag)) { return }
    if answers(forms0.socket(sock, didWriteDataWithTag: tag)) { return }
  }

  func socket(marked sock: GCDAsyncSocket?, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    if answers(.didWritePartial, socket(sock, didWritePartialDataOfLength: partialLength, tag: tag)) { return }
    if answers(forms0.socket(sock, didWritePartialDataOfLength: partialLength, tag: tag)) { return }
  }

  func socket(
    marked sock: GCDAsyncSocket?, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    var answer: TimeInterval = 0
    if answers(
      .shouldTimeoutRead, socket(sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length), &answer)
    {
      return answer
    }
    if answers(
      forms0.socket(sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length), &answer)
    {
      return answer
    }
    return 0
  }

  func socket(
    marked sock: GCDAsyncSocket?, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    var answer: TimeInterval = 0
    if answers(
      .shouldTimeoutWrite, socket(sock, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length), &answer)
    {
      return answer
    }
    if answers(
      forms0.socket(sock, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length), &answer)
    {
      return answer
    }
    return 0
  }

  func socketDidCloseReadStream(marked sock: GCDAsyncSocket?) {
    if answers(.didCloseReadStream, socketDidCloseReadStream(sock)) { return }
    if answers(forms0.socketDidCloseReadStream(sock)) { return }
  }

  func socketDidDisconnect(marked sock: GCDAsyncSocket?, withError err: (any Error)?) {
    if answers(.didDisconnect, socketDidDisconnect(sock, withError: err)) { return }
    if answers(forms2.socketDidDisconnect(sock, withError: err)) { return }
    if answers(forms1.socketDidDisconnect(sock, withError: err)) { return }
    if answers(forms0.socketDidDisconnect(sock, withError: err)) { return }
    if answers(forms3.socketDidDisconnect(sock, withError: err as NSError?)) { return }
    if answers(forms2.socketDidDisconnect(sock, withError: err as NSError?)) { return }
    if answers(forms1.socketDidDisconnect(sock, withError: err as NSError?)) { return }
    if answers(forms0.socketDidDisconnect(sock, withError: err as NSError?)) { return }
    if answers(forms1.socketDidDisconnect(sock, withError: known(err))) { return }
    if answers(forms0.socketDidDisconnect(sock, withError: known(err))) { return }
    if answers(forms1.socketDidDisconnect(sock, withError: known(err) as NSError)) { return }
    if answers(forms0.socketDidDisconnect(sock, withError: known(err) as NSError)) { return }
    guard sock != nil else { return }
    if answers(forms1.socketDidDisconnect(sock!, withError: err)) { return }
    if answers(forms1.socketDidDisconnect(sock!, withError: err as NSError?)) { return }
    if answers(forms0.socketDidDisconnect(sock!, withError: err as NSError?)) { return }
    if answers(forms0.socketDidDisconnect(sock!, withError: known(err))) { return }
    if answers(forms0.socketDidDisconnect(sock!, withError: known(err) as NSError)) { return }
  }

  func socketDidSecure(marked sock: GCDAsyncSocket?) {
    if answers(.didSecure, socketDidSecure(sock)) { return }
    if answers(forms0.socketDidSecure(sock)) { return }
  }

  func socket(marked sock: GCDAsyncSocket?, didReceive trust: SecTrust?, completionHandler: _Handler?) {
    if answers(.didReceiveTrust, socket(sock, didReceive: trust, completionHandler: completionHandler)) { return }
    if answers(forms6.socket(sock, didReceive: trust, completionHandler: completionHandler)) { return }
    if answers(forms5.socket(sock, didReceive: trust, completionHandler: completionHandler)) { return }
    if answers(forms4.socket(sock, didReceive: trust, completionHandler: completionHandler)) { return }
    if answers(forms3.socket(sock, didReceive: trust, completionHandler: completionHandler)) { return }
    if answers(forms2.socket(sock, didReceive: trust, completionHandler: completionHandler)) { return }
    if answers(forms1.socket(sock, didReceive: trust, completionHandler: completionHandler)) { return }
    if answers(forms0.socket(sock, didReceive: trust, completionHandler: completionHandler)) { return }
    guard sock != nil, trust != nil, completionHandler != nil else { return abandon(trust, completionHandler) }
    if answers(forms3.socket(sock, didReceive: trust, completionHandler: completionHandler!)) { return }
    if answers(forms2.socket(sock, didReceive: trust, completionHandler: completionHandler!)) { return }
    if answers(forms1.socket(sock, didReceive: trust, completionHandler: completionHandler!)) { return }
    if answers(forms0.socket(sock, didReceive: trust, completionHandler: completionHandler!)) { return }
    if answers(forms3.socket(sock, didReceive: trust!, completionHandler: completionHandler)) { return }
    if answers(forms2.socket(sock, didReceive: trust!, completionHandler: completionHandler)) { return }
    if answers(forms1.socket(sock, didReceive: trust!, completionHandler: completionHandler)) { return }
    if answers(forms0.socket(sock, didReceive: trust!, completionHandler: completionHandler)) { return }
    if answers(forms3.socket(sock!, didReceive: trust, completionHandler: completionHandler)) { return }
    if answers(forms2.socket(sock!, didReceive: trust, completionHandler: completionHandler)) { return }
    if answers(forms1.socket(sock!, didReceive: trust, completionHandler: completionHandler)) { return }
    if answers(forms0.socket(sock!, didReceive: trust, completionHandler: completionHandler)) { return }
    if answers(forms1.socket(sock, didReceive: trust!, completionHandler: completionHandler!)) { return }
    if answers(forms0.socket(sock, didReceive: trust!, completionHandler: completionHandler!)) { return }
    if answers(forms1.socket(sock!, didReceive: trust, completionHandler: completionHandler!)) { return }
    if answers(forms0.socket(sock!, didReceive: trust, completionHandler: completionHandler!)) { return }
    if answers(forms1.socket(sock!, didReceive: trust!, completionHandler: completionHandler)) { return }
    if answers(forms0.socket(sock!, didReceive: trust!, completionHandler: completionHandler)) { return }
    askInTask(self, sock!, trust!, completionHandler!)
  }

  private var forms0: any _GCDAsyncSocketDelegateForms0 { self }
  private var forms1: any _GCDAsyncSocketDelegateForms1 { self }
  private var forms2: any _GCDAsyncSocketDelegateForms2 { self }
  private var forms3: any _GCDAsyncSocketDelegateForms3 { self }
  private var forms4: any _GCDAsyncSocketDelegateForms4 { self }
  private var forms5: any _GCDAsyncSocketDelegateForms5 { self }
  private var forms6: any _GCDAsyncSocketDelegateForms6 { self }
}

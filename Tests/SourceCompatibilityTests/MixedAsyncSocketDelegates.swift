// Made by `./lab tidy --update` from the delegate's protocol.

import CocoaAsyncSocket
import Foundation

enum MixedAsyncSocketDelegates {
  static var all: [MixedDelegate & AsyncSocketDelegate] {
    [
      MixedAsyncSocketDelegate0(),
      MixedAsyncSocketDelegate1(),
      MixedAsyncSocketDelegate2(),
      MixedAsyncSocketDelegate3(),
      MixedAsyncSocketDelegate4(),
      MixedAsyncSocketDelegate5(),
      MixedAsyncSocketDelegate6(),
      MixedAsyncSocketDelegate7(),
      MixedAsyncSocketDelegate8(),
      MixedAsyncSocketDelegate9(),
      MixedAsyncSocketDelegate10(),
      MixedAsyncSocketDelegate11(),
      MixedAsyncSocketDelegate12(),
      MixedAsyncSocketDelegate13(),
      MixedAsyncSocketDelegate14(),
      MixedAsyncSocketDelegate15(),
      MixedAsyncSocketDelegate16(),
      MixedAsyncSocketDelegate17(),
      MixedAsyncSocketDelegate18(),
      MixedAsyncSocketDelegate19(),
      MixedAsyncSocketDelegate20(),
      MixedAsyncSocketDelegate21(),
      MixedAsyncSocketDelegate22(),
      MixedAsyncSocketDelegate23(),
      MixedAsyncSocketDelegate24(),
      MixedAsyncSocketDelegate25(),
      MixedAsyncSocketDelegate26(),
    ]
  }
}

private final class MixedAsyncSocketDelegate0: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket!, willDisconnectWithError err: (any Error)!) { note("willDisconnect", sock, err) }
  func onSocketDidDisconnect(_ sock: AsyncSocket!) { note("didDisconnect", sock) }
  func onSocket(_ sock: AsyncSocket!, didAcceptNewSocket newSocket: AsyncSocket!) { note("didAccept", sock, newSocket) }
  func onSocket(_ sock: AsyncSocket!, wantsRunLoopForNewSocket newSocket: AsyncSocket!) -> RunLoop! {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
  func onSocketWillConnect(_ sock: AsyncSocket!) -> Bool { note("willConnect", sock, answer: false) }
  func onSocket(_ sock: AsyncSocket!, didConnectToHost host: String!, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func onSocket(_ sock: AsyncSocket!, didRead data: Data!, withTag tag: Int) { note("didRead", sock, data, tag) }
  func onSocket(_ sock: AsyncSocket!, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    note("didReadPartial", sock, partialLength, tag)
  }
  func onSocket(_ sock: AsyncSocket!, didWriteDataWithTag tag: Int) { note("didWrite", sock, tag) }
  func onSocket(_ sock: AsyncSocket!, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    note("didWritePartial", sock, partialLength, tag)
  }
  func onSocket(
    _ sock: AsyncSocket!, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutRead", sock, tag, elapsed, length, answer: 7)
  }
  func onSocket(
    _ sock: AsyncSocket!, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutWrite", sock, tag, elapsed, length, answer: 7)
  }
  func onSocketDidSecure(_ sock: AsyncSocket!) { note("didSecure", sock) }
}

private final class MixedAsyncSocketDelegate1: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket?, willDisconnectWithError err: (any Error)!) { note("willDisconnect", sock, err) }
  func onSocketDidDisconnect(_ sock: AsyncSocket?) { note("didDisconnect", sock) }
  func onSocket(_ sock: AsyncSocket?, didAcceptNewSocket newSocket: AsyncSocket!) { note("didAccept", sock, newSocket) }
  func onSocket(_ sock: AsyncSocket?, wantsRunLoopForNewSocket newSocket: AsyncSocket!) -> RunLoop! {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
  func onSocketWillConnect(_ sock: AsyncSocket?) -> Bool { note("willConnect", sock, answer: false) }
  func onSocket(_ sock: AsyncSocket?, didConnectToHost host: String!, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func onSocket(_ sock: AsyncSocket?, didRead data: Data!, withTag tag: Int) { note("didRead", sock, data, tag) }
  func onSocket(_ sock: AsyncSocket?, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    note("didReadPartial", sock, partialLength, tag)
  }
  func onSocket(_ sock: AsyncSocket?, didWriteDataWithTag tag: Int) { note("didWrite", sock, tag) }
  func onSocket(_ sock: AsyncSocket?, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    note("didWritePartial", sock, partialLength, tag)
  }
  func onSocket(
    _ sock: AsyncSocket?, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutRead", sock, tag, elapsed, length, answer: 7)
  }
  func onSocket(
    _ sock: AsyncSocket?, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutWrite", sock, tag, elapsed, length, answer: 7)
  }
  func onSocketDidSecure(_ sock: AsyncSocket?) { note("didSecure", sock) }
}

private final class MixedAsyncSocketDelegate2: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket!, willDisconnectWithError err: (any Error)?) { note("willDisconnect", sock, err) }
  func onSocketDidDisconnect(_ sock: AsyncSocket) { note("didDisconnect", sock) }
  func onSocket(_ sock: AsyncSocket!, didAcceptNewSocket newSocket: AsyncSocket?) { note("didAccept", sock, newSocket) }
  func onSocket(_ sock: AsyncSocket!, wantsRunLoopForNewSocket newSocket: AsyncSocket?) -> RunLoop! {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
  func onSocketWillConnect(_ sock: AsyncSocket) -> Bool { note("willConnect", sock, answer: false) }
  func onSocket(_ sock: AsyncSocket!, didConnectToHost host: String?, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func onSocket(_ sock: AsyncSocket!, didRead data: Data?, withTag tag: Int) { note("didRead", sock, data, tag) }
  func onSocket(_ sock: AsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    note("didReadPartial", sock, partialLength, tag)
  }
  func onSocket(_ sock: AsyncSocket, didWriteDataWithTag tag: Int) { note("didWrite", sock, tag) }
  func onSocket(_ sock: AsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    note("didWritePartial", sock, partialLength, tag)
  }
  func onSocket(
    _ sock: AsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutRead", sock, tag, elapsed, length, answer: 7)
  }
  func onSocket(
    _ sock: AsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutWrite", sock, tag, elapsed, length, answer: 7)
  }
  func onSocketDidSecure(_ sock: AsyncSocket) { note("didSecure", sock) }
}

private final class MixedAsyncSocketDelegate3: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket?, willDisconnectWithError err: (any Error)?) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket?, didAcceptNewSocket newSocket: AsyncSocket?) { note("didAccept", sock, newSocket) }
  func onSocket(_ sock: AsyncSocket?, wantsRunLoopForNewSocket newSocket: AsyncSocket?) -> RunLoop! {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
  func onSocket(_ sock: AsyncSocket?, didConnectToHost host: String?, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func onSocket(_ sock: AsyncSocket?, didRead data: Data?, withTag tag: Int) { note("didRead", sock, data, tag) }
}

private final class MixedAsyncSocketDelegate4: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket!, willDisconnectWithError err: NSError!) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket!, didAcceptNewSocket newSocket: AsyncSocket) { note("didAccept", sock, newSocket) }
  func onSocket(_ sock: AsyncSocket!, wantsRunLoopForNewSocket newSocket: AsyncSocket!) -> RunLoop? {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
  func onSocket(_ sock: AsyncSocket!, didConnectToHost host: String, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func onSocket(_ sock: AsyncSocket!, didRead data: Data, withTag tag: Int) { note("didRead", sock, data, tag) }
}

private final class MixedAsyncSocketDelegate5: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket?, willDisconnectWithError err: NSError!) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket?, didAcceptNewSocket newSocket: AsyncSocket) { note("didAccept", sock, newSocket) }
  func onSocket(_ sock: AsyncSocket?, wantsRunLoopForNewSocket newSocket: AsyncSocket!) -> RunLoop? {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
  func onSocket(_ sock: AsyncSocket?, didConnectToHost host: String, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func onSocket(_ sock: AsyncSocket?, didRead data: Data, withTag tag: Int) { note("didRead", sock, data, tag) }
}

private final class MixedAsyncSocketDelegate6: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket!, willDisconnectWithError err: NSError?) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket, didAcceptNewSocket newSocket: AsyncSocket!) { note("didAccept", sock, newSocket) }
  func onSocket(_ sock: AsyncSocket!, wantsRunLoopForNewSocket newSocket: AsyncSocket?) -> RunLoop? {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
  func onSocket(_ sock: AsyncSocket, didConnectToHost host: String!, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func onSocket(_ sock: AsyncSocket, didRead data: Data!, withTag tag: Int) { note("didRead", sock, data, tag) }
}

private final class MixedAsyncSocketDelegate7: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket?, willDisconnectWithError err: NSError?) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket, didAcceptNewSocket newSocket: AsyncSocket?) { note("didAccept", sock, newSocket) }
  func onSocket(_ sock: AsyncSocket?, wantsRunLoopForNewSocket newSocket: AsyncSocket?) -> RunLoop? {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
  func onSocket(_ sock: AsyncSocket, didConnectToHost host: String?, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func onSocket(_ sock: AsyncSocket, didRead data: Data?, withTag tag: Int) { note("didRead", sock, data, tag) }
}

private final class MixedAsyncSocketDelegate8: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket!, willDisconnectWithError err: any Error) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket, didAcceptNewSocket newSocket: AsyncSocket) { note("didAccept", sock, newSocket) }
  func onSocket(_ sock: AsyncSocket!, wantsRunLoopForNewSocket newSocket: AsyncSocket!) -> RunLoop {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
  func onSocket(_ sock: AsyncSocket, didConnectToHost host: String, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) { note("didRead", sock, data, tag) }
}

private final class MixedAsyncSocketDelegate9: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket?, willDisconnectWithError err: any Error) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket?, wantsRunLoopForNewSocket newSocket: AsyncSocket!) -> RunLoop {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate10: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket!, willDisconnectWithError err: NSError) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket!, wantsRunLoopForNewSocket newSocket: AsyncSocket?) -> RunLoop {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate11: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket?, willDisconnectWithError err: NSError) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket?, wantsRunLoopForNewSocket newSocket: AsyncSocket?) -> RunLoop {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate12: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: (any Error)!) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket!, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop! {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate13: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: (any Error)?) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket?, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop! {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate14: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: NSError!) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket!, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop? {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate15: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: NSError?) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket?, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop? {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate16: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: any Error) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket!) -> RunLoop! {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate17: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: NSError) { note("willDisconnect", sock, err) }
  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket?) -> RunLoop! {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate18: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket!) -> RunLoop? {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate19: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket?) -> RunLoop? {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate20: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket!, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate21: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket?, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate22: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket!) -> RunLoop {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate23: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket?) -> RunLoop {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate24: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop! {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate25: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop? {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

private final class MixedAsyncSocketDelegate26: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop {
    note("wantsRunLoop", sock, newSocket, answer: runLoop)
  }
}

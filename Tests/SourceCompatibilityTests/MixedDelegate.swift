import CocoaAsyncSocket
import Foundation

/// Notes what it is told; its subclasses write each method of a delegate with other marks.
class MixedDelegate: NSObject {
  var calls: [String] = []
  let queue = DispatchQueue(label: "mixed")
  let runLoop = RunLoop.main

  func note(_ method: String, _ values: Any?...) {
    calls.append(([method] + values.map(Self.describe)).joined(separator: " "))
  }

  func note<Answer>(_ method: String, _ values: Any?..., answer: Answer) -> Answer {
    calls.append(([method] + values.map(Self.describe)).joined(separator: " "))
    return answer
  }

  private static func describe(_ value: Any?) -> String {
    switch value {
    case nil: return "nil"
    case is GCDAsyncSocket, is AsyncSocket: return "socket"
    case is SecTrust: return "trust"
    case let data as Data: return "\(data.count)B"
    case let url as URL: return url.path
    case let text as String: return text
    case let number as any BinaryInteger: return "\(number)"
    case let seconds as TimeInterval: return "\(Int(seconds))s"
    case let error as NSError: return "\(error.domain) \(error.code)"
    default: return "handler"
    }
  }
}

// Classes as programs have them, beside those that are made for every mixture.

/// Two forms of each method: the plain one, or else one with marks, is called alone.
final class TwofoldDelegate: MixedDelegate, GCDAsyncSocketDelegate {
  func socketDidSecure(_ sock: GCDAsyncSocket) { note("plain") }
  func socketDidSecure(_ sock: GCDAsyncSocket?) { note("?") }

  func socket(_ sock: GCDAsyncSocket!, didRead data: Data, withTag tag: Int) { note("!") }
  func socket(_ sock: GCDAsyncSocket, didRead data: Data?, withTag tag: Int) { note("?") }
}

/// Has forms that its subclass overrides.
class OverriddenDelegate: MixedDelegate, GCDAsyncSocketDelegate {
  func socket(_ sock: GCDAsyncSocket?, didRead data: Data!, withTag tag: Int) { note("super", sock, data, tag) }
  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: Error?) { note("super", sock, err) }
}

final class OverridingDelegate: OverriddenDelegate {
  override func socket(_ sock: GCDAsyncSocket?, didRead data: Data!, withTag tag: Int) {
    note("sub", sock, data, tag)
    super.socket(sock, didRead: data, withTag: tag + 1)
  }

  override func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: Error?) {
    note("sub", sock, err)
    guard let sock else { return }
    super.socketDidDisconnect(sock, withError: err)
  }
}

final class GenericDelegate<Kept>: MixedDelegate, GCDAsyncSocketDelegate {
  var kept: Kept?
  func socketDidDisconnect(_ sock: GCDAsyncSocket?, withError err: Error!) { note("\(Kept.self)", sock, err) }
}

/// Conforms later than it is declared.
class LaterDelegate: MixedDelegate {}

extension LaterDelegate: GCDAsyncSocketDelegate {
  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: Error?) { note("later", sock, err) }
}

/// Goes on, from inside a method, to others of its own and of another delegate.
final class RelayingDelegate: MixedDelegate, GCDAsyncSocketDelegate {
  var next: GCDAsyncSocketDelegate?

  func socket(_ sock: GCDAsyncSocket!, didRead data: Data?, withTag tag: Int) {
    note("didRead", sock, data, tag)
    next?.socket(sock, didRead: data, withTag: tag)
    if tag > 0 { (self as GCDAsyncSocketDelegate).socket(sock!, didRead: data!, withTag: tag - 1) }
    // Nobody has these.
    next?.socketDidCloseReadStream(sock)
    (self as GCDAsyncSocketDelegate).socketDidSecure(sock)
  }

  func socket(
    _ sock: GCDAsyncSocket?, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    sock.map { next?.socketDidCloseReadStream($0) }
    return 7
  }
}

/// The echo of a line, as a server and a client that mix everything.
final class MixedEcho: MixedDelegate, GCDAsyncSocketDelegate, @unchecked Sendable {
  // Unchecked: everything happens on the queue, and is looked at when `done` was signalled.
  let done = DispatchSemaphore(value: 0)
  private var accepted: [GCDAsyncSocket] = []

  func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket) -> DispatchQueue {
    return note("newSocketQueue", address, sock, answer: DispatchQueue(label: "child"))
  }

  func socket(_ sock: GCDAsyncSocket?, didAcceptNewSocket newSocket: GCDAsyncSocket!) {
    note("didAccept", sock, newSocket)
    accepted.append(newSocket)
    newSocket.readData(to: GCDAsyncSocket.crlfData(), withTimeout: 60, tag: 1)
  }

  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String?, port: UInt16) {
    note("didConnect", sock, host)
    sock.write(Data("ab\r\n".utf8), withTimeout: 60, tag: 2)
    sock.readData(toLength: 4, withTimeout: 60, tag: 3)
  }

  func socket(_ sock: GCDAsyncSocket!, didRead data: Data?, withTag tag: Int) {
    note("didRead", sock, data, tag)
    if tag == 1 { sock.write(data, withTimeout: 60, tag: 4) } else { sock.disconnect() }
  }

  func socket(_ sock: GCDAsyncSocket?, didWriteDataWithTag tag: Int) { note("didWrite", sock, tag) }

  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: Error?) {
    note("didDisconnect", sock, (err as? GCDAsyncSocketError)?.code.rawValue)
    done.signal()
  }
}

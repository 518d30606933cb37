import CocoaAsyncSocket
import Foundation

// As a proxy writes it: one queue for everything, tags of an enumeration, addresses taken apart, socket options set on
// the descriptor.

enum SOCKSTag: Int {
  case greeting = 10_000, request, relay

  var length: UInt { return self == .greeting ? 3 : 10 }
}

extension GCDAsyncSocket {
  func readData(tag: SOCKSTag) { return readData(toLength: tag.length, withTimeout: -1, tag: tag.rawValue) }
}

class SOCKSStyleProxy: NSObject, GCDAsyncSocketDelegate {
  let queue = DispatchQueue(label: "proxy")
  private(set) lazy var listener = GCDAsyncSocket(delegate: self, delegateQueue: queue, socketQueue: queue)
  private var clients: [GCDAsyncSocket: GCDAsyncSocket] = [:]

  func start() throws { try listener.accept(onInterface: "127.0.0.1", port: 0) }

  /// "host:port" of a raw sockaddr.
  static func describe(_ address: Data) -> String? {
    var host: NSString?
    var port: UInt16 = 0
    guard GCDAsyncSocket.getHost(&host, port: &port, fromAddress: address) else { return nil }
    return "\(host!):\(port)"
  }

  static func family(of address: Data) -> Int32? {
    var host: NSString?
    var port = UInt16()
    var family = sa_family_t()
    guard GCDAsyncSocket.getHost(&host, port: &port, family: &family, fromAddress: address), host != nil else {
      return nil
    }
    return Int32(family)
  }

  static func plainHost(of address: Data) -> String? {
    var host: String?
    GCDAsyncSocket.getHost(&host, port: nil, fromAddress: address)
    return host
  }

  static func port(of address: Data) -> UInt16 {
    var port: UInt16 = 0
    _ = GCDAsyncSocket.getHost(nil, port: &port, fromAddress: address)
    return port
  }

  static func addresses(of host: String) -> [String] {
    let found = (try? GCDAsyncSocket.lookupHost(host, port: 1080)) ?? NSMutableArray()
    return found.compactMap { $0 as? Data }.compactMap(describe)
  }

  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    newSocket.autoDisconnectOnClosedReadStream = false
    newSocket.perform {
      var on: Int32 = 1
      setsockopt(
        newSocket.socketFD(), Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    newSocket.readData(tag: .greeting)
  }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    switch SOCKSTag(rawValue: tag) {
    case .greeting?:
      sock.write(Data([5, 0]), withTimeout: -1, tag: tag)
      sock.readData(tag: .request)
    case .request?:
      let remote = GCDAsyncSocket(delegate: self, delegateQueue: queue, socketQueue: queue)
      clients[sock] = remote
      do {
        try remote.connect(
          toHost: data[4..<8].map { String($0) }.joined(separator: "."), onPort: 80, viaInterface: nil,
          withTimeout: 15)
      } catch let error as NSError {
        NSLog("%@", error.localizedDescription)
        sock.disconnectAfterReadingAndWriting()
      }
    case .relay?, nil:
      var readTag = 0
      var done: UInt = 0
      var total: UInt = 0
      sock.progress(ofReadReturningTag: &readTag, bytesDone: &done, total: &total)
      let progress = sock.progress(ofWriteReturningTag: nil, bytesDone: nil, total: nil)
      if progress.isNaN || progress == 1 { sock.readData(withTimeout: -1, tag: tag) }
    }
  }

  func socketDidCloseReadStream(_ sock: GCDAsyncSocket) { sock.disconnectAfterWriting() }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) {
    clients.removeValue(forKey: sock)?.disconnect()
  }
}

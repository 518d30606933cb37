import Dispatch
import Foundation
import SocketCore
import SocketPOSIX

// Starting: accept and connect. Each call throws what keeps it from starting and then leaves the socket as it was
// (LIFE-03, LIFE-14); what happens later is told by callbacks.
extension GCDAsyncSocket {
  // MARK: Accepting

  /// Listens on all interfaces, in both enabled families, on the same port; 0 lets the kernel choose (ACC-01, ACC-02).
  public func accept(onPort port: UInt16) throws { try accept(onInterface: nil, port: port) }

  /// Listens on one interface, given by name or address; "localhost" and "loopback" mean both loopback addresses, nil
  /// and "" all interfaces. A ":port" suffix counts if `port` is 0 (ACC-08…ACC-15).
  public func accept(onInterface interface: String?, port: UInt16) throws {
    try driver.start { driver throws(SocketFailure) in
      let addresses = try driver.machine.addressesToAccept(
        onInterface: interface, port: port, in: driver.startContext)
      try driver.listen(on: addresses)
    }
  }

  /// Listens on the Unix-domain path that a URL names (of the scheme "file", "unix" or none). A socket file there is
  /// replaced; any other file is left alone and is an error. The path goes with the listener, unless it has become
  /// another's (ACC-34…ACC-37).
  public func accept(on url: URL) throws {
    try driver.start { driver throws(SocketFailure) in
      let path = try url.socketPath()
      try driver.machine.checkAccept(onPath: path, in: driver.startContext)
      try driver.listen(onPath: path)
    }
  }

  // MARK: Connecting

  /// Connects to a host, without a timeout.
  public func connect(toHost host: String, onPort port: UInt16) throws {
    try connect(toHost: host, onPort: port, viaInterface: nil, withTimeout: -1)
  }

  /// Connects to a host; a negative timeout (seconds) means none (CON-08…CON-11).
  public func connect(toHost host: String, onPort port: UInt16, withTimeout timeout: TimeInterval) throws {
    try connect(toHost: host, onPort: port, viaInterface: nil, withTimeout: timeout)
  }

  /// Connects to a host, by name or numeric address, from a local interface (name, address, each with an optional local
  /// ":port"; CON-24…CON-28). Then either didConnect follows or didDisconnect (CON-01, CON-45).
  public func connect(
    toHost host: String, onPort port: UInt16, viaInterface interface: String?, withTimeout timeout: TimeInterval
  ) throws {
    try driver.start { driver throws(SocketFailure) in
      try driver.machine.connect(
        toHost: host, port: port, interface: interface, timeout: timeout, in: driver.startContext)
    }
  }

  /// Connects to a raw sockaddr, without a timeout.
  public func connect(toAddress remoteAddr: Data) throws {
    try connect(toAddress: remoteAddr, viaInterface: nil, withTimeout: -1)
  }

  /// Connects to a raw sockaddr.
  public func connect(toAddress remoteAddr: Data, withTimeout timeout: TimeInterval) throws {
    try connect(toAddress: remoteAddr, viaInterface: nil, withTimeout: timeout)
  }

  /// Connects to a raw sockaddr_in or sockaddr_in6, which must have exactly its size (CON-31). A local address that
  /// can't be bound makes the call itself throw (CON-27).
  public func connect(
    toAddress remoteAddr: Data, viaInterface interface: String?, withTimeout timeout: TimeInterval
  ) throws {
    try driver.start { driver throws(SocketFailure) in
      try driver.machine.connect(
        toAddress: Array(remoteAddr), interface: interface, timeout: timeout, in: driver.startContext)
      for case .attempt(let attempt, let remote, let local) in driver.machine.takeCommands() {
        let address = RawAddress(remote)
        if let failure = driver.prepare(attempt, remote: address, local: local.flatMap(RawAddress.init)) {
          driver.machine.startRefused()
          throw failure
        }
        driver.launch(attempt, to: address)
      }
    }
  }

  /// Connects to the Unix-domain path that a URL names (of the scheme "file", "unix" or none); didConnectTo follows, or
  /// didDisconnect (CON-34). While the listener has no room for another connection the attempt waits, up to the timeout
  /// in seconds (CON-08).
  public func connect(to url: URL, withTimeout timeout: TimeInterval) throws {
    try driver.start { driver throws(SocketFailure) in
      let path = try url.socketPath()
      let attempt = try driver.machine.connect(toPath: path, timeout: timeout, in: driver.startContext)
      driver.connectedPath = path
      let address = RawAddress.unix(path)
      if let failure = driver.prepare(attempt, remote: address, local: nil) {
        driver.machine.startRefused()
        throw failure
      }
      driver.launch(attempt, to: address)
    }
  }

  /// Connects to the first of the service's addresses that a connection can be started to; throws if there is none
  /// (CON-46).
  public func connect(to netService: NetService) throws {
    var failure = SocketFailure.badParam("The service has no addresses.").error
    for address in netService.addresses ?? [] {
      do {
        return try connect(toAddress: address)
      } catch {
        failure = error as NSError
      }
    }
    throw failure
  }
}

/// A resolved service, as far as connecting needs it.
open class NetService: NSObject {
  /// Raw sockaddrs.
  public let addresses: [Data]?

  /// A service with these addresses (raw sockaddrs, in order of preference).
  public init(addresses: [Data]?) { self.addresses = addresses }
}

extension SocketDriver {
  /// Runs a start call; throws the public error.
  func start(_ body: (SocketDriver) throws(SocketFailure) -> Void) throws {
    do {
      try enter { () throws(SocketFailure) in
        if machine.isDisconnected { connectedPath = nil }
        try body(self)
      }
    } catch {
      throw error.error
    }
  }

  var startContext: StartContext {
    StartContext(hasDelegate: delegate != nil, hasDelegateQueue: delegateQueue != nil, now: Self.now) {
      NetworkInterfaces.all().compactMap { entry in
        SocketAddress(decoding: entry.address.bytes).map { InterfaceAddress(name: entry.name, address: $0) }
      }
    }
  }
}

import Dispatch
import Foundation
import SocketCore
import SocketPOSIX

// Starting: accept and connect.

extension GCDAsyncSocket {
  func connect(toFirstOf addresses: [Data]) throws {
    var failure = SocketFailure.badParam("The service has no addresses.").error
    for address in addresses {
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
  /// Raw sockaddrs in order of preference; nil: the service is not resolved.
  public let addresses: [Data]?

  /// A service with these addresses (raw sockaddrs, in order of preference).
  public init(addresses: [Data]?) { self.addresses = addresses }
}

extension SocketDriver {
  func accept(onInterface interface: String?, port: UInt16) throws {
    try start { driver throws(SocketFailure) in
      let addresses = try driver.machine.addressesToAccept(
        onInterface: interface, port: port, in: driver.startContext)
      try driver.listen(on: addresses)
    }
  }

  func accept(on url: URL) throws {
    try start { driver throws(SocketFailure) in
      let path = try url.socketPath()
      try driver.machine.checkAccept(onPath: path, in: driver.startContext)
      try driver.listen(onPath: path)
    }
  }

  func connect(
    toHost host: String, onPort port: UInt16, viaInterface interface: String?, withTimeout timeout: TimeInterval
  ) throws {
    try start { driver throws(SocketFailure) in
      try driver.machine.connect(
        toHost: host, port: port, interface: interface, timeout: timeout, in: driver.startContext)
    }
  }

  func connect(
    toAddress remoteAddr: Data, viaInterface interface: String?, withTimeout timeout: TimeInterval
  ) throws {
    try start { driver throws(SocketFailure) in
      try driver.machine.connect(
        toAddress: Array(remoteAddr), interface: interface, timeout: timeout, in: driver.startContext)
      for case .attempt(let attempt, let remote, let local) in driver.machine.takeCommands() {
        let address = RawAddress(remote)
        if let failure = driver.prepare(attempt, remote: address, local: local.map(RawAddress.init)) {
          driver.machine.startRefused()
          throw failure
        }
        driver.launch(attempt, to: address)
      }
    }
  }

  func connect(to url: URL, withTimeout timeout: TimeInterval) throws {
    try start { driver throws(SocketFailure) in
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

  /// Runs a start call; throws the public error.
  func start(_ body: (SocketDriver) throws(SocketFailure) -> Void) throws {
    do {
      try enter { () throws(SocketFailure) in
        if machine.isDisconnected { connectedPath = nil }
        try body(self)
        engine.started(at: Self.now)
      }
    } catch {
      throw error.error
    }
  }

  var startContext: StartContext {
    StartContext(hasDelegate: holdDelegate() != nil, hasDelegateQueue: delegateQueue != nil, now: Self.now) {
      NetworkInterfaces.all().compactMap { entry in
        entry.address.ip.map { InterfaceAddress(name: entry.name, address: $0) }
      }
    }
  }
}

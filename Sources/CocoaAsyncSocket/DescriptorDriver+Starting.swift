import Foundation
import SocketCore
import SocketPOSIX
import SocketValues

// What starts: accept and connect.
extension DescriptorDriver {
  func accept(onInterface interface: String?, port: UInt16) throws {
    try start { driver throws(SocketFailure) in
      let addresses = try driver.machine.addressesToAccept(
        onInterface: interface, port: port, in: driver.startContext)
      try driver.listen(on: addresses)
    }
  }

  func accept(resolved: [SocketAddress]) throws {
    try start { driver throws(SocketFailure) in
      try driver.listen(on: try driver.machine.addressesToAccept(resolved: resolved, in: driver.startContext))
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
    try connect { machine, context throws(SocketFailure) in
      try machine.connect(toAddress: Array(remoteAddr), interface: interface, timeout: timeout, in: context)
    }
  }

  func connect(toAddress remoteAddr: Data, from local: SocketAddress, withTimeout timeout: TimeInterval) throws {
    try connect { machine, context throws(SocketFailure) in
      try machine.connect(toAddress: Array(remoteAddr), from: local, timeout: timeout, in: context)
    }
  }

  /// Starts to connect to an address. The first system calls are made before the call returns, which throws their
  /// failures.
  private func connect(_ begin: (SocketMachine, StartContext) throws(SocketFailure) -> Void) throws {
    try start { driver throws(SocketFailure) in
      try begin(driver.machine, driver.startContext)
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
}

extension DescriptorDriver {
  /// The destination of a read; nil if the call is a no-op because the offset lies behind the buffer's end
  /// (RD-BUF-03…05).
  static func readDestination(_ buffer: NSMutableData?, _ offset: UInt) -> (destination: CallerBuffer?, Void)? {
    guard let buffer else { return offset == 0 ? (nil, ()) : nil }
    guard offset <= UInt(buffer.length) else { return nil }
    return (CallerBuffer(buffer: buffer, offset: Int(offset)), ())
  }

  /// The same delimiter as the last time, or a new one; nil if it is empty.
  final func known(_ bytes: Data) -> Delimiter? {
    bytes.withUnsafeBytes { bytes in
      if let lastDelimiter, lastDelimiter.isEqual(to: bytes) { return lastDelimiter }
      lastDelimiter = Delimiter(Array(bytes)) ?? lastDelimiter
      return bytes.isEmpty ? nil : lastDelimiter
    }
  }
}

import Foundation

// Older headers of the original say nothing of null, so that programs pass on addresses that they may not have. Never
// the better choice where the argument is not optional.
extension GCDAsyncSocket {
  /// Connects to a raw sockaddr, without a timeout; nil is no address (`badParam`, CON-29).
  @_disfavoredOverload
  public func connect(toAddress remoteAddr: Data?) throws { try connect(toAddress: remoteAddr ?? Data()) }

  /// Connects to a raw sockaddr; nil is no address.
  @_disfavoredOverload
  public func connect(toAddress remoteAddr: Data?, withTimeout timeout: TimeInterval) throws {
    try connect(toAddress: remoteAddr ?? Data(), withTimeout: timeout)
  }

  /// Connects to a raw sockaddr from a local interface; nil is no address.
  @_disfavoredOverload
  public func connect(
    toAddress remoteAddr: Data?, viaInterface interface: String?, withTimeout timeout: TimeInterval
  ) throws { try connect(toAddress: remoteAddr ?? Data(), viaInterface: interface, withTimeout: timeout) }

  /// The numeric host; nil if there is no address, or none of IPv4 or IPv6.
  @_disfavoredOverload
  public class func host(fromAddress address: Data?) -> String? { address.flatMap { host(fromAddress: $0) } }

  /// The port, or 0.
  @_disfavoredOverload
  public class func port(fromAddress address: Data?) -> UInt16 { address.map { port(fromAddress: $0) } ?? 0 }
}

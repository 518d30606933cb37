// Made by `./lab tidy --update` from the delegate's protocol.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// The forms of the methods of `GCDAsyncSocketDelegate` that it does not declare itself.
public protocol _GCDAsyncSocketDelegateForms:
  _GCDAsyncSocketDelegateForms0,
  _GCDAsyncSocketDelegateForms1,
  _GCDAsyncSocketDelegateForms2,
  _GCDAsyncSocketDelegateForms3,
  _GCDAsyncSocketDelegateForms4,
  _GCDAsyncSocketDelegateForms5,
  _GCDAsyncSocketDelegateForms6
{}

/// Forms whose optional objects all have `?`.
public protocol _GCDAsyncSocketDelegateForms0: _DelegateForms {
  /// See `GCDAsyncSocketDelegate`.
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket?) -> DispatchQueue?
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket?) -> DispatchQueue
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket) -> DispatchQueue?
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket?) -> DispatchQueue?
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket) -> DispatchQueue
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket?) -> DispatchQueue
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket) -> DispatchQueue
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didAcceptNewSocket _: GCDAsyncSocket?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didAcceptNewSocket _: GCDAsyncSocket)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didAcceptNewSocket _: GCDAsyncSocket?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didConnectToHost _: String?, port _: UInt16)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didConnectToHost _: String, port _: UInt16)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didConnectToHost _: String?, port _: UInt16)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didConnectTo _: URL?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didConnectTo _: URL)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didConnectTo _: URL?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didRead _: Data?, withTag _: Int)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didRead _: Data, withTag _: Int)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didRead _: Data?, withTag _: Int)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didReadPartialDataOfLength _: UInt, tag _: Int)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didWriteDataWithTag _: Int)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didWritePartialDataOfLength _: UInt, tag _: Int)
  /// See `GCDAsyncSocketDelegate`.
  @_disfavoredOverload func socket(
    _: GCDAsyncSocket?, shouldTimeoutReadWithTag _: Int, elapsed _: TimeInterval, bytesDone _: UInt
  ) -> TimeInterval
  /// See `GCDAsyncSocketDelegate`.
  @_disfavoredOverload func socket(
    _: GCDAsyncSocket?, shouldTimeoutWriteWithTag _: Int, elapsed _: TimeInterval, bytesDone _: UInt
  ) -> TimeInterval
  /// See `GCDAsyncSocketDelegate`.
  @_disfavoredOverload func socketDidCloseReadStream(_: GCDAsyncSocket?)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket?, withError _: (any Error)?)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket?, withError _: NSError?)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket?, withError _: any Error)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket?, withError _: NSError)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket, withError _: NSError?)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket, withError _: any Error)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket, withError _: NSError)
  @_disfavoredOverload func socketDidSecure(_: GCDAsyncSocket?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didReceive _: SecTrust?, completionHandler _: _Handler?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didReceive _: SecTrust?, completionHandler _: @escaping _Handler)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didReceive _: SecTrust, completionHandler _: _Handler?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didReceive _: SecTrust?, completionHandler _: _Handler?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didReceive _: SecTrust, completionHandler _: @escaping _Handler)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didReceive _: SecTrust?, completionHandler _: @escaping _Handler)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didReceive _: SecTrust, completionHandler _: _Handler?)
}

extension _GCDAsyncSocketDelegateForms0 {
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket?) -> DispatchQueue? { miss(nil) }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket?) -> DispatchQueue { missQueue() }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket) -> DispatchQueue? { miss(nil) }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket?) -> DispatchQueue? { miss(nil) }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket) -> DispatchQueue { missQueue() }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket?) -> DispatchQueue { missQueue() }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket) -> DispatchQueue { missQueue() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket?, didAcceptNewSocket _: GCDAsyncSocket?) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket?, didAcceptNewSocket _: GCDAsyncSocket) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket, didAcceptNewSocket _: GCDAsyncSocket?) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket?, didConnectToHost _: String?, port _: UInt16) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket?, didConnectToHost _: String, port _: UInt16) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket, didConnectToHost _: String?, port _: UInt16) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket?, didConnectTo _: URL?) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket?, didConnectTo _: URL) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket, didConnectTo _: URL?) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket?, didRead _: Data?, withTag _: Int) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket?, didRead _: Data, withTag _: Int) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket, didRead _: Data?, withTag _: Int) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket?, didReadPartialDataOfLength _: UInt, tag _: Int) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket?, didWriteDataWithTag _: Int) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket?, didWritePartialDataOfLength _: UInt, tag _: Int) { miss() }
  @_disfavoredOverload
  public func socket(
    _: GCDAsyncSocket?, shouldTimeoutReadWithTag _: Int, elapsed _: TimeInterval, bytesDone _: UInt
  ) -> TimeInterval { miss(0) }
  @_disfavoredOverload
  public func socket(
    _: GCDAsyncSocket?, shouldTimeoutWriteWithTag _: Int, elapsed _: TimeInterval, bytesDone _: UInt
  ) -> TimeInterval { miss(0) }
  @_disfavoredOverload public func socketDidCloseReadStream(_: GCDAsyncSocket?) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket?, withError _: (any Error)?) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket?, withError _: NSError?) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket?, withError _: any Error) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket?, withError _: NSError) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket, withError _: NSError?) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket, withError _: any Error) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket, withError _: NSError) { miss() }
  @_disfavoredOverload public func socketDidSecure(_: GCDAsyncSocket?) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket?, didReceive _: SecTrust?, completionHandler _: _Handler?) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket?, didReceive _: SecTrust?, completionHandler _: @escaping _Handler) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket?, didReceive _: SecTrust, completionHandler _: _Handler?) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket, didReceive _: SecTrust?, completionHandler _: _Handler?) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket?, didReceive _: SecTrust, completionHandler _: @escaping _Handler) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket, didReceive _: SecTrust?, completionHandler _: @escaping _Handler) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket, didReceive _: SecTrust, completionHandler _: _Handler?) { miss() }
}

/// Forms of whose optional objects only the first has `!`.
public protocol _GCDAsyncSocketDelegateForms1: _DelegateForms {
  /// See `GCDAsyncSocketDelegate`.
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket?) -> DispatchQueue?
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket?) -> DispatchQueue
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket) -> DispatchQueue?
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket!) -> DispatchQueue?
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket) -> DispatchQueue
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket!) -> DispatchQueue
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket) -> DispatchQueue!
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didAcceptNewSocket _: GCDAsyncSocket?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didAcceptNewSocket _: GCDAsyncSocket)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didAcceptNewSocket _: GCDAsyncSocket!)
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didConnectToHost _: String?, port _: UInt16)
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didConnectToHost _: String, port _: UInt16)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didConnectToHost _: String!, port _: UInt16)
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didConnectTo _: URL?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didConnectTo _: URL)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didConnectTo _: URL!)
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didRead _: Data?, withTag _: Int)
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didRead _: Data, withTag _: Int)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didRead _: Data!, withTag _: Int)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket!, withError _: (any Error)?)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket!, withError _: NSError?)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket!, withError _: any Error)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket!, withError _: NSError)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket, withError _: (any Error)!)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket, withError _: NSError!)
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didReceive _: SecTrust?, completionHandler _: _Handler?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didReceive _: SecTrust?, completionHandler _: @escaping _Handler)
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didReceive _: SecTrust, completionHandler _: _Handler?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didReceive _: SecTrust!, completionHandler _: _Handler?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didReceive _: SecTrust, completionHandler _: @escaping _Handler)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didReceive _: SecTrust!, completionHandler _: @escaping _Handler)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didReceive _: SecTrust, completionHandler _: _Handler!)
}

extension _GCDAsyncSocketDelegateForms1 {
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket?) -> DispatchQueue? { miss(nil) }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket?) -> DispatchQueue { missQueue() }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket) -> DispatchQueue? { miss(nil) }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket!) -> DispatchQueue? { miss(nil) }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket) -> DispatchQueue { missQueue() }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket!) -> DispatchQueue { missQueue() }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket) -> DispatchQueue! { miss(nil) }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket!, didAcceptNewSocket _: GCDAsyncSocket?) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket!, didAcceptNewSocket _: GCDAsyncSocket) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket, didAcceptNewSocket _: GCDAsyncSocket!) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket!, didConnectToHost _: String?, port _: UInt16) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket!, didConnectToHost _: String, port _: UInt16) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket, didConnectToHost _: String!, port _: UInt16) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket!, didConnectTo _: URL?) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket!, didConnectTo _: URL) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket, didConnectTo _: URL!) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket!, didRead _: Data?, withTag _: Int) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket!, didRead _: Data, withTag _: Int) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket, didRead _: Data!, withTag _: Int) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket!, withError _: (any Error)?) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket!, withError _: NSError?) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket!, withError _: any Error) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket!, withError _: NSError) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket, withError _: (any Error)!) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket, withError _: NSError!) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket!, didReceive _: SecTrust?, completionHandler _: _Handler?) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket!, didReceive _: SecTrust?, completionHandler _: @escaping _Handler) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket!, didReceive _: SecTrust, completionHandler _: _Handler?) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket, didReceive _: SecTrust!, completionHandler _: _Handler?) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket!, didReceive _: SecTrust, completionHandler _: @escaping _Handler) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket, didReceive _: SecTrust!, completionHandler _: @escaping _Handler) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket, didReceive _: SecTrust, completionHandler _: _Handler!) { miss() }
}

/// Forms of whose optional objects only the second has `!`.
public protocol _GCDAsyncSocketDelegateForms2: _DelegateForms {
  /// See `GCDAsyncSocketDelegate`.
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket!) -> DispatchQueue?
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket!) -> DispatchQueue
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket) -> DispatchQueue!
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket?) -> DispatchQueue!
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didAcceptNewSocket _: GCDAsyncSocket!)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didConnectToHost _: String!, port _: UInt16)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didConnectTo _: URL!)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didRead _: Data!, withTag _: Int)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket?, withError _: (any Error)!)
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket?, withError _: NSError!)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didReceive _: SecTrust!, completionHandler _: _Handler?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didReceive _: SecTrust!, completionHandler _: @escaping _Handler)
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didReceive _: SecTrust, completionHandler _: _Handler!)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didReceive _: SecTrust?, completionHandler _: _Handler!)
}

extension _GCDAsyncSocketDelegateForms2 {
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket!) -> DispatchQueue? { miss(nil) }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket!) -> DispatchQueue { missQueue() }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket) -> DispatchQueue! { miss(nil) }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket?) -> DispatchQueue! { miss(nil) }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket?, didAcceptNewSocket _: GCDAsyncSocket!) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket?, didConnectToHost _: String!, port _: UInt16) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket?, didConnectTo _: URL!) { miss() }
  @_disfavoredOverload public func socket(_: GCDAsyncSocket?, didRead _: Data!, withTag _: Int) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket?, withError _: (any Error)!) { miss() }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket?, withError _: NSError!) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket?, didReceive _: SecTrust!, completionHandler _: _Handler?) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket?, didReceive _: SecTrust!, completionHandler _: @escaping _Handler) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket?, didReceive _: SecTrust, completionHandler _: _Handler!) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket, didReceive _: SecTrust?, completionHandler _: _Handler!) { miss() }
}

/// Forms whose first and second optional objects have `!`.
public protocol _GCDAsyncSocketDelegateForms3: _DelegateForms {
  /// See `GCDAsyncSocketDelegate`.
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket!) -> DispatchQueue?
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket!) -> DispatchQueue
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket) -> DispatchQueue!
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket!) -> DispatchQueue!
  @_disfavoredOverload func socketDidDisconnect(_: GCDAsyncSocket!, withError _: NSError!)
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didReceive _: SecTrust!, completionHandler _: _Handler?)
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didReceive _: SecTrust!, completionHandler _: @escaping _Handler)
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didReceive _: SecTrust, completionHandler _: _Handler!)
  @_disfavoredOverload func socket(_: GCDAsyncSocket, didReceive _: SecTrust!, completionHandler _: _Handler!)
}

extension _GCDAsyncSocketDelegateForms3 {
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket!) -> DispatchQueue? { miss(nil) }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket!) -> DispatchQueue { missQueue() }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket) -> DispatchQueue! { miss(nil) }
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data, on _: GCDAsyncSocket!) -> DispatchQueue! { miss(nil) }
  @_disfavoredOverload public func socketDidDisconnect(_: GCDAsyncSocket!, withError _: NSError!) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket!, didReceive _: SecTrust!, completionHandler _: _Handler?) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket!, didReceive _: SecTrust!, completionHandler _: @escaping _Handler) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket!, didReceive _: SecTrust, completionHandler _: _Handler!) { miss() }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket, didReceive _: SecTrust!, completionHandler _: _Handler!) { miss() }
}

/// Forms of whose optional objects only the third has `!`.
public protocol _GCDAsyncSocketDelegateForms4: _DelegateForms {
  /// See `GCDAsyncSocketDelegate`.
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket?) -> DispatchQueue!
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didReceive _: SecTrust?, completionHandler _: _Handler!)
}

extension _GCDAsyncSocketDelegateForms4 {
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket?) -> DispatchQueue! { miss(nil) }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket?, didReceive _: SecTrust?, completionHandler _: _Handler!) { miss() }
}

/// Forms whose first and third optional objects have `!`.
public protocol _GCDAsyncSocketDelegateForms5: _DelegateForms {
  /// See `GCDAsyncSocketDelegate`.
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket?) -> DispatchQueue!
  @_disfavoredOverload func socket(_: GCDAsyncSocket!, didReceive _: SecTrust?, completionHandler _: _Handler!)
}

extension _GCDAsyncSocketDelegateForms5 {
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data!, on _: GCDAsyncSocket?) -> DispatchQueue! { miss(nil) }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket!, didReceive _: SecTrust?, completionHandler _: _Handler!) { miss() }
}

/// Forms whose second and third optional objects have `!`.
public protocol _GCDAsyncSocketDelegateForms6: _DelegateForms {
  /// See `GCDAsyncSocketDelegate`.
  @_disfavoredOverload func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket!) -> DispatchQueue!
  @_disfavoredOverload func socket(_: GCDAsyncSocket?, didReceive _: SecTrust!, completionHandler _: _Handler!)
}

extension _GCDAsyncSocketDelegateForms6 {
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress _: Data?, on _: GCDAsyncSocket!) -> DispatchQueue! { miss(nil) }
  @_disfavoredOverload
  public func socket(_: GCDAsyncSocket?, didReceive _: SecTrust!, completionHandler _: _Handler!) { miss() }
}

// Made by `./lab tidy --update` from the delegate's protocol.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// The forms of the methods of `AsyncSocketDelegate` that it does not declare itself.
public protocol _AsyncSocketDelegateForms:
  _AsyncSocketDelegateForms0,
  _AsyncSocketDelegateForms1,
  _AsyncSocketDelegateForms2,
  _AsyncSocketDelegateForms3,
  _AsyncSocketDelegateForms4,
  _AsyncSocketDelegateForms5,
  _AsyncSocketDelegateForms6
{}

/// Forms whose optional objects all have `?`.
public protocol _AsyncSocketDelegateForms0: _DelegateForms {
  /// See `AsyncSocketDelegate`.
  @_disfavoredOverload func onSocket(_: AsyncSocket?, willDisconnectWithError _: (any Error)?)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, willDisconnectWithError _: NSError?)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, willDisconnectWithError _: any Error)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, willDisconnectWithError _: NSError)
  @_disfavoredOverload func onSocket(_: AsyncSocket, willDisconnectWithError _: NSError?)
  @_disfavoredOverload func onSocket(_: AsyncSocket, willDisconnectWithError _: any Error)
  @_disfavoredOverload func onSocket(_: AsyncSocket, willDisconnectWithError _: NSError)
  @_disfavoredOverload func onSocketDidDisconnect(_: AsyncSocket?)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, didAcceptNewSocket _: AsyncSocket?)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, didAcceptNewSocket _: AsyncSocket)
  @_disfavoredOverload func onSocket(_: AsyncSocket, didAcceptNewSocket _: AsyncSocket?)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop?
  @_disfavoredOverload func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop
  @_disfavoredOverload func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop?
  @_disfavoredOverload func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop?
  @_disfavoredOverload func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop
  @_disfavoredOverload func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop
  @_disfavoredOverload func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop
  @_disfavoredOverload func onSocketWillConnect(_: AsyncSocket?) -> Bool
  @_disfavoredOverload func onSocket(_: AsyncSocket?, didConnectToHost _: String?, port _: UInt16)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, didConnectToHost _: String, port _: UInt16)
  @_disfavoredOverload func onSocket(_: AsyncSocket, didConnectToHost _: String?, port _: UInt16)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, didRead _: Data?, withTag _: Int)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, didRead _: Data, withTag _: Int)
  @_disfavoredOverload func onSocket(_: AsyncSocket, didRead _: Data?, withTag _: Int)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, didReadPartialDataOfLength _: UInt, tag _: Int)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, didWriteDataWithTag _: Int)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, didWritePartialDataOfLength _: UInt, tag _: Int)
  /// See `AsyncSocketDelegate`.
  @_disfavoredOverload func onSocket(
    _: AsyncSocket?, shouldTimeoutReadWithTag _: Int, elapsed _: TimeInterval, bytesDone _: UInt
  ) -> TimeInterval
  /// See `AsyncSocketDelegate`.
  @_disfavoredOverload func onSocket(
    _: AsyncSocket?, shouldTimeoutWriteWithTag _: Int, elapsed _: TimeInterval, bytesDone _: UInt
  ) -> TimeInterval
  /// See `AsyncSocketDelegate`.
  @_disfavoredOverload func onSocketDidSecure(_: AsyncSocket?)
}

extension _AsyncSocketDelegateForms0 {
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, willDisconnectWithError _: (any Error)?) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, willDisconnectWithError _: NSError?) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, willDisconnectWithError _: any Error) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, willDisconnectWithError _: NSError) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket, willDisconnectWithError _: NSError?) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket, willDisconnectWithError _: any Error) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket, willDisconnectWithError _: NSError) { miss() }
  @_disfavoredOverload public func onSocketDidDisconnect(_: AsyncSocket?) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, didAcceptNewSocket _: AsyncSocket?) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, didAcceptNewSocket _: AsyncSocket) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket, didAcceptNewSocket _: AsyncSocket?) { miss() }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop? { miss(nil) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop { miss(.current) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop? { miss(nil) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop? { miss(nil) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop { miss(.current) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop { miss(.current) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop { miss(.current) }
  @_disfavoredOverload public func onSocketWillConnect(_: AsyncSocket?) -> Bool { miss(true) }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, didConnectToHost _: String?, port _: UInt16) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, didConnectToHost _: String, port _: UInt16) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket, didConnectToHost _: String?, port _: UInt16) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, didRead _: Data?, withTag _: Int) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, didRead _: Data, withTag _: Int) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket, didRead _: Data?, withTag _: Int) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, didReadPartialDataOfLength _: UInt, tag _: Int) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, didWriteDataWithTag _: Int) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, didWritePartialDataOfLength _: UInt, tag _: Int) { miss() }
  @_disfavoredOverload
  public func onSocket(
    _: AsyncSocket?, shouldTimeoutReadWithTag _: Int, elapsed _: TimeInterval, bytesDone _: UInt
  ) -> TimeInterval { miss(0) }
  @_disfavoredOverload
  public func onSocket(
    _: AsyncSocket?, shouldTimeoutWriteWithTag _: Int, elapsed _: TimeInterval, bytesDone _: UInt
  ) -> TimeInterval { miss(0) }
  @_disfavoredOverload public func onSocketDidSecure(_: AsyncSocket?) { miss() }
}

/// Forms of whose optional objects only the first has `!`.
public protocol _AsyncSocketDelegateForms1: _DelegateForms {
  /// See `AsyncSocketDelegate`.
  @_disfavoredOverload func onSocket(_: AsyncSocket!, willDisconnectWithError _: (any Error)?)
  @_disfavoredOverload func onSocket(_: AsyncSocket!, willDisconnectWithError _: NSError?)
  @_disfavoredOverload func onSocket(_: AsyncSocket!, willDisconnectWithError _: any Error)
  @_disfavoredOverload func onSocket(_: AsyncSocket!, willDisconnectWithError _: NSError)
  @_disfavoredOverload func onSocket(_: AsyncSocket, willDisconnectWithError _: (any Error)!)
  @_disfavoredOverload func onSocket(_: AsyncSocket, willDisconnectWithError _: NSError!)
  @_disfavoredOverload func onSocket(_: AsyncSocket!, didAcceptNewSocket _: AsyncSocket?)
  @_disfavoredOverload func onSocket(_: AsyncSocket!, didAcceptNewSocket _: AsyncSocket)
  @_disfavoredOverload func onSocket(_: AsyncSocket, didAcceptNewSocket _: AsyncSocket!)
  @_disfavoredOverload func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop?
  @_disfavoredOverload func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop
  @_disfavoredOverload func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop?
  @_disfavoredOverload func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop?
  @_disfavoredOverload func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop
  @_disfavoredOverload func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop
  @_disfavoredOverload func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop!
  @_disfavoredOverload func onSocket(_: AsyncSocket!, didConnectToHost _: String?, port _: UInt16)
  @_disfavoredOverload func onSocket(_: AsyncSocket!, didConnectToHost _: String, port _: UInt16)
  @_disfavoredOverload func onSocket(_: AsyncSocket, didConnectToHost _: String!, port _: UInt16)
  @_disfavoredOverload func onSocket(_: AsyncSocket!, didRead _: Data?, withTag _: Int)
  @_disfavoredOverload func onSocket(_: AsyncSocket!, didRead _: Data, withTag _: Int)
  @_disfavoredOverload func onSocket(_: AsyncSocket, didRead _: Data!, withTag _: Int)
}

extension _AsyncSocketDelegateForms1 {
  @_disfavoredOverload public func onSocket(_: AsyncSocket!, willDisconnectWithError _: (any Error)?) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket!, willDisconnectWithError _: NSError?) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket!, willDisconnectWithError _: any Error) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket!, willDisconnectWithError _: NSError) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket, willDisconnectWithError _: (any Error)!) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket, willDisconnectWithError _: NSError!) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket!, didAcceptNewSocket _: AsyncSocket?) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket!, didAcceptNewSocket _: AsyncSocket) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket, didAcceptNewSocket _: AsyncSocket!) { miss() }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop? { miss(nil) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop { miss(.current) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop? { miss(nil) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop? { miss(nil) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop { miss(.current) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop { miss(.current) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop! { miss(nil) }
  @_disfavoredOverload public func onSocket(_: AsyncSocket!, didConnectToHost _: String?, port _: UInt16) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket!, didConnectToHost _: String, port _: UInt16) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket, didConnectToHost _: String!, port _: UInt16) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket!, didRead _: Data?, withTag _: Int) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket!, didRead _: Data, withTag _: Int) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket, didRead _: Data!, withTag _: Int) { miss() }
}

/// Forms of whose optional objects only the second has `!`.
public protocol _AsyncSocketDelegateForms2: _DelegateForms {
  /// See `AsyncSocketDelegate`.
  @_disfavoredOverload func onSocket(_: AsyncSocket?, willDisconnectWithError _: (any Error)!)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, willDisconnectWithError _: NSError!)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, didAcceptNewSocket _: AsyncSocket!)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop?
  @_disfavoredOverload func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop
  @_disfavoredOverload func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop!
  @_disfavoredOverload func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop!
  @_disfavoredOverload func onSocket(_: AsyncSocket?, didConnectToHost _: String!, port _: UInt16)
  @_disfavoredOverload func onSocket(_: AsyncSocket?, didRead _: Data!, withTag _: Int)
}

extension _AsyncSocketDelegateForms2 {
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, willDisconnectWithError _: (any Error)!) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, willDisconnectWithError _: NSError!) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, didAcceptNewSocket _: AsyncSocket!) { miss() }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop? { miss(nil) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop { miss(.current) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop! { miss(nil) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop! { miss(nil) }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, didConnectToHost _: String!, port _: UInt16) { miss() }
  @_disfavoredOverload public func onSocket(_: AsyncSocket?, didRead _: Data!, withTag _: Int) { miss() }
}

/// Forms whose first and second optional objects have `!`.
public protocol _AsyncSocketDelegateForms3: _DelegateForms {
  /// See `AsyncSocketDelegate`.
  @_disfavoredOverload func onSocket(_: AsyncSocket!, willDisconnectWithError _: NSError!)
  @_disfavoredOverload func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop?
  @_disfavoredOverload func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop
  @_disfavoredOverload func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop!
  @_disfavoredOverload func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop!
}

extension _AsyncSocketDelegateForms3 {
  @_disfavoredOverload public func onSocket(_: AsyncSocket!, willDisconnectWithError _: NSError!) { miss() }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop? { miss(nil) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop { miss(.current) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket) -> RunLoop! { miss(nil) }
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop! { miss(nil) }
}

/// Forms of whose optional objects only the third has `!`.
public protocol _AsyncSocketDelegateForms4: _DelegateForms {
  /// See `AsyncSocketDelegate`.
  @_disfavoredOverload func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop!
}

extension _AsyncSocketDelegateForms4 {
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop! { miss(nil) }
}

/// Forms whose first and third optional objects have `!`.
public protocol _AsyncSocketDelegateForms5: _DelegateForms {
  /// See `AsyncSocketDelegate`.
  @_disfavoredOverload func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop!
}

extension _AsyncSocketDelegateForms5 {
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket!, wantsRunLoopForNewSocket _: AsyncSocket?) -> RunLoop! { miss(nil) }
}

/// Forms whose second and third optional objects have `!`.
public protocol _AsyncSocketDelegateForms6: _DelegateForms {
  /// See `AsyncSocketDelegate`.
  @_disfavoredOverload func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop!
}

extension _AsyncSocketDelegateForms6 {
  @_disfavoredOverload
  public func onSocket(_: AsyncSocket?, wantsRunLoopForNewSocket _: AsyncSocket!) -> RunLoop! { miss(nil) }
}

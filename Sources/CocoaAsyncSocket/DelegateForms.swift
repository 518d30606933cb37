import SocketPOSIX

/// A delegate's methods, for both classes of sockets.
enum DelegateMethod: UInt {
  case newSocketQueue, wantsRunLoop, didAccept, willConnect, didConnect, didConnectToPath, didRead, didReadPartial,
    didWrite, didWritePartial, shouldTimeoutRead, shouldTimeoutWrite, willDisconnect, didCloseReadStream, didDisconnect,
    didSecure
  // What a `SecTrust` is passed to has a number of another method, which no delegate of the same protocol has.
  static let didReceiveTrust = DelegateMethod.wantsRunLoop
}

/// Every method of a delegate is declared in two forms, with and without implicitly unwrapped objects, and a class
/// implements one of them. The default implementation of each form calls the other one, so that a caller need not know
/// which: the library calls the form without marks, and a user's own call with a `GCDAsyncSocket!` means the form with
/// them. Where a class implements neither, the default that was reached from the other one is the last.
///
/// Which methods are under way is kept for each thread. It costs some nanoseconds, for methods that are not implemented
/// or implemented with marks.
enum DelegateForms {
  /// Calls the other form, from the default implementation of a method.
  static func callOther<Result>(_ method: DelegateMethod, of delegate: AnyObject, _ call: () -> Result) -> Result {
    let former = callUnderWay.pointer
    callUnderWay.pointer = mark(method, of: delegate)
    defer { callUnderWay.pointer = former }
    return call()
  }

  /// Whether the default implementation of a method was called by that of the other form: the delegate has neither.
  static func isLast(_ method: DelegateMethod, of delegate: AnyObject) -> Bool {
    callUnderWay.pointer == mark(method, of: delegate)
  }

  /// An object's address ends with four bits of zero, where there is room for the method.
  private static func mark(_ method: DelegateMethod, of delegate: AnyObject) -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(
      bitPattern: UInt(bitPattern: Unmanaged.passUnretained(delegate).toOpaque()) | method.rawValue)
  }

  private static let callUnderWay = ThreadValue()
}

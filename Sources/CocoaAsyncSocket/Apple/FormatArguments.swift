import Foundation

// On Apple's systems every object is an argument of `NSLog("%@", sock)` and `String(format:)`. On Linux only strings
// are, by a protocol of Foundation's whose name begins with an underscore: there is no other way, because `%@` of a
// plain `CVarArg` wants the address of an object of Core Foundation, and crashes at that of another one. What is
// printed is the description.

extension GCDAsyncSocket: _CVarArgObject {
  /// What `%@` prints: the description, as of now.
  public var _cVarArgObject: any CVarArg { description as NSString }
  /// The socket's address, for whoever makes a list of arguments without Foundation.
  public var _cVarArgEncoding: [Int] { [addressInMemory(self)] }
}

extension AsyncSocket: _CVarArgObject {
  /// What `%@` prints: the description, as of now.
  public var _cVarArgObject: any CVarArg { description as NSString }
  /// The socket's address, for whoever makes a list of arguments without Foundation.
  public var _cVarArgEncoding: [Int] { [addressInMemory(self)] }
}

private func addressInMemory(_ object: AnyObject) -> Int {
  Int(bitPattern: Unmanaged.passUnretained(object).toOpaque())
}

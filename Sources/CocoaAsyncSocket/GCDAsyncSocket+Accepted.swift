import Dispatch

extension GCDAsyncSocket {
  /// What makes an accepted socket. Dispatches to the subclass's designated initialiser, like every convenience one.
  convenience init(
    accepted delegate: (any GCDAsyncSocketDelegate)?, _ delegateQueue: DispatchQueue?, _ socketQueue: DispatchQueue?
  ) {
    self.init(delegate: delegate, delegateQueue: delegateQueue, socketQueue: socketQueue)
  }

  /// The same for a class that is known at run time only: an accepted socket is of its listener's class (LIFE-27).
  ///
  /// In Swift this takes a `required` initialiser, which every subclass with initialisers of its own would have to
  /// restate, though few of them listen; code written for the original does not. But what makes an object of a
  /// convenience initialiser is a function that is told the class, like a class method, and this declares it as one, by
  /// its symbol. The compiler and the linker hold the symbol and both types to each other. A subclass that listens and
  /// lacks the designated initialiser ends the program with Swift's own message, as with the original.
  @_silgen_name("$s16CocoaAsyncSocket08GCDAsyncC0C8accepted__AcA0dC8Delegate_pSg_8Dispatch0G5QueueCSgAJtcfC")
  static func makeAccepted(
    _ delegate: __owned (any GCDAsyncSocketDelegate)?, _ delegateQueue: __owned DispatchQueue?,
    _ socketQueue: __owned DispatchQueue?
  ) -> GCDAsyncSocket
}

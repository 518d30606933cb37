import Foundation
import SocketPOSIX

extension AsyncSocket {
  /// What makes an accepted socket. Dispatches to the subclass's designated initialiser, like every convenience one.
  convenience init(accepted delegate: (any AsyncSocketDelegate)?) { self.init(delegate: delegate, userData: 0) }

  /// The same for a class that is known at run time only (LIFE-27); see `GCDAsyncSocket.makeAccepted`.
  @_silgen_name("$s16CocoaAsyncSocket0bC0C8acceptedAcA0bC8Delegate_pSg_tcfC")
  static func makeAccepted(_ delegate: __owned (any AsyncSocketDelegate)?) -> AsyncSocket

  /// Takes over one end of a connected stream of any family, such as a socket pair's, on the caller's run loop, without
  /// didConnect. On failure the descriptor stays the caller's.
  package convenience init(
    adoptingStream descriptor: Int32, delegate: (any AsyncSocketDelegate)?
  ) throws(SystemCallFailure) {
    try SocketCall.setNonBlocking(descriptor)
    self.init(delegate: delegate, userData: 0)
    driver.adopt(OpenSocket(Descriptor(adopting: descriptor)), modes: [.default], isNoDelayEnabled: false)
    driver.openAccepted()
  }
}

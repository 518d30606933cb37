import SocketCore
import SocketTLS

extension GCDAsyncSocket {
  /// The certificates the peer has shown, as it sent them, its own first: for looking at whom the connection is with,
  /// for instance when no `peerName` could be given beforehand.
  ///
  /// They are there from socketDidSecure until the connection ends. Before and after (in socketDidDisconnect, too),
  /// without TLS, and for a server whose client showed none, there are none. What was checked of them is up to the
  /// settings: where the chain is not checked, or by a delegate that trusts everybody, they prove nothing. May be asked
  /// from any thread or queue; each call reads them anew, so keep what you need.
  public var peerCertificates: [SecCertificate] {
    driver.look { SecCertificate.shown(in: driver.machine) }
  }
}

extension SecCertificate {
  /// The certificates that the peer of a machine's secured connection has shown.
  package static func shown(in machine: SocketMachine) -> [SecCertificate] {
    guard machine.isSecure, let session = machine.session as? TLSSession else { return [] }
    return session.peerCertificates.map(SecCertificate.init(core:))
  }
}

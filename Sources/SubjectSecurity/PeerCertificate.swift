import CocoaAsyncSocket
import ScenarioModel
import SocketCore
import TestCertificates

extension PropertyValue {
  /// What a peer has shown, its own certificate first, by the lab's name for it.
  package static func certificate(_ shown: [SecCertificate]) -> PropertyValue {
    guard let own = shown.first else { return .none }
    return .text(TestPKI.shared.name(ofCertificate: Array(own.data))?.rawValue ?? "unknown (\(own.subject))")
  }

  /// The same of a machine that no socket is around.
  package static func certificate(shownTo machine: SocketMachine) -> PropertyValue {
    certificate(SecCertificate.shown(in: machine))
  }
}

import CocoaAsyncSocket
import Foundation
import ScenarioModel

extension SubjectError {
  /// The lab's view of an error that a socket of either class threw or reported.
  package init(_ error: any Error) {
    if let misuse = error as? AsyncSocketMisuse {
      self.init(domain: .exception, code: 0, message: misuse.reason)
      return
    }
    let error = error as NSError
    let domain: Domain =
      switch error.domain {
      case GCDAsyncSocketErrorDomain: .library
      case AsyncSocketErrorDomain: .runLoop
      case NSPOSIXErrorDomain: .posix
      case "kCFStreamErrorDomainNetDB": .netDB
      case "kCFStreamErrorDomainSSL": .ssl
      default: .other
      }
    self.init(
      domain: domain, code: error.code, message: error.localizedDescription, reason: error.localizedFailureReason)
  }

  /// A command that meant something that does not exist.
  package init(noObject message: String) { self.init(domain: .other, code: 0, message: message) }
}

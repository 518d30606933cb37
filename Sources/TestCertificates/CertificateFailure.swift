/// Why a certificate can't be made: always the lab's own fault, or that of the OpenSSL it stands on.
package enum CertificateFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// An OpenSSL call failed: which one, and what OpenSSL has to say.
  case openSSL(call: String, reason: String)
  /// A validity would leave the years 1 to 9999, which certificates can express.
  case timeOutOfRange(Int64)

  package var description: String {
    switch self {
    case .openSSL(let call, let reason): "\(call) failed: \(reason)"
    case .timeOutOfRange(let seconds): "\(seconds) seconds since 1970 is no time a certificate can state"
    }
  }
}

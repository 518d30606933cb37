import CRivals
import Foundation

/// A certificate that signs itself and its key, in PEM: minted anew by each server, and believed by every client here.
func certificate() throws -> Data {
  var bytes = [CChar](repeating: 0, count: 8192)
  let count = rival_certificate(&bytes, bytes.count)
  guard count > 0 else { throw ServerFailure(description: "OpenSSL could not make a certificate.") }
  return Data(bytes[..<count].map { UInt8(bitPattern: $0) })
}

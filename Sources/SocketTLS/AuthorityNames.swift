import COpenSSL
import SocketCore

/// The lists of names in a ClientHello and in a CertificateRequest, before OpenSSL reads them.
///
/// OpenSSL makes an object of each name, fifty bytes of memory for one of the wire, and keeps all of them as long as
/// the session, whether anybody asks for them or not. A ClientHello comes from anybody, and the library uses no such
/// list.
enum AuthorityNames {
  /// What a list may have.
  struct Bounds: Sendable {
    var names: Int
    var bytes: Int
  }

  /// In a ClientHello (certificate_authorities). All authorities that a system trusts are about 150 names, and 15 KB.
  static let ofClients = Bounds(names: 256, bytes: 1 << 14)
  /// In a CertificateRequest. Some servers list all authorities they know.
  static let ofServers = Bounds(names: 512, bytes: 1 << 15)

  /// What is wrong with the body of a CertificateRequest; nil: nothing, or what OpenSSL finds itself.
  static func problem(ofRequest body: UnsafeRawBufferPointer, version: Int32) -> String? {
    var vectors = WireVectors(body)
    guard version >= ProtocolVersion.tls13.rawValue else {
      // The kinds of certificates, from TLS 1.2 on the algorithms of signatures, the names.
      guard vectors.next(lengthOf: 1) != nil,
        version < ProtocolVersion.tls12.rawValue || vectors.next(lengthOf: 2) != nil
      else { return nil }
      return problem(vectors.rest, ofServers)
    }
    // A context, the extensions.
    guard vectors.next(lengthOf: 1) != nil, let extensions = vectors.next(lengthOf: 2) else { return nil }
    vectors = WireVectors(extensions)
    while let kind = vectors.number(size: 2), let content = vectors.next(lengthOf: 2) {
      if kind == Int(TLSEXT_TYPE_certificate_authorities), let found = problem(content, ofServers) { return found }
    }
    return nil
  }

  /// The same of a list with its length in front.
  static func problem(_ list: UnsafeRawBufferPointer, _ bounds: Bounds) -> String? {
    guard list.count <= bounds.bytes + 2 else {
      return "its names of authorities have more than \(bounds.bytes) bytes"
    }
    var names = WireVectors(UnsafeRawBufferPointer(rebasing: list.dropFirst(2)))
    var count = 0
    while names.next(lengthOf: 2) != nil { count += 1 }
    return count <= bounds.names ? nil : "it names more than \(bounds.names) authorities"
  }
}

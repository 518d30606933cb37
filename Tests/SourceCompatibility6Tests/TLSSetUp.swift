import CocoaAsyncSocket
import Foundation
import Security

// TLS as programs set it up around the library, in Swift 6 mode.

enum TLSSetUpError: Error {
  case importFailed(OSStatus), noIdentity
}

struct TLSSetUp {
  static func identity(from p12: Data, passphrase: String) throws -> SecIdentity {
    let options = [kSecImportExportPassphrase as String: passphrase] as CFDictionary
    var rawItems: CFArray?
    let status = SecPKCS12Import(p12 as CFData, options, &rawItems)
    guard status == errSecSuccess else { throw TLSSetUpError.importFailed(status) }
    let items = rawItems! as! [[String: Any]]
    guard let first = items.first, let identity = first[kSecImportItemIdentity as String] else {
      throw TLSSetUpError.noIdentity
    }
    return identity as! SecIdentity
  }

  static func serverSettings(_ identity: SecIdentity, chain: [SecCertificate]) -> [String: NSObject] {
    [
      kCFStreamSSLIsServer as String: true as NSObject,
      kCFStreamSSLCertificates as String: ([identity] as [AnyObject] + chain) as NSArray,
      GCDAsyncSocketSSLProtocolVersionMin as String: NSNumber(value: SSLProtocol.tlsProtocol12.rawValue),
      GCDAsyncSocketSSLALPN as String: ["h2", "http/1.1"] as NSArray,
    ]
  }

  static func certificates(at urls: [URL]) -> [SecCertificate] {
    urls.compactMap { try? Data(contentsOf: $0) }.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
  }
}

/// Pins the peer's certificate, and asks the platform about the rest on a queue.
final class PinningDelegate: NSObject, GCDAsyncSocketDelegate {
  private let pins: Set<Data>
  private let queue = DispatchQueue(label: "trust")

  init(pins: [SecCertificate]) { self.pins = Set(pins.map { SecCertificateCopyData($0) as Data }) }

  func socket(
    _ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler shouldTrustPeer: @escaping (Bool) -> Void
  ) {
    for index in 0..<SecTrustGetCertificateCount(trust) {
      guard let certificate = SecTrustGetCertificateAtIndex(trust, index) else { continue }
      if pins.contains(SecCertificateCopyData(certificate) as Data) { return shouldTrustPeer(true) }
    }
    let status = SecTrustEvaluateAsyncWithError(trust, queue) { _, isTrusted, error in
      if let error { print(error.localizedDescription) }
      shouldTrustPeer(isTrusted)
    }
    if status != errSecSuccess { shouldTrustPeer(false) }
  }
}

/// Judges in a task of its own; the handler crosses to it.
final class ReflectingDelegate: NSObject, GCDAsyncSocketDelegate {
  func socket(
    _ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: @escaping @Sendable (Bool) -> Void
  ) {
    Task {
      var error: CFError?
      let isTrusted = SecTrustEvaluateWithError(trust, &error)
      completionHandler(isTrusted)
    }
  }
}

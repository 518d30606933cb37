import CocoaAsyncSocket
import Foundation

#if os(Linux)
  extension Case {
    /// The dictionary that `startTLS` takes, with the case's own certificates.
    static func settings(_ message: Message) throws -> [String: NSObject] {
      var settings: [String: NSObject] = [:]
      let text = { (key: String) in message[key] as? String }
      let pem = { (key: String) in text(key).map { Data($0.utf8) } }
      settings[GCDAsyncSocketSSLVerifyDate] = NSDate(timeIntervalSince1970: message["time"] as? Double ?? 0)
      if let anchors = pem("anchors") {
        settings[GCDAsyncSocketSSLTrustAnchors] = try SecCertificate.certificates(anchors) as NSArray
      }
      settings[GCDAsyncSocketSSLTrustAnchorsOnly] = NSNumber(value: message["anchors"] != nil)
      if let lists = text("revocationLists") {
        let end = "-----END X509 CRL-----"
        settings[GCDAsyncSocketSSLRevocationLists] =
          lists.components(separatedBy: end).dropLast().map { Data(($0 + end + "\n").utf8) as NSData } as NSArray
      }
      if let chain = pem("chain"), let key = pem("key") {
        settings[kCFStreamSSLCertificates] = [try SecIdentity(pem: chain, key: key)] as NSArray
      }
      settings[kCFStreamSSLIsServer] = NSNumber(value: text("role") == "server")
      settings[kCFStreamSSLPeerName] = text("peerName").map { $0 as NSString }
      let flags = [
        "manualTrust": GCDAsyncSocketManuallyEvaluateTrust,
        "allowsExpiredCertificates": kCFStreamSSLAllowsExpiredCertificates,
        "allowsExpiredRoots": kCFStreamSSLAllowsExpiredRoots, "allowsAnyRoot": kCFStreamSSLAllowsAnyRoot,
        "validatesChain": kCFStreamSSLValidatesCertificateChain,
      ]
      for (key, setting) in flags { settings[setting] = (message[key] as? Bool).map { NSNumber(value: $0) } }
      let versions: [String: SSLProtocol] = [
        "tls1.0": .tlsProtocol1, "tls1.1": .tlsProtocol11, "tls1.2": .tlsProtocol12, "tls1.3": .tlsProtocol13,
      ]
      let version = { (key: String) in versions[text(key) ?? ""].map { NSNumber(value: $0.rawValue) } }
      settings[GCDAsyncSocketSSLProtocolVersionMin] = version("minimum")
      settings[GCDAsyncSocketSSLProtocolVersionMax] = version("maximum")
      let list = { (key: String) in (message[key] as? [String]).map { $0.map { $0 as NSString } as NSArray } }
      settings[GCDAsyncSocketSSLCipherSuites] = list("ciphers")
      settings[GCDAsyncSocketSSLALPN] = list("alpn")
      return settings
    }
  }
#endif

import CocoaAsyncSocket
import Foundation
import Security

// As a client of a broker writes it: a socket behind a protocol, a frame reader by tags, TLS with an identity from a
// PKCS#12 and a trust that the program judges itself.

protocol BrokerSocketDelegate: AnyObject {
  func socketConnected(_ socket: BrokerSocketProtocol)
  func socket(
    _ socket: BrokerSocketProtocol, didReceive trust: SecTrust, completionHandler: @escaping (Bool) -> Swift.Void)
  func socket(_ socket: BrokerSocketProtocol, didRead data: Data, withTag tag: Int)
  func socketDidDisconnect(_ socket: BrokerSocketProtocol, withError err: Error?)
}

protocol BrokerSocketProtocol {
  var enableSSL: Bool { get set }
  func setDelegate(_ theDelegate: BrokerSocketDelegate?, delegateQueue: DispatchQueue?)
  func connect(toHost host: String, onPort port: UInt16, withTimeout timeout: TimeInterval) throws
  func disconnect()
  func readData(toLength length: UInt, withTimeout timeout: TimeInterval, tag: Int)
  func write(_ data: Data, withTimeout timeout: TimeInterval, tag: Int)
}

class BrokerSocket: NSObject {
  var backgroundOnSocket = true
  var enableSSL = false
  var allowUntrustCACertificate = false
  var sslSettings: [String: NSObject]?

  fileprivate let reference = GCDAsyncSocket()
  fileprivate weak var delegate: BrokerSocketDelegate?
}

extension BrokerSocket: BrokerSocketProtocol {
  func setDelegate(_ theDelegate: BrokerSocketDelegate?, delegateQueue: DispatchQueue?) {
    delegate = theDelegate
    reference.setDelegate((delegate != nil ? self : nil), delegateQueue: delegateQueue)
  }

  func connect(toHost host: String, onPort port: UInt16, withTimeout timeout: TimeInterval) throws {
    try reference.connect(toHost: host, onPort: port, withTimeout: timeout)
  }

  func disconnect() { reference.disconnect() }

  func readData(toLength length: UInt, withTimeout timeout: TimeInterval, tag: Int) {
    reference.readData(toLength: length, withTimeout: timeout, tag: tag)
  }

  func write(_ data: Data, withTimeout timeout: TimeInterval, tag: Int) {
    reference.write(data, withTimeout: timeout, tag: tag)
  }
}

extension BrokerSocket: GCDAsyncSocketDelegate {
  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    if backgroundOnSocket {
      sock.perform {
        sock.enableBackgroundingOnSocket()
      }
    }
    if enableSSL {
      var setting = sslSettings ?? [:]
      setting[GCDAsyncSocketManuallyEvaluateTrust as String] = NSNumber(value: true)
      setting[kCFStreamSSLPeerName as String] = host as NSString
      setting[kCFStreamSSLIsServer as String] = kCFBooleanFalse
      setting[kCFStreamSSLLevel as String] = kCFStreamSocketSecurityLevelNegotiatedSSL as NSObject
      sock.startTLS(setting)
    } else {
      delegate?.socketConnected(self)
    }
  }

  func socket(
    _ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: @escaping (Bool) -> Swift.Void
  ) {
    if let delegate = delegate {
      delegate.socket(self, didReceive: trust, completionHandler: completionHandler)
    } else {
      completionHandler(false)
    }
  }

  func socketDidSecure(_ sock: GCDAsyncSocket) { delegate?.socketConnected(self) }

  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) {}

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    delegate?.socket(self, didRead: data, withTag: tag)
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) {
    reference.delegate = nil
    delegate?.socketDidDisconnect(self, withError: err)
  }
}

enum BrokerCertificates {
  static func clientCertificates(in file: Data, password: String) -> CFArray? {
    let options: NSDictionary = [kSecImportExportPassphrase as String: password]
    var items: CFArray?
    let securityError = SecPKCS12Import(file as NSData, options, &items)
    guard securityError == errSecSuccess else {
      if securityError == errSecAuthFailed { return nil }
      return nil
    }
    guard let theArray = items, CFArrayGetCount(theArray) > 0 else { return nil }
    let dictionary = (theArray as NSArray).object(at: 0)
    guard let identity = (dictionary as? NSDictionary)?.object(forKey: kSecImportItemIdentity as String) else {
      return nil
    }
    return [identity] as CFArray
  }

  static func evaluate(_ trust: SecTrust, host: String, pinned: [SecCertificate]) -> Bool {
    let policy = SecPolicyCreateSSL(true, host as CFString)
    SecTrustSetPolicies(trust, policy)
    SecTrustSetAnchorCertificates(trust, pinned as CFArray)
    SecTrustSetAnchorCertificatesOnly(trust, true)
    if #available(iOS 13, *) {
      var error: CFError?
      return SecTrustEvaluateWithError(trust, &error)
    } else {
      var result: SecTrustResultType = .invalid
      let status = SecTrustEvaluate(trust, &result)
      return status == errSecSuccess && (result == .unspecified || result == .proceed)
    }
  }
}

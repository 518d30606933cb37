import CocoaAsyncSocket
import Foundation
import ScenarioModel
import SubjectSecurity

// What a `check` reads.
extension SubjectStage {
  /// The property's value; none for a socket that does not exist. `name` is the buffer's.
  func read(_ property: SubjectProperty, name: String?, of socketName: String) -> PropertyValue {
    if property == .buffer { return name.flatMap { memory(named: $0) }.map { .bytes($0.bytes) } ?? .none }
    guard let socket = socket(named: socketName) else { return .none }
    switch property {
    case .isConnected: return .flag(socket.isConnected)
    case .isDisconnected: return .flag(socket.isDisconnected)
    case .isSecure: return .flag(socket.isSecure)
    case .isIPv4: return .flag(socket.isIPv4)
    case .isIPv6: return .flag(socket.isIPv6)
    case .connectedHost: return text(socket.connectedHost)
    case .connectedPort: return .number(Double(socket.connectedPort))
    case .localHost: return text(socket.localHost)
    case .localPort: return .number(Double(socket.localPort))
    case .connectedURL: return text(socket.connectedUrl.map { folder.relative($0.path) })
    case .connectedAddress: return bytes(socket.connectedAddress)
    case .localAddress: return bytes(socket.localAddress)
    case .ipv4Enabled: return .flag(socket.isIPv4Enabled)
    case .ipv6Enabled: return .flag(socket.isIPv6Enabled)
    case .ipv4Preferred: return .flag(socket.isIPv4PreferredOverIPv6)
    case .autoDisconnectOnClosedReadStream: return .flag(socket.autoDisconnectOnClosedReadStream)
    case .alternateAddressDelay: return .number(socket.alternateAddressDelay)
    case .userData: return text(socket.userData as? String)
    case .progressOfRead: return progress(socket.progress(ofReadReturningTag:bytesDone:total:))
    case .progressOfWrite: return progress(socket.progress(ofWriteReturningTag:bytesDone:total:))
    case .peerCertificate: return .certificate(socket.peerCertificates)
    case .buffer, .unreadData, .canSafelySetDelegate, .runLoopModes, .description: return .none
    }
  }

  private func text(_ value: String?) -> PropertyValue { value.map { .text($0) } ?? .none }

  private func bytes(_ value: Data?) -> PropertyValue { value.map { .bytes(Array($0)) } ?? .none }

  private func progress(
    _ ask: (UnsafeMutablePointer<Int>?, UnsafeMutablePointer<UInt>?, UnsafeMutablePointer<UInt>?) -> Float
  ) -> PropertyValue {
    var tag = 0
    var done: UInt = 0
    var total: UInt = 0
    let fraction = ask(&tag, &done, &total)
    return .progress(
      tag: tag, done: Int(clamping: done), total: Int(clamping: total), fraction: Double(fraction))
  }
}

import CocoaAsyncSocket
import Foundation

extension Case {
  func read(_ property: String, of socket: GCDAsyncSocket) -> Any {
    switch property {
    case "isConnected": return socket.isConnected
    case "isDisconnected": return socket.isDisconnected
    case "isSecure": return socket.isSecure
    case "isIPv4": return socket.isIPv4
    case "isIPv6": return socket.isIPv6
    case "connectedHost": return socket.connectedHost ?? NSNull()
    case "connectedPort": return Int(socket.connectedPort)
    case "localHost": return socket.localHost ?? NSNull()
    case "localPort": return Int(socket.localPort)
    case "connectedURL": return socket.connectedUrl?.path ?? NSNull()
    case "connectedAddress": return Self.encoded(socket.connectedAddress)
    case "localAddress": return Self.encoded(socket.localAddress)
    case "ipv4Enabled": return socket.isIPv4Enabled
    case "ipv6Enabled": return socket.isIPv6Enabled
    case "ipv4Preferred": return socket.isIPv4PreferredOverIPv6
    case "autoDisconnectOnClosedReadStream": return socket.autoDisconnectOnClosedReadStream
    case "alternateAddressDelay": return socket.alternateAddressDelay
    case "userData": return socket.userData as? String ?? NSNull()
    case "progressOfRead": return Self.progress(socket.progress(ofReadReturningTag:bytesDone:total:))
    case "progressOfWrite": return Self.progress(socket.progress(ofWriteReturningTag:bytesDone:total:))
    #if os(Linux)
      case "peerCertificate": return Self.encoded(socket.peerCertificates.first?.data)
    #endif
    default: return NSNull()
    }
  }

  private static func encoded(_ data: Data?) -> Any { data.map { ["base64": $0.base64EncodedString()] } ?? NSNull() }

  private static func progress(
    _ ask: (UnsafeMutablePointer<Int>?, UnsafeMutablePointer<UInt>?, UnsafeMutablePointer<UInt>?) -> Float
  ) -> Message {
    var (tag, done, total): (Int, UInt, UInt) = (0, 0, 0)
    let fraction = ask(&tag, &done, &total)
    let progress: Message = ["tag": tag, "done": Int(clamping: done), "total": Int(clamping: total)]
    return fraction.isNaN ? progress : progress.merging(["fraction": Double(fraction)]) { first, _ in first }
  }
}

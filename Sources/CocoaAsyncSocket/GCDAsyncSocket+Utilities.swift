import Foundation
import SocketCore
import SocketPOSIX
import SocketValues

extension GCDAsyncSocket {
  // MARK: Looking up

  /// Looks a host up, blocking: raw sockaddrs of both families with the port set. "localhost" and "loopback" are the
  /// two loopback addresses (UTIL-07). The host ends at its first zero. Throws in the domain of name resolution.
  @discardableResult
  public class func lookupHost(_ host: String, port: UInt16) throws -> NSMutableArray {
    let host = host.upToZero
    if host == "localhost" || host == "loopback" {
      let both = [SocketAddress.loopback(.ipv4, port: port), .loopback(.ipv6, port: port)]
      return NSMutableArray(array: both.map { Data($0.bytes) })
    }
    do {
      return NSMutableArray(array: try HostLookup.resolve(host, port: port).map { Data($0.bytes) })
    } catch {
      throw SocketFailure.lookup(code: error.code, message: error.message).error
    }
  }

  // MARK: Decoding raw sockaddrs

  /// The numeric host, or nil if the blob is no IPv4 or IPv6 address (UTIL-01).
  @discardableResult
  public class func host(fromAddress address: Data) -> String? { SocketAddress(decoding: Array(address))?.host }

  /// The port, or 0 (UTIL-01).
  @discardableResult
  public class func port(fromAddress address: Data) -> UInt16 { SocketAddress(decoding: Array(address))?.port ?? 0 }

  /// Whether a blob of at least 16 bytes claims to be IPv4 (UTIL-04).
  @discardableResult
  public class func isIPv4Address(_ address: Data) -> Bool { SocketAddress.family(of: Array(address)) == .ipv4 }

  /// Whether a blob of at least 16 bytes claims to be IPv6 (UTIL-04).
  @discardableResult
  public class func isIPv6Address(_ address: Data) -> Bool { SocketAddress.family(of: Array(address)) == .ipv6 }

  /// Decodes host and port; false, and nothing touched, if the blob is no address (UTIL-02).
  @discardableResult
  public class func getHost(
    _ hostPtr: UnsafeMutablePointer<String?>?, port portPtr: UnsafeMutablePointer<UInt16>?, fromAddress address: Data
  ) -> Bool { getHost(hostPtr, port: portPtr, family: nil, fromAddress: address) }

  /// Decodes host, port and family (AF_INET, AF_INET6; UTIL-03).
  @discardableResult
  public class func getHost(
    _ hostPtr: UnsafeMutablePointer<String?>?, port portPtr: UnsafeMutablePointer<UInt16>?,
    family afPtr: UnsafeMutablePointer<sa_family_t>?, fromAddress address: Data
  ) -> Bool {
    guard let decoded = SocketAddress(decoding: Array(address)) else { return false }
    hostPtr?.pointee = decoded.host
    portPtr?.pointee = decoded.port
    afPtr?.pointee = sa_family_t(decoded.family == .ipv4 ? AF_INET : AF_INET6)
    return true
  }

  /// The same for a host kept as an NSString, as the original gives it out.
  @discardableResult @_disfavoredOverload
  public class func getHost(
    _ hostPtr: UnsafeMutablePointer<NSString?>?, port portPtr: UnsafeMutablePointer<UInt16>?, fromAddress address: Data
  ) -> Bool { getHost(hostPtr, port: portPtr, family: nil, fromAddress: address) }

  /// The same for a host kept as an NSString.
  @discardableResult @_disfavoredOverload
  public class func getHost(
    _ hostPtr: UnsafeMutablePointer<NSString?>?, port portPtr: UnsafeMutablePointer<UInt16>?,
    family afPtr: UnsafeMutablePointer<sa_family_t>?, fromAddress address: Data
  ) -> Bool {
    var host: String?
    guard getHost(&host, port: portPtr, family: afPtr, fromAddress: address) else { return false }
    hostPtr?.pointee = host.map { $0 as NSString }
    return true
  }

  // MARK: Delimiters

  /// 0D 0A (UTIL-06).
  @discardableResult
  public class func crlfData() -> Data { Data([0x0D, 0x0A]) }
  /// 0D.
  @discardableResult
  public class func crData() -> Data { Data([0x0D]) }
  /// 0A.
  @discardableResult
  public class func lfData() -> Data { Data([0x0A]) }
  /// 00, one byte.
  @discardableResult
  public class func zeroData() -> Data { Data([0x00]) }
}

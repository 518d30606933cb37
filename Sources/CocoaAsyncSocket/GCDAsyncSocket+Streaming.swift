import Dispatch
import Foundation
import SocketCore
import SocketTLS

extension GCDAsyncSocket {
  /// The former name of `progress(ofReadReturningTag:bytesDone:total:)`.
  @available(*, deprecated, renamed: "progress(ofReadReturningTag:bytesDone:total:)")
  @discardableResult
  public func progressOfRead(
    returningTag tagPtr: UnsafeMutablePointer<Int>?, bytesDone donePtr: UnsafeMutablePointer<UInt>?,
    total totalPtr: UnsafeMutablePointer<UInt>?
  ) -> Float { progress(ofReadReturningTag: tagPtr, bytesDone: donePtr, total: totalPtr) }

  /// The former name of `progress(ofWriteReturningTag:bytesDone:total:)`.
  @available(*, deprecated, renamed: "progress(ofWriteReturningTag:bytesDone:total:)")
  @discardableResult
  public func progressOfWrite(
    returningTag tagPtr: UnsafeMutablePointer<Int>?, bytesDone donePtr: UnsafeMutablePointer<UInt>?,
    total totalPtr: UnsafeMutablePointer<UInt>?
  ) -> Float { progress(ofWriteReturningTag: tagPtr, bytesDone: donePtr, total: totalPtr) }

  /// The protocol both sides agreed on by ALPN; nil: none, or not secured.
  public var negotiatedApplicationProtocol: String? { driver.tlsSession { $0.applicationProtocol } }

  /// The version of TLS, such as "TLS 1.3"; nil: not secured.
  public var negotiatedTLSVersion: String? { driver.tlsSession { $0.version?.description } }
}

extension SocketMachine.Progress? {
  func report(
    _ tag: UnsafeMutablePointer<Int>?, _ done: UnsafeMutablePointer<UInt>?, _ total: UnsafeMutablePointer<UInt>?
  ) -> Float {
    tag?.pointee = self?.tag ?? 0
    done?.pointee = UInt(self?.done ?? 0)
    total?.pointee = UInt(self?.total ?? 0)
    return self?.fraction ?? .nan
  }
}

import Dispatch
import Foundation
import SocketCore
import SocketPOSIX
import SocketTLS
import SocketValues

/// The connections among which equal TLS settings share one OpenSSL context.
package enum ContextSharing {
  case amongAll
  /// Among all, for ever: no clock influences which random numbers are drawn, because equal seeds must give equal
  /// bytes.
  case withoutTime
  case never

  var contexts: TLSContextCache? {
    switch self {
    case .amongAll: SharedTLS.contexts
    case .withoutTime: SharedTLS.timelessContexts
    case .never: nil
    }
  }
}

/// The objects that the connections of the process share: OpenSSL's contexts, and parsed revocation lists. Each is kept
/// for some minutes after its last use.
enum SharedTLS {
  static let contexts = TLSContextCache(schedule: later)
  static let timelessContexts = TLSContextCache(now: { Instant(nanoseconds: 0) })

  /// The lists of one socket's settings, in PEM or DER, read once: a long one takes longer than a handshake. They are
  /// kept together, so that no number of them pushes one out before the next socket asks for it.
  static func revocationLists(_ data: [Data]) throws(SocketFailure) -> [TLSRevocationList] {
    guard !data.isEmpty else { return [] }
    if let known = lists.value(ListsKey(data: data)) { return known }
    var read: [TLSRevocationList] = []
    for piece in data { read += try parse(piece) }
    // Copies: the caller's may be memory that is freed or written to when its socket is done.
    lists.keep(read, ListsKey(data: data.map { $0.withUnsafeBytes { Data($0) } }))
    return read
  }

  private static func parse(_ data: Data) throws(SocketFailure) -> [TLSRevocationList] {
    let result: Result<[TLSRevocationList], SocketFailure> = data.withUnsafeBytes { bytes in
      do throws(SocketFailure) { return .success(try TLSRevocationList.list(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private static let lists = TimedCache<ListsKey, [TLSRevocationList]>(
    limit: 16, lifetime: TLSContextCache.lifetime, schedule: later)

  private static let later: TLSContextCache.Schedule = { nanoseconds, body in
    guard QueueTimers.areReady else { return false }
    let deadline = DispatchTime.now() + .nanoseconds(Int(nanoseconds))
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: deadline, execute: body)
    return true
  }

  private struct ListsKey: Hashable {
    var data: [Data]

    /// A few bytes will do, and tell lists of different issuers and lengths apart.
    func hash(into hasher: inout Hasher) {
      for piece in data {
        hasher.combine(piece.count)
        piece.prefix(256).withUnsafeBytes { hasher.combine(bytes: $0) }
      }
    }
  }
}

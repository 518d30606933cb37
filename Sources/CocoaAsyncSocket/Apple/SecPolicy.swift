import Foundation

/// What a chain is judged for. Immutable.
public final class SecPolicy: NSObject, Sendable {
  let policy: TrustTerms.Policy

  init(_ policy: TrustTerms.Policy) { self.policy = policy }
}

/// For one end of a TLS connection: `server` is whether the chain to judge is a server's. It must be for the host, if
/// one is given.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
  SecPolicy(.tls(isServer: server, host: hostname.map { $0 as String }))
}

/// For a path to an anchor, whatever the certificate is for.
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.path) }

/// The elements of a CFArray, or the one object in its place; nil if there is something else among them.
func elements<Element: AnyObject>(_ value: CFTypeRef, of type: Element.Type) -> [Element]? {
  if let one = value as? Element { return [one] }
  guard let array = value as? NSArray else { return nil }
  let found = array.compactMap { $0 as? Element }
  return found.count == array.count ? found : nil
}

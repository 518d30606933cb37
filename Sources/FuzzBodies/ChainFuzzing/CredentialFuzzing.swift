import FuzzHarness
import SocketCore
import SocketTLS
import TestCertificates

/// What says who somebody is: containers and keys of users, certificates of peers. OpenSSL would compute with them for
/// minutes if their numbers say so.
///
/// Laws
/// - `credentials/cost`: what takes more iterations to open than the limit is refused for that, and before they are
///   done. Descriptions know how many there are.
/// - `credentials/cheap`: nothing else is.
/// - `credentials/points`: a certificate for which OpenSSL would copy the issuer's name too often is refused for that,
///   and no other is.
/// - `credentials/message`: a message with too many certificates is refused, and one with a curve spelled out, and no
///   other.
/// - `credentials/again`: certificates that were read from any bytes are read the same from their own.
/// - `credentials/kind`: what can't be read is an error of the kind `other`.
package enum CredentialFuzzing {
  package static let body: FuzzBody = { check(CredentialProgram($0), Readers()) }

  /// What is under test; a test puts something broken in its place. What they say is the message of the error; nil:
  /// there was none.
  package struct Readers: Sendable {
    package var container: @Sendable (ContainerCase) throws -> Void = { container in
      _ = try TLSIdentity(
        pkcs12: container.bytes, passphrase: container.readersPassphrase, iterationLimit: container.readersLimit)
    }
    package var keys: @Sendable (KeyFileCase) throws -> Void = { file in
      _ = try TLSIdentity(
        certificates: PointsCase().der, key: file.bytes, passphrase: file.readersPassphrase,
        iterationLimit: file.readersLimit)
    }
    package var message: @Sendable ([UInt8], Bool) -> String? = { bytes, isTLS13 in
      bytes.withUnsafeBytes { CertificateMessage.problem($0, isTLS13: isTLS13) }
    }
    package var verdict: @Sendable (TLSCertificate) -> String? = { certificate in
      PeerTrust([certificate], peerName: nil).evaluate(anchorsOnly: true, time: TestPKI.pinnedNow).reason
    }

    package init() {}
  }

  package static func check(_ program: CredentialProgram, _ readers: Readers) -> Violation? {
    switch program {
    case .container(let container):
      return cost(container.cost, container.readersLimit, "\(container)") { try readers.container(container) }
    case .keys(let file): return cost(file.cost, file.readersLimit, "\(file)") { try readers.keys(file) }
    case .points(let points): return check(points, readers)
    case .message(let message): return check(message, readers)
    case .anything(let bytes): return anything(bytes)
    }
  }

  private static func cost(_ cost: Int64, _ limit: Int64, _ what: String, _ read: () throws -> Void) -> Violation? {
    var says: String?
    do { try read() } catch SocketFailure.other(let text) { says = text } catch {
      return Violation("credentials/kind", "\(error): \(what)")
    }
    let isForCost = says?.contains("takes more than \(limit) iterations") ?? false
    if cost > limit, !isForCost {
      return Violation("credentials/cost", "\(cost) iterations and not refused for it (\(says ?? "read")): \(what)")
    }
    if cost <= limit, isForCost {
      return Violation("credentials/cheap", "\(cost) iterations, and refused for it: \(what)")
    }
    return nil
  }

  private static func check(_ points: PointsCase, _ readers: Readers) -> Violation? {
    guard let certificate = try? TLSCertificate(der: points.der) else {
      return Violation("credentials/points", "no certificate: \(points)")
    }
    let isRefused = readers.verdict(certificate)?.contains("too many parts") ?? false
    guard isRefused != (points.copies > DistributionPoints.maximumCopies) else { return nil }
    return Violation("credentials/points", "\(points.copies) copies, \(isRefused ? "" : "not ")refused: \(points)")
  }

  private static func check(_ message: MessageCase, _ readers: Readers) -> Violation? {
    let bytes = message.bytes
    guard !bytes.isEmpty else { return nil }
    let count = MessageCase.count(bytes[...], isTLS13: message.isTLS13)
    let isTooMuch = count > CertificateMessage.maximumCount || MessageCase.hasFieldKind(bytes)
    guard (readers.message(bytes, message.isTLS13) != nil) != isTooMuch else { return nil }
    return Violation("credentials/message", "\(count) certificates: \(message)")
  }

  // MARK: - Any bytes

  private static func anything(_ bytes: [UInt8]) -> Violation? {
    var certificates: [TLSCertificate] = []
    let attempts: [() throws -> Void] = [
      { certificates = try TLSCertificate.list(bytes) },
      { _ = try TLSIdentity(certificates: bytes, passphrase: "secret", iterationLimit: 100) },
      { _ = try TLSIdentity(pkcs12: bytes, passphrase: "secret", iterationLimit: 100) },
      { _ = try bytes.withUnsafeBytes { try TLSRevocationList.list($0) } },
    ]
    for attempt in attempts {
      do { try attempt() } catch SocketFailure.other { continue } catch {
        return Violation("credentials/kind", "\(error)")
      }
    }
    for certificate in certificates {
      guard let again = try? TLSCertificate(der: certificate.der), facts(again) == facts(certificate) else {
        return Violation("credentials/again", "a certificate is not what it was: \(certificate.subject)")
      }
    }
    let trust = PeerTrust(certificates, peerName: nil)
    let isTrusted = trust.evaluate(anchorsOnly: true, host: "good.example", time: TestPKI.pinnedNow).isTrusted
    return isTrusted ? Violation("credentials/anchors", "trusted without an anchor") : signed(trust)
  }

  private static func signed(_ trust: PeerTrust) -> Violation? {
    let path = trust.signedPath
    guard path.first == trust.certificates.first, Set(path).count == path.count,
      path.allSatisfy(trust.certificates.contains)
    else { return Violation("credentials/path", "the path is none of what was shown") }
    return nil
  }

  private static func facts(_ certificate: TLSCertificate) -> [String] {
    let dates = "\(String(describing: certificate.notBefore)) \(String(describing: certificate.notAfter))"
    return [
      certificate.subject, certificate.issuer, certificate.serial, dates, certificate.keyKind,
      certificate.signatureAlgorithm, "\(certificate.serialBytes)", "\(certificate.der)", certificate.summary ?? "",
      certificate.commonName ?? "", "\(certificate.publicKey ?? [])",
    ] + certificate.dnsNames + certificate.ipAddresses
  }
}

/// What is read.
package enum CredentialProgram: Hashable, Sendable {
  case container(ContainerCase)
  case keys(KeyFileCase)
  case message(MessageCase)
  case points(PointsCase)
  /// Whoever reads certificates, keys, containers or revocation lists gets it.
  case anything([UInt8])

  /// Total, as every decoding.
  package init(_ bytes: UnsafeRawBufferPointer) {
    var input = FuzzInput(bytes)
    switch input.byte() % 5 {
    case 0: self = .anything(Array(input.rest()))
    case 1: self = .container(ContainerCase(&input))
    case 2: self = .keys(KeyFileCase(&input))
    case 3: self = .message(MessageCase(&input))
    default: self = .points(PointsCase(&input))
    }
  }

  package var encoded: [UInt8] {
    var output = FuzzOutput()
    switch self {
    case .anything(let bytes):
      output.byte(0)
      output.payload(bytes)
    case .container(let container):
      output.byte(1)
      container.write(&output)
    case .keys(let file):
      output.byte(2)
      file.write(&output)
    case .message(let message):
      output.byte(3)
      message.write(&output)
    case .points(let points):
      output.byte(4)
      points.write(&output)
    }
    return output.bytes
  }
}

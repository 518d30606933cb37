import COpenSSL

/// The places of revocation lists in a certificate, which nothing here goes to, but which OpenSSL works out with the
/// certificate's other extensions.
package enum DistributionPoints {
  /// How often parts of the issuer's name may be copied for one certificate.
  package static let maximumCopies = 256

  /// What is wrong with the certificate's; nil: nothing. Costs nothing, and must come before whatever makes OpenSSL
  /// look at the extensions.
  ///
  /// A point may be named relative to the issuer, and OpenSSL copies the issuer's name for each of those: a certificate
  /// of 180 kB made it copy for a minute, and keep gigabytes. Authorities are advised not to use such names, and don't.
  static func problem(of certificate: OpaquePointer) -> String? {
    let parts = Int(max(0, X509_NAME_entry_count(X509_get_issuer_name(certificate))))
    let place = X509_get_ext_by_NID(certificate, NID_crl_distribution_points, -1)
    guard parts > 0, place >= 0, let data = X509_EXTENSION_get_data(X509_get_ext(certificate, place)) else {
      return nil
    }
    guard Int(ASN1_STRING_length(data)) / minimumLength > maximumCopies / parts else { return nil }
    guard Int(lab_tls_relative_points(certificate)) > maximumCopies / parts else { return nil }
    return "its issuer's name has too many parts for as many distribution points"
  }

  /// The bytes of a point with a relative name, at least: the name may have nothing in it.
  private static let minimumLength = 6

  /// The same for a certificate and those that came with it.
  static func problem(of certificate: OpaquePointer, with others: OpaquePointer?) -> String? {
    if let problem = problem(of: certificate) { return problem }
    guard let others else { return nil }
    for index in 0..<max(0, lab_tls_stack_count(others)) {
      if let other = lab_tls_stack_at(others, index), let problem = problem(of: other) { return problem }
    }
    return nil
  }
}

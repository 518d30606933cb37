/// The certificates that scenario files can ask for; what each one is stands with its case. All chain to the test root
/// unless said otherwise, and are valid at the lab's pinned instant unless said otherwise.
package enum CertificateName: String, CaseIterable, Hashable, Sendable, Codable {
  /// For `good.example` and `*.wild.example`, signed by an intermediate, which is sent along.
  case leaf
}

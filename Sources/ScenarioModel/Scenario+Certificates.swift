extension Scenario {
  /// The certificates that a peer or the subject shows in a handshake, `leaf` among them if there is a handshake. A
  /// world in real time makes them beforehand, because some keys take longer to make than a step may last.
  package var shownCertificates: Set<CertificateName> {
    guard hasOwnTLS else { return [] }
    var names: Set<CertificateName> = [.leaf]
    for peer in peers { Self.collect(peer.steps, into: &names) }
    for subject in subjects { Self.collect(subject.steps, into: &names) }
    for reaction in reactions { Self.collect(reaction.steps, into: &names) }
    return names
  }

  private static func collect(_ steps: [Located<PeerStep>], into names: inout Set<CertificateName>) {
    for step in steps {
      switch step.value {
      case .tls(let tls): insert(tls.certificate, into: &names)
      case .repeated(_, let inner): collect(inner, into: &names)
      default: break
      }
    }
  }

  private static func collect(_ steps: [LocatedStep], into names: inout Set<CertificateName>) {
    for step in steps {
      switch step.step {
      case .command(let command, _, _): collect(command, into: &names)
      case .repeated(_, let inner): collect(inner, into: &names)
      default: break
      }
    }
  }

  private static func collect(_ command: SubjectCommand, into names: inout Set<CertificateName>) {
    switch command {
    case .startTLS(let tls): insert(tls.certificate, into: &names)
    case .perform(let commands): for command in commands { collect(command, into: &names) }
    default: break
    }
  }

  private static func insert(_ name: CertificateName?, into names: inout Set<CertificateName>) {
    if let name { names.insert(name) }
  }
}

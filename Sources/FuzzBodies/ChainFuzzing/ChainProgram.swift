import FuzzHarness
import TestCertificates

/// A faultless chain, what is changed about it, and what it is held against.
package struct ChainProgram: Hashable, Sendable {
  package enum Aspect: UInt8, CaseIterable, Sendable {
    case signer, damage, validity, authority, pathLength, usage, purpose, hosts, addresses, permitted, excluded, serial
    case keyNames, criticalExtension, key, issuer, subject
    /// Another certificate like it, which later changes can be made to.
    case copy
    /// A copy of it that the one named by the argument has signed.
    case crossSigned
    case notSent, anchor
  }

  package struct Change: Hashable, Sendable {
    package var aspect: Aspect
    /// 0: the leaf, 1: its issuer; 255: the latest copy, or else the root; 254: the one before.
    package var place: UInt8
    package var argument: UInt8
    package init(_ aspect: Aspect, at place: UInt8, _ argument: UInt8 = 0) {
      self.aspect = aspect
      self.place = place
      self.argument = argument
    }
  }

  package struct ListPlan: Hashable, Sendable {
    /// Whose it is, as for changes.
    package var place: UInt8
    /// Bits: damaged, signed by another key, does not name its key, names the serial of the one below; then a validity.
    package var faults: UInt8
    package init(of place: UInt8, _ faults: UInt8 = 0) {
      self.place = place
      self.faults = faults
    }
  }

  /// How many intermediates there are, as `lengths` has it.
  package var lengthCode: UInt8 = 0
  package var changes: [Change] = []
  package var lists: [ListPlan] = []
  /// Bits: expired certificates, expired roots, any root, nothing checked (only with the next bit, too), a client's.
  package var settings: UInt8 = 0
  package var host: UInt8 = 1
  package var time: UInt8 = 0

  package init() {}

  static let maxChanges = 12
  static let maxLists = 4

  /// Mostly short: long chains cost time. From 224 on up to 98 and so beyond every limit.
  package static func length(_ code: UInt8) -> Int { code < 224 ? Int(code) % 5 : 5 + 3 * Int(code - 224) }

  static let hosts = [
    nil, "good.example", "bar.example.com", "foo.example.com", "a.b.example.com", "192.0.2.1", "2001:db8::1",
    "2001:db8::2", "bar.good.example",
  ]
  static let names = [
    "good.example", "*.example.com", "bar.example.com", "b*.example.com", "*.b.example.com", "*.com", "*",
    "f.good.example",
  ]
  static let addresses: [[UInt8]] = [
    [192, 0, 2, 1], [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1],
    [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [2],
  ]
  static let subtrees = [
    "example.com", "bar.example.com", ".example.com", "good.example", "example", "com", "b.example.com",
  ]
  static let times: [Int64] = [0, 86_400, -86_400, 86_401, -86_401, 1, -1, 43_200]
  static let validities: [(first: Int64, last: Int64)] = [
    (-86_400, 86_400), (-86_400, 0), (-86_400, -1), (0, 86_400), (1, 86_400), (-200_000, -100_000), (100_000, 200_000),
    (-200_000, 200_000),
  ]

  /// Total, as every decoding.
  package init(_ bytes: UnsafeRawBufferPointer) {
    var input = FuzzInput(bytes)
    lengthCode = input.byte()
    settings = input.byte()
    host = input.byte()
    time = input.byte()
    for _ in 0..<input.number(upTo: Self.maxLists) {
      lists.append(ListPlan(of: input.byte(), input.byte()))
    }
    while !input.isEmpty, changes.count < Self.maxChanges {
      let aspect = input.choice(of: Aspect.allCases)
      changes.append(Change(aspect, at: input.byte(), input.byte()))
    }
  }

  package var encoded: [UInt8] {
    var output = FuzzOutput()
    for byte in [lengthCode, settings, host, time] { output.byte(byte) }
    output.number(lists.count, upTo: Self.maxLists)
    for list in lists {
      output.byte(list.place)
      output.byte(list.faults)
    }
    for change in changes {
      output.byte(change.aspect.rawValue)
      output.byte(change.place)
      output.byte(change.argument)
    }
    return output.bytes
  }
}

/// What a program describes: certificates, and what they are held against.
package struct ChainCase: Hashable, Sendable {
  /// The leaf first.
  package var certificates: [CertificateGraph.Certificate] = []
  /// Numbers of certificates; the leaf is always sent, and first.
  package var sent: [Int] = []
  package var anchors: Set<Int> = []
  package var lists: [CertificateGraph.List] = []
  package var host: String?
  /// Seconds from the pinned instant.
  package var time: Int64 = 0
  package var allowsExpiredCertificates = false
  package var allowsExpiredRoots = false
  package var allowsAnyRoot = false
  package var checksChain = true
  package var isClients = false

  package init(_ program: ChainProgram) {
    let length = ChainProgram.length(program.lengthCode)
    allowsExpiredCertificates = program.settings & 1 != 0
    allowsExpiredRoots = program.settings & 2 != 0
    allowsAnyRoot = program.settings & 4 != 0
    checksChain = program.settings & 24 != 24
    isClients = program.settings & 32 != 0
    host = ChainProgram.hosts[Int(program.host) % ChainProgram.hosts.count]
    time = ChainProgram.times[Int(program.time) % ChainProgram.times.count]
    for depth in 0...(length + 1) {
      let isRoot = depth == length + 1
      var made = CertificateGraph.Certificate(
        subject: depth == 0 ? "leaf" : isRoot ? "root" : "authority \(depth)",
        issuer: depth >= length ? "root" : "authority \(depth + 1)", key: Self.key(depth),
        signer: Self.key(isRoot ? depth : depth + 1))
      made.serial = UInt8(depth % 100 + 1)
      if depth == 0 { made.hosts = ["good.example"] } else { (made.isAuthority, made.usage) = (true, .everything) }
      certificates.append(made)
    }
    sent = Array(0...length)
    anchors = [length + 1]
    let root = length + 1
    for change in program.changes { apply(change, root) }
    lists = program.lists.map { list($0, root) }
  }

  private static func key(_ depth: Int) -> Int { depth == 0 ? 0 : depth % 7 + 1 }

  private func index(_ place: UInt8) -> Int {
    place >= 128 ? max(0, certificates.count - 1 - Int(255 - place)) : Int(place) % certificates.count
  }

  private func list(_ plan: ChainProgram.ListPlan, _ root: Int) -> CertificateGraph.List {
    let index = index(plan.place)
    let owner = certificates[index]
    var list = CertificateGraph.List(issuer: owner.subject, signer: owner.key)
    list.isDamaged = plan.faults & 1 != 0
    if plan.faults & 2 != 0 { list.signer = (owner.key + 1) % 8 }
    list.namesKey = plan.faults & 4 == 0
    list.revoked = [plan.faults & 8 != 0 ? certificates[max(0, index - 1)].serial : 120]
    (list.first, list.last) = ChainProgram.validities[Int(plan.faults >> 5)]
    return list
  }

  private mutating func apply(_ change: ChainProgram.Change, _ root: Int) {
    let place = index(change.place)
    let argument = change.argument
    func some<Element>(_ choices: [Element]) -> [Element] {
      choices.indices.filter { argument & 1 << UInt8($0) != 0 }.map { choices[$0] }
    }
    switch change.aspect {
    case .signer: certificates[place].signer = Int(argument % 8)
    case .damage: certificates[place].isDamaged.toggle()
    case .validity:
      (certificates[place].first, certificates[place].last) = ChainProgram.validities[Int(argument % 8)]
    case .authority: certificates[place].isAuthority = [nil, false, true][Int(argument % 3)]
    case .pathLength: certificates[place].pathLength = argument % 5 == 4 ? nil : argument % 5
    case .usage: certificates[place].usage = CertificateGraph.Usage.allCases[Int(argument % 5)]
    case .purpose: certificates[place].purpose = CertificateGraph.Purpose.allCases[Int(argument % 4)]
    case .hosts: certificates[place].hosts = some(ChainProgram.names)
    case .addresses: certificates[place].addresses = some(ChainProgram.addresses)
    case .permitted: certificates[place].permittedHosts = some(ChainProgram.subtrees)
    case .excluded: certificates[place].excludedHosts = some(ChainProgram.subtrees)
    case .serial: certificates[place].serial = argument & 0x7F
    case .keyNames: certificates[place].namesKeys.toggle()
    case .criticalExtension: certificates[place].hasUnknownCriticalExtension.toggle()
    case .key: certificates[place].key = Int(argument % 8)
    case .issuer: certificates[place].issuer = certificates[index(argument)].subject
    case .subject:
      certificates[place].subject =
        argument < 128 ? certificates[index(argument)].subject : ChainProgram.names[Int(argument % 8)]
    case .copy, .crossSigned:
      var copy = certificates[place]
      if change.aspect == .crossSigned {
        let other = certificates[index(argument)]
        (copy.issuer, copy.signer, copy.isDamaged) = (other.subject, other.key, false)
      }
      certificates.append(copy)
      sent.append(certificates.count - 1)
    case .notSent: if place != 0 { sent.removeAll { $0 == place } }
    case .anchor: if anchors.remove(place) == nil { anchors.insert(place) }
    }
  }
}

import ScenarioModel
import Testing

@Suite struct SecuringTests {
  private let here = SourcePosition(line: 3, column: 5)

  private func peer(_ steps: [PeerStep]) -> PeerLane {
    PeerLane(name: "peer", steps: steps.map { Located($0, at: here) })
  }

  private func step(_ command: SubjectCommand, on socket: String = "socket", refusal: ErrorPattern? = nil)
    -> LocatedStep
  {
    LocatedStep(.command(command, socket: socket, refusal: refusal), at: here)
  }

  private var connect: SubjectCommand { .connect(ConnectCommand(target: .peer("peer"))) }

  private func startTLS(_ role: TLSRole?, _ version: TLSVersion) -> SubjectCommand {
    var command = TLSCommand()
    command.role = role
    command.certificate = role == .server ? .leaf : nil
    (command.minimumVersion, command.maximumVersion) = (version, version)
    return .startTLS(command)
  }

  private func tls(_ version: TLSVersion) -> PeerStep {
    var tls = PeerTLS()
    (tls.minimumVersion, tls.maximumVersion) = (version, version)
    return .tls(tls)
  }

  @Test func everyConnectionIsWrapped() {
    var scenario = Scenario(id: "a/b", title: "t")
    let accepts = [PeerStep.accept, .close]
    scenario.peers = [peer(accepts + [.repeated(times: 2, steps: accepts.map { Located($0, at: here) })])]
    scenario.subjects = [
      SubjectLane(
        name: "socket",
        steps: [
          step(connect), step(connect, refusal: .any), step(.perform([connect, .disconnect])),
          LocatedStep(.repeated(times: 2, steps: [step(connect)]), at: here),
        ])
    ]
    let secured = scenario.secured(with: .tls13)
    let secure = [PeerStep.accept, tls(.tls13), .close]
    #expect(
      secured.peers == [peer(secure + [.repeated(times: 2, steps: secure.map { Located($0, at: here) })])])
    let start = startTLS(nil, .tls13)
    #expect(
      secured.subjects.first?.steps == [
        step(.perform([connect, start])), step(connect, refusal: .any), step(.perform([connect, start, .disconnect])),
        LocatedStep(.repeated(times: 2, steps: [step(.perform([connect, start]))]), at: here),
      ])
    #expect(secured.reactions.isEmpty && secured.expectations == scenario.expectations)
  }

  /// A story with TLS of its own is only told what its peers speak.
  @Test func ownTLSIsRestrictedToTheVersion() {
    var scenario = Scenario(id: "a/b", title: "t")
    var server = PeerTLS()
    server.certificate = .expiredLeaf
    let own: [PeerStep] = [.accept, .tls(server), .close]
    scenario.peers = [peer(own + [.repeated(times: 2, steps: own.map { Located($0, at: here) })])]
    scenario.subjects = [SubjectLane(name: "socket", steps: [step(connect), step(startTLS(nil, .tls11))])]
    (server.minimumVersion, server.maximumVersion) = (.tls12, .tls12)
    let restricted: [PeerStep] = [.accept, .tls(server), .close]
    let again = PeerStep.repeated(times: 2, steps: restricted.map { Located($0, at: here) })
    let secured = scenario.secured(with: .tls12)
    #expect(secured.peers == [peer(restricted + [again])])
    #expect(secured.subjects == scenario.subjects && secured.reactions.isEmpty)
  }

  @Test(arguments: [true, false]) func ownTLSIsFoundAnywhere(own: Bool) {
    let start: SubjectCommand = own ? .startTLS(TLSCommand()) : .disconnect
    let tls: PeerStep = own ? .tls(PeerTLS()) : .close
    func hasOwnTLS(_ change: (inout Scenario) -> Void) -> Bool {
      var scenario = Scenario(id: "a/b", title: "t")
      change(&scenario)
      return scenario.hasOwnTLS
    }
    let repeated = LocatedStep(.repeated(times: 2, steps: [step(.perform([.disconnect, start]))]), at: here)
    #expect(hasOwnTLS { $0.peers = [peer([.repeated(times: 2, steps: [Located(tls, at: here)])])] } == own)
    #expect(hasOwnTLS { $0.subjects = [SubjectLane(name: "socket", steps: [repeated])] } == own)
    let pattern = CallbackPattern(kind: .didConnect)
    #expect(
      hasOwnTLS {
        $0.reactions = [Reaction(pattern: pattern, socket: nil, times: 1, steps: [step(start)], position: here)]
      } == own)
  }

  @Test func shownCertificatesAreThoseOfEverybodyInAnyStep() {
    var scenario = Scenario(id: "a/b", title: "t")
    #expect(scenario.shownCertificates.isEmpty)
    func tls(_ certificate: CertificateName?) -> PeerStep {
      var tls = PeerTLS()
      tls.certificate = certificate
      return .tls(tls)
    }
    func startTLS(_ certificate: CertificateName) -> SubjectCommand {
      var command = TLSCommand()
      command.certificate = certificate
      return .startTLS(command)
    }
    scenario.peers = [
      peer([.accept, tls(nil)]), peer([.repeated(times: 2, steps: [Located(tls(.md5Signature), at: here)])]),
    ]
    #expect(scenario.shownCertificates == [.leaf, .md5Signature])
    let repeated = LocatedStep(.repeated(times: 2, steps: [step(.perform([startTLS(.wrongHost)]))]), at: here)
    scenario.subjects = [SubjectLane(name: "socket", steps: [repeated])]
    scenario.reactions = [
      Reaction(
        pattern: CallbackPattern(kind: .didConnect), socket: nil, times: 1, steps: [step(startTLS(.expiredLeaf))],
        position: here)
    ]
    #expect(scenario.shownCertificates == [.leaf, .md5Signature, .wrongHost, .expiredLeaf])
  }

  @Test func acceptedSocketsAreSecuredInsideDidAccept() {
    var scenario = Scenario(id: "a/b", title: "t")
    scenario.peers = [
      peer([.connect(socket: "server")]),
      peer([.repeated(times: 2, steps: [Located(.connect(socket: "server"), at: here)])]),
    ]
    var named = CallbackPattern(kind: .didAccept)
    named.child = "child2"
    let read = step(.disconnect, on: "child2")
    scenario.reactions = [
      Reaction(pattern: named, socket: "server", times: 1, steps: [read], position: here),
      Reaction(
        pattern: CallbackPattern(kind: .didAccept), socket: nil, times: 2, steps: [step(connect)], position: here),
    ]
    let secured = scenario.secured(with: .tls12).reactions
    // The one that is named gets the reaction that names it, and each other one the next that there is.
    let children = ["child", "child2", "child3"]
    #expect(secured.map(\.pattern.child) == children + children)
    #expect(secured.map(\.times) == [2, 1, 2, nil, nil, nil])
    #expect(secured.map(\.origin) == [1, 0, 1, nil, nil, nil])
    #expect(secured.map(\.isOptional) == [false, false, false, true, true, true])
    let starts = secured.compactMap(\.steps.first)
    #expect(
      starts
        == (children + children).enumerated().map { index, child in
          LocatedStep(
            .command(startTLS(.server, .tls12), socket: child, refusal: nil),
            at: index < 3 ? here : SourcePosition(line: 1, column: 1))
        })
    #expect(secured[1].steps.dropFirst() == [LocatedStep(.reach("TLS of child2"), at: here), read])
    for (index, child) in [(0, "child"), (2, "child3")] {
      #expect(
        secured[index].steps.dropFirst() == [
          LocatedStep(.reach("TLS of \(child)"), at: here), step(.perform([connect, startTLS(nil, .tls12)])),
        ])
    }
  }

  @Test("of several listeners, nobody knows whose an accepted socket will be", arguments: [1, 2], [1, nil])
  func severalListeners(_ count: Int, times: Int?) {
    var scenario = Scenario(id: "a/b", title: "t")
    scenario.peers = [peer([.connect(socket: "one"), .connect(socket: "two")])]
    let listen = SubjectCommand.listen(ListenCommand(place: .anywhere(port: .free)))
    scenario.subjects = [SubjectLane(name: "one", steps: ["one", "two"].prefix(count).map { step(listen, on: $0) })]
    scenario.reactions = ["one", "two"].map { socket in
      Reaction(
        pattern: CallbackPattern(kind: .didAccept), socket: socket, times: times, steps: [step(.disconnect)],
        position: here)
    }
    let secured = scenario.secured(with: .tls13).reactions.filter { !$0.isOptional }
    // With one, the other's reaction is left as it is, and so is what may still be used.
    let (sockets, children): ([String], [String?]) =
      switch (count, times) {
      case (1, nil): (["one", "one", "one", "two"], ["child", "child2", nil, nil])
      case (1, _): (["one", "two"], ["child", nil])
      default: (["one", "one", "two", "two"], ["child", "child2", "child", "child2"])
      }
    #expect(secured.map(\.socket) == sockets)
    #expect(secured.map(\.pattern.child) == children)
    #expect(secured.map(\.origin) == sockets.map { $0 == "one" ? 0 : 1 })
  }

  @Test("reactions to accepted sockets that no peer brings about stay, and the subject's own connects count")
  func ownConnects() {
    var scenario = Scenario(id: "a/b", title: "t")
    let listen = SubjectCommand.listen(ListenCommand(place: .anywhere(port: .free)))
    let own = SubjectCommand.connect(ConnectCommand(target: .host("127.0.0.1", port: .listener("server"))))
    scenario.subjects = [SubjectLane(name: "server", steps: [step(listen, on: "server"), step(own, on: "client")])]
    var named = CallbackPattern(kind: .didAccept)
    named.child = "child9"
    scenario.reactions = [
      Reaction(pattern: named, socket: nil, times: 1, steps: [step(.disconnect)], position: here),
      Reaction(
        pattern: CallbackPattern(kind: .didAccept), socket: nil, times: 2, steps: [step(.disconnect)], position: here),
    ]
    let secured = scenario.secured(with: .tls13).reactions
    #expect(secured.map(\.pattern.child) == ["child", "child9", nil, "child"])
    #expect(secured.map(\.origin) == [1, 0, 1, nil])
  }

  @Test func sslErrorsHaveApplesNames() {
    #expect(ErrorName.ssl(-9814).text == "errSSLCertExpired" && ErrorName.ssl(-1).text == "SSL -1")
    #expect(SubjectError(domain: .ssl, code: -9806, message: "m").name == "errSSLClosedAbort")
    for name in SSLErrorName.all { #expect(SSLErrorName.code(of: name).flatMap(SSLErrorName.name(of:)) == name) }
    #expect(Set(SSLErrorName.all).count == 40)
  }

  @Test func alertsAndMessagesHaveNames() {
    #expect(TLSAlert(level: 2, description: 42).text == "fatal bad_certificate")
    #expect(TLSAlert(level: 9, description: 201).text == "level 9 alert 201")
    for name in TLSAlert.allNames { #expect(TLSAlert.number(of: name).map(TLSAlert.name(of:)) == name) }
    for message in HandshakeMessage.allCases {
      #expect(message.number.flatMap(HandshakeMessage.init(number:)) == (message.number == nil ? nil : message))
    }
  }
}

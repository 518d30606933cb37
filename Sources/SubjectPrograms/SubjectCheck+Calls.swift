import Foundation
import ReportMarkup
import ScenarioModel
import SubjectProtocol
import TestCertificates

// The calls that not every library has.
extension SubjectCheck {
  func perform(_ process: SubjectProcess, _ claims: SubjectClaims) throws {
    guard claims.calls.isSuperset(of: ["perform", "write"]) else { return }
    let texts = claims.features.contains(.queues) ? ["one", "two"] : ["one"]
    try tried("performs \(texts.count == 1 ? "a call" : "several calls") at once, in their order") {
      let peer = try CheckPeer()
      try inCase(process) {
        try connect(process, to: peer)
        let calls = texts.enumerated().map { tag, text -> JSONNode in
          ["call": .text("write"), "data": .text(Self.base64(text)), "tag": .integer(tag)]
        }
        try call(process, "perform", ["calls": .list(calls)])
        for tag in texts.indices { try callback(process, "didWrite of tag \(tag)") { $0 == .didWrite(tag: tag) } }
        try expect(texts.joined(), from: peer)
        try disconnect(process)
      }
    }
  }

  /// Each of the ways to end when something is done.
  func gracefulEnds(_ process: SubjectProcess, _ claims: SubjectClaims) throws {
    let rows = [
      ("disconnectAfterReading", true, false), ("disconnectAfterWriting", false, true),
      ("disconnectAfterReadingAndWriting", true, true),
    ]
    for (name, awaitsRead, awaitsWrite) in rows where claims.calls.contains(name) {
      let reads = awaitsRead && claims.calls.contains("read") && claims.features.contains(.readLength)
      let writes = awaitsWrite && claims.calls.contains("write")
      let what = [reads ? "its read" : nil, writes ? "its write" : nil].compactMap(\.self).joined(separator: " and ")
      try tried("`\(name)` ends the connection\(what.isEmpty ? "" : " behind \(what)")") {
        let peer = try CheckPeer()
        try inCase(process) {
          try connect(process, to: peer)
          if reads {
            try call(process, "read", ["until": .text("length"), "length": .integer(3), "tag": .integer(1)])
          }
          if writes { try call(process, "write", ["data": .text(Self.base64("last")), "tag": .integer(2)]) }
          try call(process, name, [:])
          // Both may come in either order.
          if writes { try expect("last", from: peer) }
          if reads { peer.send("abc") }
          var awaited = (reads ? [Callback.didRead(bytes: Array("abc".utf8), tag: 1)] : [])
          if writes { awaited.append(.didWrite(tag: 2)) }
          while !awaited.isEmpty {
            try callback(process, awaited.map(\.kind.rawValue).joined(separator: " or ")) { told in
              guard let place = awaited.firstIndex(of: told) else { return false }
              awaited.remove(at: place)
              return true
            }
          }
          try callback(process, "didDisconnect without an error") { $0 == .didDisconnect(nil) }
          guard peer.isEnded() else { throw Trouble(text: "the peer's connection has not ended") }
        }
      }
    }
  }

  func release(_ process: SubjectProcess, _ claims: SubjectClaims) throws {
    guard claims.calls.contains("release") else { return }
    try tried("lets go of a socket: its connection ends") {
      let peer = try CheckPeer()
      // Whether a released socket reports its end is the library's choice.
      try inCase(process, maySayEnd: true) {
        try connect(process, to: peer)
        try call(process, "release", [:])
        guard peer.isEnded() else { throw Trouble(text: "the peer's connection has not ended") }
      }
    }
  }

  func set(_ process: SubjectProcess, _ claims: SubjectClaims) throws {
    let property = SubjectProperty.userData
    guard claims.calls.contains("set"), claims.properties.contains(property) else { return }
    try tried("sets `\(property.rawValue)`, and answers with it") {
      try inCase(process) {
        try call(process, "set", ["property": .text(property.rawValue), "value": .text("kept")])
        let id = newID()
        process.say(.get(id: id, socket: "socket", property: property))
        try wait(process, "the value of `\(property.rawValue)`") { message in
          guard case .value(id, _, let value) = message else { return false }
          guard value == .text("kept") else { throw Trouble(text: "`\(property.rawValue)` is not what it was set to") }
          return true
        }
      }
    }
  }

  // MARK: - TLS

  func secured(_ process: SubjectProcess, _ claims: SubjectClaims) throws {
    guard claims.calls.contains("startTLS") else { return }
    if claims.features.contains(.tlsClient), claims.calls.contains("connect") {
      try tried("begins TLS as a client, and tells didSecure") {
        try client(process, claims, trusts: nil)
      }
      if claims.calls.contains("trust"), claims.features.contains(.tlsManualTrust) {
        try tried("asks about the peer's certificate, and goes on when it is trusted") {
          try client(process, claims, trusts: true)
        }
        try tried("ends the connection when the certificate is not trusted") {
          try client(process, claims, trusts: false)
        }
      }
    }
    guard claims.features.contains(.tlsServer), claims.calls.contains("listen") else { return }
    // The lab's servers have anchors, too, and its clients no certificate unless a scenario says so.
    try tried("begins TLS as a server with a client that has no certificate, and tells didSecure of `child`") {
      try server(process, claims)
    }
  }

  /// - Parameter trusts: the answer to its question; nil: it decides by itself.
  private func client(_ process: SubjectProcess, _ claims: SubjectClaims, trusts: Bool?) throws {
    let peer = try CheckPeer()
    let root = String(decoding: try TestPKI.shared.rootPEM, as: UTF8.self)
    try inCase(process) {
      try connect(process, to: peer)
      let tls = peer.secure(isServer: true)
      try call(
        process, "startTLS",
        [
          "role": .text("client"), "peerName": .text(CheckTLS.host), "time": .integer(Int(TestPKI.shared.now)),
          "anchors": .text(root), "manualTrust": trusts.map { _ in .flag(true) },
        ])
      if let trusts {
        try callback(process, "didReceiveTrust") { $0.kind == .didReceiveTrust }
        try call(process, "trust", ["isTrusted": .flag(trusts)])
        guard trusts else {
          return try callback(process, "didDisconnect with an error of TLS") {
            if case .didDisconnect(let error?) = $0 { error.domain == .ssl } else { false }
          }
        }
      }
      try secured(process, claims, "socket", tls)
      try disconnect(process)
    }
  }

  private func server(_ process: SubjectProcess, _ claims: SubjectClaims) throws {
    let identity = try TestPKI.shared.identity(.leaf)
    let root = String(decoding: try TestPKI.shared.rootPEM, as: UTF8.self)
    try inCase(process, maySayEnd: true) {
      guard let port = try call(process, "listen", ["port": .integer(0)]).port else {
        throw Trouble(text: "its answer to `listen` must name the `port`")
      }
      let peer = try CheckPeer()
      guard peer.connect(to: port) else { throw Trouble(text: "nobody listens on its port \(port)") }
      try callback(process, "didAccept of `child`") { $0 == .didAccept(child: "child") }
      try call(
        process, "startTLS",
        [
          "role": .text("server"), "time": .integer(Int(TestPKI.shared.now)), "anchors": .text(root),
          "chain": .text(String(decoding: identity.chain, as: UTF8.self)),
          "key": .text(String(decoding: identity.key, as: UTF8.self)),
        ], on: "child")
      try secured(process, claims, "child", peer.secure(isServer: false))
    }
  }

  /// The handshake is over, and what is written from then on is secured.
  private func secured(
    _ process: SubjectProcess, _ claims: SubjectClaims, _ socket: String, _ tls: CheckTLS
  ) throws {
    try callback(process, "didSecure") { $0.kind == .didSecure }
    guard claims.calls.contains("write") else { return }
    try call(process, "write", ["data": .text(Self.base64("secret")), "tag": .integer(1)], on: socket)
    try callback(process, "didWrite of tag 1") { $0 == .didWrite(tag: 1) }
    switch tls.wait(seconds: 5) {
    case .read("secret"): break
    case .read(let other): throw Trouble(text: "the peer read \(other.debugDescription), not \"secret\"")
    case .failed(let reason): throw Trouble(text: "the peer read nothing: \(reason)")
    case nil: throw Trouble(text: "the peer read nothing within 5 s")
    }
  }

  // MARK: - What they have in common

  private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  private func disconnect(_ process: SubjectProcess) throws {
    try call(process, "disconnect", [:])
    try callback(process, "didDisconnect without an error") { $0 == .didDisconnect(nil) }
  }

  private func expect(_ text: String, from peer: CheckPeer) throws {
    let seen = peer.receive(text.utf8.count)
    guard seen == text else {
      throw Trouble(text: "the peer got \(seen.debugDescription), not \(text.debugDescription)")
    }
  }
}

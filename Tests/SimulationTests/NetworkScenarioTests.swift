import ScenarioModel
import ScenarioRunner
import Testing

@testable import Simulation

/// What starting meets on the simulated host, one small scenario a fact.
@Suite struct NetworkScenarioTests {
  private static let cases: [(name: String, yaml: String)] = [
    (
      "an unknown name ends with the resolver's code",
      """
      requirements: [CON-06]
      subject: [ { connect: { host: nowhere.invalid, port: 80 } } ]
      expect: [ { didDisconnect: { error: EAI_NONAME } } ]
      ending: never connected
      """
    ),
    (
      "a lookup takes its time, and a disconnect ends it",
      """
      requirements: [CON-15]
      hosts: { slow: { addresses: ["127.0.0.1"], delay: 400ms } }
      peer: [ refuse ]
      subject:
        - connect: { host: slow, port: peer }
        - wait: 100ms
        - disconnect
      expect: [ { didDisconnect: { error: none, at: 100ms, from: start } }, { nothing: { for: 1s } } ]
      ending: never connected
      """
    ),
    (
      "port 0 is refused, and no route leads to the broadcast address",
      """
      requirements: [CON-36]
      subjects:
        zero: [ { connect: { host: "127.0.0.1", port: 0 } } ]
        broadcast: [ { connect: { host: "255.255.255.255", port: 80 } } ]
        elsewhere: [ { connect: { host: "2001:db8::99", port: 80 } } ]
      expect:
        - zero.didDisconnect: { error: ECONNREFUSED }
        - broadcast.didDisconnect: { error: ENETUNREACH }
        - elsewhere.didDisconnect: { error: ENETUNREACH }
      """
    ),
    (
      "a connect gets into a hole that ends when its SYN is sent again",
      """
      requirements: [CON-09]
      peer: [ blackhole, { wait: 300ms }, accept, { send: "hi" } ]
      subject: [ connect, { read: { length: 2B, tag: 1 } } ]
      expect: [ { didConnect: { at: 1s, from: start } }, { didRead: { bytes: "hi" } } ]
      ending: open
      """
    ),
    (
      "a busy port is refused in the call, a freed one is not",
      """
      requirements: [ACC-04, ACC-17]
      subjects:
        first:
          - listen
          - check: { localPort: present, isIPv4: true, isIPv6: true, localHost: "0.0.0.0" }
          - second.listen: { port: { of: first }, error: EADDRINUSE }
          - second.check: { isDisconnected: true }
          - disconnect
          - second.listen: { port: { of: first } }
          - second.check: { isDisconnected: false, localPort: { listener: first } }
      expect: [ { first.didDisconnect: { error: none } } ]
      """
    ),
    (
      "interfaces bind what they name",
      """
      requirements: [ACC-09, ACC-12, ACC-15]
      subjects:
        six:
          - listen: { interface: "::1", port: free }
          - check: { isIPv4: false, isIPv6: true, localHost: "::1" }
          - other.listen: { interface: nosuch0, port: free, error: BadParam }
          - other.listen: { interface: eth0, port: free }
          - other.check: { localHost: "192.0.2.10" }
          - client.connect: { host: "127.0.0.1", port: { listener: other } }
      expect: [ { client.didDisconnect: { error: ECONNREFUSED } } ]
      """
    ),
    (
      "a local address that is taken fails by callback for hosts and in the call for addresses",
      """
      requirements: [CON-27]
      subjects:
        server:
          - listen: { interface: lo, port: 45001 }
          - one.connect: { host: "127.0.0.1", port: { listener: server }, via: "127.0.0.1:45001" }
          - two.connect: { address: "0200afc97f0000010000000000000000", via: "127.0.0.1:45001", error: EADDRINUSE }
          - two.check: { isDisconnected: true }
          - three.connect: { host: "127.0.0.1", port: { listener: server }, via: "eth0:45002" }
          - after: { three.didConnect: {} }
          - after: { server.didAccept: {} }
          - three.check: { localHost: "192.0.2.10", localPort: 45002, connectedPort: 45001, isIPv4: true }
          - child.check: { connectedHost: "192.0.2.10", connectedPort: 45002 }
      expect:
        - one.didDisconnect: { error: EADDRINUSE }
        - three.didConnect: { host: "127.0.0.1", port: 45001 }
        - server.didAccept
      """
    ),
    (
      "Unix-domain paths: missing, stale, listening",
      """
      requirements: [CON-34, ACC-37]
      subjects:
        server:
          - missing.connect: { path: "nobody.sock" }
          - after: { missing.didDisconnect: {} }
          - listen: { path: "here.sock" }
          - client.connect: { path: "here.sock" }
          - after: { client.didConnectToURL: {} }
          - client.check: { connectedURL: "here.sock", connectedHost: none, connectedPort: 0, isIPv4: false }
          - after: { didAccept: {} }
          - child.check: { connectedURL: none, isConnected: true }
          - disconnect
          - late.connect: { path: "here.sock" }
      expect:
        - missing.didDisconnect: { error: ENOENT }
        - client.didConnectToURL: { path: "here.sock" }
        - server.didAccept
        - server.didDisconnect: { error: none }
        - late.didDisconnect: { error: ENOENT }
      """
    ),
    (
      "a peer that stops listening resets those it did not accept",
      """
      requirements: [CON-44]
      peer: [ { wait: 50ms }, stopListening, { wait: 50ms }, listenAgain, accept, { send: "x" } ]
      subjects:
        socket:
          - connect
          - after: { didDisconnect: {} }
          - again.connect
          - after: { again.didDisconnect: {} }
          - wait: 100ms
          - again.connect
          - again.read: { length: 1B, tag: 1 }
      expect:
        - didConnect
        - didDisconnect: { error: ECONNRESET }
        - again.didDisconnect: { error: ECONNREFUSED }
        - again.didConnect
        - again.didRead: { bytes: "x" }
      """
    ),
  ]

  @Test(arguments: cases.map(\.name))
  func fact(name: String) throws {
    let yaml = try #require(Self.cases.first { $0.name == name }?.yaml)
    try SampleScenarios.expectPasses(name, "title: A fact\n" + yaml)
  }
}

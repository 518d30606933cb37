/// Right parts of files about a network of the case's own.
extension Samples {
  static let networks = [
    Sample(name: "a network", fragment: "network: []"),
    Sample(name: "a network of nothing", fragment: "network: {}"),
    Sample(
      name: "links",
      fragment: "network: { links: { lab0: {}, four: { family: ipv4, mtu: 1280B }, six: { family: ipv6 } }, steps: [] }"
    ),
    Sample(
      name: "kernels that give up, and options of a descriptor",
      fragment: """
        network: { retransmissions: 2, steps: [blackhole] }
        matrix: { subject: gcd }
        subject:
          - connect
          - set: { keepAlive: 2s, userTimeout: 800ms, linger: 0s }
          - read: { tag: 1 }
        """),
    Sample(
      name: "a resolver",
      fragment: """
        network:
          resolver:
            good.example: ["10.77.1.2", "fd77:1::2"]
            slow.example: { addresses: ["10.77.1.2"], delay: 400ms }
            bad.example: { fails: servfail }
            liar.example: { addresses: ["10.77.1.2"], fails: forged }
        subject:
          - connect: { host: good.example, port: peer }
          - read: { tag: 1 }
        """),
    Sample(
      name: "what packets meet",
      fragment: """
        network:
          - delay: 20ms
          - delay: { by: 1.5s, jitter: 5ms, to: peer }
          - lose: 30%
          - lose: { chance: 0.25%, to: subject, link: lab0 }
          - double: 100%
          - corrupt: 0.5%
          - reorder: 5%
          - reorder: { chance: 5%, by: 3ms }
          - throttle: 64KiB
          - throttle: { rate: 1MiB, queue: 5B }
          - fragment: 576B
          - mtu: 1280B
          - mtu: { size: 1280B, silent: true }
          - blackhole
          - blackhole: { to: peer }
          - unreachable: prohibited
          - window: { size: 0B, to: subject }
          - cross
          - cross: { to: subject }
          - restore
          - restore: { link: lab0 }
        """),
    Sample(
      name: "what the network does",
      fragment: """
        network:
          - after: didConnect
          - reset: subject
          - reset: { to: peer, beyond: 1GiB }
          - address: { remove: "10.77.1.1" }
          - address: { add: "fd77:1::9", of: peer, link: lab0 }
          - down: lab0
          - up: { link: lab0, of: peer }
          - wait: 20ms
          - repeat: { times: 3, steps: [blackhole, wait: 1ms, restore] }
          - reach: over
        peer: [accept, after: over, send: "HELLO"]
        """),
  ]
}

import ScenarioModel
import SocketPOSIX
import Testing

@testable import SoloPeer

/// Addresses on the command line.
@Suite struct PeerAddressTests {
  @Test(
    "what is written is what is read",
    arguments: [
      ("127.0.0.1:7777", "127.0.0.1:7777"), ("[::1]:80", "[::1]:80"), ("::1:80", "[::1]:80"),
      ("0.0.0.0:0", "0.0.0.0:0"),
      ("[::]:65535", "[::]:65535"), ("/tmp/a socket", "/tmp/a socket"), ("./peer", "./peer"), ("a:7/b", "a:7/b"),
      ("localhost:1", nil),
    ])
  func address(text: String, shown: String?) throws {
    let address = try PeerAddress.parsed(text)
    // A name may have either family's address.
    let wanted = shown.map { [$0] } ?? ["127.0.0.1:1", "[::1]:1"]
    #expect(wanted.contains(PeerAddress.text(address)), "\(PeerAddress.text(address))")
    #expect(try PeerAddress.parsed(PeerAddress.text(address)) == address)
  }

  @Test(
    "what is no address is told with what is wrong",
    arguments: [
      ("", "no address"), ("7777", "no address"), ("127.0.0.1", "no address"), ("127.0.0.1:", "no address"),
      ("127.0.0.1:65536", "no address"), ("127.0.0.1:-1", "no address"), ("[::1]", "no address"),
      (":80", "the host is missing"), ("[]:80", "the host is missing"),
      ("no-such-host.invalid:80", "nobody knows the name no-such-host.invalid"),
      ("/" + String(repeating: "x", count: 107), "is 108 bytes long: the path of a socket has 107 at most"),
    ])
  func notAnAddress(text: String, told: String) {
    let failure = #expect(throws: LabFailure.self) { try PeerAddress.parsed(text) }
    #expect(failure?.message.contains(told) == true, "\(failure?.message ?? "")")
    #expect(failure?.message.hasPrefix(text) == true)
  }
}

import Glibc
import SocketPOSIX

extension GCDAsyncSocket {
  /// Whether TCP connections send small pieces at once (`TCP_NODELAY`); true at first (D-33).
  ///
  /// The socket gathers queued writes itself, so Nagle's algorithm would win nothing, and cost a writer of a header and
  /// then a body the 40 ms for which the peer puts off its acknowledgement. A change takes effect at once: on the
  /// connection, or the attempts to make one, and on every later one until it is changed again. A listener hands its
  /// setting on to the clients it accepts from then on, where `didAcceptNewSocket` may change it. An option set by hand
  /// inside `perform(_:)` stays as long as this property is not set. Unix-domain sockets have no such option, and
  /// ignore it.
  public var isTCPNoDelayEnabled: Bool {
    get { driver.look { driver.isNoDelayEnabled } }
    set { driver.lookInOrder { driver.setNoDelay(newValue) } }
  }
}

extension DescriptorDriver {
  func setNoDelay(_ enabled: Bool) {
    isNoDelayEnabled = enabled
    for open in [stream].compactMap(\.self) + attempts.values {
      guard let local = SocketCall.localAddress(open.number), local.family != AF_UNIX else { continue }
      try? SocketCall.setNoDelay(open.number, enabled)
    }
  }

  /// Makes a fresh descriptor send at once, if that is wished for and its address is one of TCP's. A connection that
  /// has broken meanwhile may refuse: its next read or write tells why.
  func applyNoDelay(to descriptor: Int32, _ address: RawAddress?) {
    guard isNoDelayEnabled, let address, address.family != AF_UNIX else { return }
    try? SocketCall.setNoDelay(descriptor)
  }
}

/// What stands around a packet of IP, by the link types of captures.
enum LinkLayer {
  /// What was found behind the header of the link.
  enum Content {
    case packet(ArraySlice<UInt8>)
    /// Something else than IP, or less than a header.
    case other
    /// The type of the link is not supported.
    case unknownLink
  }

  private static let ipv4: UInt16 = 0x0800
  private static let ipv6: UInt16 = 0x86DD
  private static let tags: Set<UInt16> = [0x8100, 0x88A8, 0x9100]
  private static let session: UInt16 = 0x8864
  private static let labelled: UInt16 = 0x8847

  static func content(of packet: CapturedPacket) -> Content {
    let bytes = packet.bytes
    switch packet.link {
    // NULL and LOOP: a family in some host's order, or in the network's. IP says itself which version it is.
    case 0, 108: return isIP(bytes.behind(4))
    case 1: return ethernet(bytes)
    // RAW, by its names on several systems, and those for one version only.
    case 12, 14, 101, 228, 229: return isIP(bytes)
    case 113: return bytes.count >= 16 ? typed(bytes.word(14), bytes.behind(16)) : .other
    case 276: return bytes.count >= 20 ? typed(bytes.word(0), bytes.behind(20)) : .other
    default: return .unknownLink
    }
  }

  /// The name of a link type that is not read here.
  static func name(_ link: Int) -> String {
    let names = [
      105: "IEEE802_11", 127: "IEEE802_11_RADIO", 147: "USER0", 189: "USB_LINUX", 220: "USB_LINUX_MMAPPED",
      9: "PPP", 239: "NFLOG", 50: "PPP_HDLC", 51: "PPP_ETHER", 249: "USBPCAP", 253: "NETLINK", 187: "BLUETOOTH_HCI_H4",
    ]
    return "\(names[link].map { "\($0), " } ?? "")number \(link)"
  }

  private static func ethernet(_ bytes: ArraySlice<UInt8>) -> Content {
    bytes.count >= 14 ? typed(bytes.word(12), bytes.behind(14)) : .other
  }

  /// Behind a type of Ethernet; tags of virtual networks, labels (MPLS) and the header of PPPoE stepped over.
  private static func typed(_ type: UInt16, _ bytes: ArraySlice<UInt8>) -> Content {
    var (type, bytes) = (type, bytes)
    while tags.contains(type) {
      guard bytes.count >= 4 else { return .other }
      type = bytes.word(2)
      bytes = bytes.behind(4)
    }
    switch type {
    case ipv4, ipv6: return isIP(bytes)
    // Behind six bytes, the protocol by PPP's numbers: IP in version 4 or 6, or PPP's own talk.
    case session: return bytes.count >= 8 && [0x21, 0x57].contains(bytes.word(6)) ? isIP(bytes.behind(8)) : .other
    case labelled: return unlabelled(bytes)
    default: return .other
    }
  }

  private static func unlabelled(_ bytes: ArraySlice<UInt8>) -> Content {
    var bytes = bytes
    while bytes.count >= 4 {
      let isLast = bytes[at: 2] & 1 == 1
      bytes = bytes.behind(4)
      if isLast { return isIP(bytes) }
    }
    return .other
  }

  private static func isIP(_ bytes: ArraySlice<UInt8>) -> Content {
    guard let first = bytes.first else { return .other }
    return [4, 6].contains(first >> 4) ? .packet(bytes) : .other
  }
}

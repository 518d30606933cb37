// Bugs by which files and certificates cost more than they may.
extension PlantedBug {
  private static let cost = "Sources/SocketTLS/DerivationCost.swift"

  static let credentials: [PlantedBug] = [
    PlantedBug(
      "keys-of-a-file-count-apart", "classic", "Of several encrypted keys in a file only the dearest is counted",
      violates: ["TLS-17"], targets: ["credentials"],
      Edit(
        cost, "        total = sum(total, nextBlock(bio))\n",
        """
                let next = nextBlock(bio)
                total = ACTIVATED ? max(total, next) : sum(total, next)

        """)),
    PlantedBug(
      "bags-in-bags-are-free", "classic", "What it takes to open the bags inside of a bag of a PKCS#12 is not counted",
      violates: ["TLS-17"], targets: ["credentials"],
      Edit(
        cost, "guard let bags, depth < maximumDepth else", "guard let bags, depth < (ACTIVATED ? 1 : maximumDepth) else"
      )),
    PlantedBug(
      "nameless-points-are-free", "TLS-44", "Distribution points with an empty name are taken for fewer than they are",
      violates: ["TLS-44"], targets: ["credentials"],
      Edit(
        "Sources/SocketTLS/DistributionPoints.swift", "ASN1_STRING_length(data)) / minimumLength >",
        "ASN1_STRING_length(data)) / (ACTIVATED ? 8 : minimumLength) >")),
    PlantedBug(
      "a-context-hides-certificates", "TLS-46",
      "The certificates of a message of TLS 1.3 are counted as if nothing stood before them",
      violates: ["TLS-46"], targets: ["credentials"],
      Edit(
        "Sources/SocketTLS/CertificateMessage.swift", "!isTLS13 || vectors.next(lengthOf: 1) != nil,",
        "!isTLS13 || ACTIVATED && vectors.number(size: 1) != nil || vectors.next(lengthOf: 1) != nil,")),
  ]
}

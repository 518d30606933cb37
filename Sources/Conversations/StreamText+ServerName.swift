import ScenarioModel

extension StreamText {
  /// The range of the server name (SNI) in a ClientHello at the beginning, in TLS that was not decrypted; nil: there is
  /// none, or it is incomplete.
  var serverName: Range<Int>? {
    // The headers of the record and of the message, the version, and the random.
    guard RecordHeaders.begin(bytes), var place = skipping(vectorAt: 5 + 4 + 2 + 32, lengthOf: 1),
      let behindSuites = skipping(vectorAt: place, lengthOf: 2),
      let behindCompression = skipping(vectorAt: behindSuites, lengthOf: 1),
      let end = skipping(vectorAt: behindCompression, lengthOf: 2)
    else { return nil }
    place = behindCompression + 2
    while place + 4 <= end, let next = skipping(vectorAt: place + 2, lengthOf: 2), next <= end {
      // Of the extension: its type 0 and length; of the list: its length; of the name: its type 0 and length.
      let start = place + 9
      if bytes[place] == 0, bytes[place + 1] == 0, start < next, let stop = skipping(vectorAt: start - 2, lengthOf: 2) {
        return stop <= next && stop > start ? start..<stop : nil
      }
      place = next
    }
    return nil
  }

  /// The place behind a vector that begins with its length, which has `count` bytes; nil: the bytes are not all there.
  private func skipping(vectorAt place: Int, lengthOf count: Int) -> Int? {
    guard place + count <= bytes.count else { return nil }
    let length = bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    let end = place + count + length
    return end <= bytes.count ? end : nil
  }
}

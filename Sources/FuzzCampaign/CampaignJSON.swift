import Foundation

/// `campaign.json`: a campaign for machines, under the schema published as `campaign.schema.json`.
///
/// Keys are sorted, and the first levels have a line for each element, so that equal campaigns give equal bytes and
/// two of them can be compared line by line. Keys that are not known are passed over.
package enum CampaignJSON {
  /// UTF-8, ending with a line feed.
  package static func encode(_ campaign: Campaign) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // No figure is worth losing the findings for.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return spread(try encoder.encode(campaign), levels: 6) + [UInt8(ascii: "\n")]
  }

  /// Reads what `encode` writes; a file that is not JSON, or of another schema, throws.
  package static func decode(_ bytes: some Sequence<UInt8>) throws(CampaignReadFailure) -> Campaign {
    let data = Data(bytes)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      let head = try decoder.decode(Head.self, from: data)
      guard head.schema == Campaign.schemaVersion else { throw CampaignReadFailure.unknownSchema(head.schema) }
      return try decoder.decode(Campaign.self, from: data)
    } catch let failure as CampaignReadFailure {
      throw failure
    } catch let error as DecodingError {
      throw .malformed(words(for: error))
    } catch {
      throw .malformed("\(error)")
    }
  }

  /// The part of the file that says how to read the rest.
  private struct Head: Decodable {
    var schema: Int
  }

  private static func words(for error: DecodingError) -> String {
    let context: DecodingError.Context
    let problem: String
    switch error {
    case .typeMismatch(let type, let found): (context, problem) = (found, "no \(type)")
    case .valueNotFound(let type, let found): (context, problem) = (found, "no \(type)")
    case .keyNotFound(let key, let found): (context, problem) = (found, "no key \(key.stringValue)")
    case .dataCorrupted(let found): (context, problem) = (found, found.debugDescription)
    @unknown default: return "\(error)"
    }
    let place = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
    return place.isEmpty ? problem : "\(place): \(problem)"
  }

  /// Breaks lines between the elements of the first levels of compact JSON.
  private static func spread(_ json: some Sequence<UInt8>, levels: Int) -> [UInt8] {
    var out: [UInt8] = []
    var level = 0
    var isInText = false
    var isEscaped = false
    var last: UInt8 = 0
    func breakLine() {
      guard level <= levels else { return }
      out.append(UInt8(ascii: "\n"))
      out.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
    }
    for byte in json {
      if isInText {
        out.append(byte)
        isInText = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        last = byte
        continue
      }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if last == UInt8(ascii: "{") || last == UInt8(ascii: "[") { breakLine() }
        out.append(byte)
        level += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        level -= 1
        if last != UInt8(ascii: "{"), last != UInt8(ascii: "["), level < levels { breakLine() }
        out.append(byte)
      default:
        if last == UInt8(ascii: "{") || last == UInt8(ascii: "[") { breakLine() }
        out.append(byte)
        if byte == UInt8(ascii: ":") { out.append(UInt8(ascii: " ")) }
        if byte == UInt8(ascii: ",") { breakLine() }
        isInText = byte == UInt8(ascii: "\"")
      }
      last = byte
    }
    return out
  }
}

/// Why bytes are no campaign this version can read.
package enum CampaignReadFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Not JSON, or not of the schema's shape; says where and why.
  case malformed(String)
  /// Written under a schema of another version.
  case unknownSchema(Int)

  package var description: String {
    switch self {
    case .malformed(let why): "no campaign: \(why)"
    case .unknownSchema(let number):
      "a campaign under schema \(number); this version reads schema \(Campaign.schemaVersion)"
    }
  }
}

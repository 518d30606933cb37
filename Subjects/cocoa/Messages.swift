import Foundation

// The protocol's lines: a JSON object each.

typealias Message = [String: Any]

/// Nanoseconds of the monotonic clock.
func now() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// A message's value as JSON, which `JSONSerialization` takes much longer to make. Numbers are Swift's own: an `NSNumber`
/// of 1 would be taken for a `Bool`.
private func write(_ value: Any, to line: inout String) {
  switch value {
  case let text as String: write(text, to: &line)
  case let flag as Bool: line += flag ? "true" : "false"
  case let number as Int: line += "\(number)"
  case let number as Double: line += number.isFinite ? "\(number)" : "null"
  case let list as [Any]:
    line += "["
    for (place, member) in list.enumerated() {
      if place > 0 { line += "," }
      write(member, to: &line)
    }
    line += "]"
  case let object as Message:
    line += "{"
    for (place, (key, member)) in object.enumerated() {
      line += place > 0 ? ",\"\(key)\":" : "\"\(key)\":"
      write(member, to: &line)
    }
    line += "}"
  default: line += "null"
  }
}

private func write(_ text: String, to line: inout String) {
  line += "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": line += "\\\(scalar)"
    case "\0"..<" ": line += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
    default: line.unicodeScalars.append(scalar)
    }
  }
  line += "\""
}

/// Bytes go behind the rest: as a text among others they would be searched for what is to be escaped, and may be large.
func say(_ message: Message, data: Data? = nil) {
  var text = ""
  write(message, to: &text)
  var line = Data(text.utf8)
  if let data {
    line.removeLast()
    line.append(Data(",\"data\":\"".utf8))
    line.append(data.base64EncodedData())
    line.append(Data("\"}".utf8))
  }
  line.append(UInt8(ascii: "\n"))
  FileHandle.standardOutput.write(line)
}

/// Reads a line of the lab's.
enum MessageReader {
  /// Large payloads are taken out before the line is read as JSON, which is slow with large texts.
  static func message(_ line: String) -> Message? {
    guard line.utf8.count > 1 << 16 else { return object(Data(line.utf8)) as? Message }
    var line = line
    let (rest, payloads) = line.withUTF8 { taken(out: UnsafeRawBufferPointer($0)) }
    return object(rest).map { filled($0, payloads) } as? Message
  }

  private static func object(_ line: Data) -> Any? { try? JSONSerialization.jsonObject(with: line) }

  private static func quote(in line: UnsafeRawBufferPointer, from place: Int) -> Int? {
    guard let base = line.baseAddress else { return nil }
    return memchr(base + place, 0x22, line.count - place).map { UnsafeRawPointer($0) - base }
  }

  /// The line with names in place of large payloads, and the payloads.
  private static func taken(out line: UnsafeRawBufferPointer) -> (rest: Data, payloads: [Data]) {
    let key = Array("\"data\": \"".utf8)
    var (rest, payloads) = (Data(), [Data]())
    var (copied, place) = (0, 0)
    while let opening = quote(in: line, from: place) {
      let start = opening + key.count
      place = opening + 1
      guard line[opening...].starts(with: key), let closing = quote(in: line, from: start) else { continue }
      place = closing
      guard place - start > 1 << 12, let payload = Data(base64Encoded: Data(line[start..<place])) else { continue }
      rest.append(contentsOf: line[copied..<start])
      rest.append(Data("#\(payloads.count)".utf8))
      payloads.append(payload)
      copied = place
    }
    rest.append(contentsOf: line[copied...])
    return (rest, payloads)
  }

  /// The value with the payloads in their places.
  private static func filled(_ value: Any, _ payloads: [Data]) -> Any {
    if let list = value as? [Any] { return list.map { filled($0, payloads) } }
    guard var object = value as? Message else { return value }
    for (key, member) in object {
      if key == "data", let text = member as? String, text.hasPrefix("#"), let number = Int(text.dropFirst()) {
        object[key] = payloads[number]
      } else {
        object[key] = filled(member, payloads)
      }
    }
    return object
  }
}

/// An instant as certificates state it: whole seconds of the Gregorian calendar in UTC.
struct CertificateTime {
  private let seconds: Int64
  private let year: Int64
  /// Month, day, hour, minute, second.
  private let rest: [Int64]

  init(_ seconds: Int64) throws(CertificateFailure) {
    // From the first second of the year 1 to the last of 9999.
    guard (-62_135_596_800...253_402_300_799).contains(seconds) else { throw .timeOutOfRange(seconds) }
    self.seconds = seconds
    let ofDay = ((seconds % 86400) + 86400) % 86400
    let (year, month, day) = Self.date(daysSince1970: (seconds - ofDay) / 86400)
    self.year = year
    rest = [month, day, ofDay / 3600, ofDay / 60 % 60, ofDay % 60]
  }

  /// UTCTime from 1950 to 2049, GeneralizedTime otherwise (RFC 5280, 4.1.2.5).
  var der: [UInt8] {
    let tail = rest.map { Self.digits($0, 2) }.joined() + "Z"
    return (1950...2049).contains(year)
      ? DER.element(0x17, Array((Self.digits(year % 100, 2) + tail).utf8))
      : DER.element(0x18, Array((Self.digits(year, 4) + tail).utf8))
  }

  /// `2030-01-01T00:00:00Z`.
  var text: String {
    let parts = rest.map { Self.digits($0, 2) }
    return "\(Self.digits(year, 4))-\(parts[0])-\(parts[1])T\(parts[2]):\(parts[3]):\(parts[4])Z"
  }

  private static func digits(_ value: Int64, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(width - text.count, 0)) + text
  }

  /// Counts in eras of 400 years (146097 days) that begin on March 1st, so that the leap day is a year's last.
  private static func date(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let days = daysSince1970 + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let ofEra = days - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * ofYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * shifted + 2) / 5 + 1)
  }
}

/// From the first valid second to the last, both counted in.
struct Validity {
  var first: Int64
  var last: Int64

  static let day: Int64 = 86400
  static let year: Int64 = 365 * day

  /// From `before` seconds before the instant to `after` seconds after it. Saturates; a time that no certificate can
  /// state fails when it is written.
  init(around now: Int64, before: Int64, after: Int64) {
    first = Self.sum(now, -before)
    last = Self.sum(now, after)
  }

  private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflows) = left.addingReportingOverflow(right)
    return overflows ? (right < 0 ? .min : .max) : sum
  }

  var der: [UInt8] {
    get throws(CertificateFailure) { DER.sequence([try CertificateTime(first).der, try CertificateTime(last).der]) }
  }

  var text: String {
    get throws(CertificateFailure) { "\(try CertificateTime(first).text) to \(try CertificateTime(last).text)" }
  }
}

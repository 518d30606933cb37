import COpenSSL
import Glibc

/// Instants in Unix seconds, as certificates write them and as people read them.
enum CalendarTime {
  /// nil: an ill-formed time.
  static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    return Int64(timegm(&parts))
  }

  /// "2030-01-01T00:00:00Z".
  static func text(_ seconds: Int64) -> String {
    var instant = time_t(seconds)
    var parts = tm()
    guard gmtime_r(&instant, &parts) != nil else { return "\(seconds) s" }
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let year = Int(parts.tm_year) + 1900
    return "\(year)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T"
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }
}

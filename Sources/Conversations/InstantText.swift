/// An instant as people write it, in universal time.
enum InstantText {
  /// `2027-01-31 23:59:59 UTC`, of nanoseconds since 1970.
  static func text(_ nanoseconds: UInt64) -> String {
    let seconds = nanoseconds / 1_000_000_000
    let (days, rest) = (Int(seconds / 86_400), Int(seconds % 86_400))
    // Years that begin in March end with the day that not all of them have.
    let shifted = days + 719_468
    let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    let date = [year, month, day].map(twoDigits).joined(separator: "-")
    return date + " " + [rest / 3_600, rest / 60 % 60, rest % 60].map(twoDigits).joined(separator: ":") + " UTC"
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

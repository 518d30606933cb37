import FuzzCampaign
import ReportMarkup
import ScenarioModel

/// `plot.csv`: every point of every series, for a plotting program. RFC 4180, with line feeds.
enum CampaignPlot {
  static func make(_ campaign: Campaign) -> [UInt8] {
    var text = "target,lane,trial,seconds,executions,cov,ft,corpus_files,corpus_bytes,exec_per_s,rss_bytes\n"
    for target in campaign.targets {
      for run in target.runs {
        for point in run.series {
          text += "\(quoted(target.name)),\(run.lane.rawValue),\(run.trial),"
          text += point.seconds.isFinite ? QuantityText.fraction(point.seconds, digits: 3) : ""
          text += ",\(point.executions),\(point.coverage),\(point.features),\(point.corpusFiles),\(point.corpusBytes),"
          text += "\(point.rate),\(point.rssBytes)\n"
        }
      }
    }
    return Array(text.utf8)
  }

  /// A spreadsheet takes a text that begins with one of these for a formula.
  private static func quoted(_ text: String) -> String {
    let line = VisibleText.scrub(text, singleLine: true)
    let safe = line.first.map { "=+-@".contains($0) } == true ? "'" + line : line
    let needsQuotes = safe.unicodeScalars.contains { $0 == "," || $0 == "\"" || $0 == "\n" || $0 == "\r" }
    guard needsQuotes else { return safe }
    var quoted = String.UnicodeScalarView()
    for scalar in safe.unicodeScalars {
      if scalar == "\"" { quoted.append(scalar) }
      quoted.append(scalar)
    }
    return "\"\(String(quoted))\""
  }
}

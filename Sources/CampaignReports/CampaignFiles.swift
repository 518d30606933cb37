import FuzzCampaign

/// All reports of one fuzz campaign, as files for a folder of the caller's choice.
///
/// Laws
/// - Pure: no clock, no file, no random; the same campaign gives the same bytes.
/// - Whatever came from a log, an input or a scenario is data. It is escaped for the format it lands in.
/// - No report decides anything: the gates come in with the campaign.
package enum CampaignFiles {
  /// `campaign.json`, `junit.xml`, `results.sarif`, `plot.csv`, `summary.md` and `index.html`, in this order.
  package static func make(_ campaign: Campaign) throws -> [(name: String, bytes: [UInt8])] {
    [
      ("campaign.json", try CampaignJSON.encode(campaign)),
      ("junit.xml", CampaignJUnit.make(campaign)),
      ("results.sarif", CampaignSARIF.make(campaign)),
      ("plot.csv", CampaignPlot.make(campaign)),
      ("summary.md", CampaignSummary.make(campaign)),
      ("index.html", CampaignPage.make(campaign)),
    ]
  }
}

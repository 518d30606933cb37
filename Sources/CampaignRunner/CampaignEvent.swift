import FuzzCampaign

/// What a campaign reports while it is under way. Numbers tell the workers apart.
package enum CampaignEvent: Sendable {
  /// What it does now, in words.
  case step(String)
  /// What could not be done, in words; the report says it, too.
  case problem(String)
  /// The search begins, with that many units.
  case searching(units: Int)
  case began(worker: Int, FuzzUnit)
  /// How far the worker's unit has come.
  case reached(worker: Int, SeriesPoint)
  /// A process has ended, with that many inputs that show something.
  case crashed(worker: Int, inputs: Int)
  /// Something that the campaign had not found before.
  case found(Finding)
  /// What a person should see at once, in words.
  case remark(String)
  case ended(worker: Int)
  /// Time went by without news.
  case tick
  case searched
}

/// Takes events from any thread.
package typealias CampaignObserver = @Sendable (CampaignEvent) -> Void

import FuzzHarness

package enum ScenarioFuzzing {
  package static let body: FuzzBody = { _ in nil }
}

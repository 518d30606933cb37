import FuzzHarness

package enum DuplexFuzzing {
  package static let body: FuzzBody = { _ in nil }
}

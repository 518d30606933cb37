import FuzzHarness

package enum ConnectionFuzzing {
  package static let body: FuzzBody = { _ in nil }
}

import FuzzHarness

package enum PrebufferFuzzing {
  package static let body: FuzzBody = { _ in nil }
}

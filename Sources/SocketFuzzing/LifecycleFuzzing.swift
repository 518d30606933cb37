import FuzzHarness

package enum LifecycleFuzzing {
  package static let body: FuzzBody = { _ in nil }
}

import FuzzHarness

package enum WriteQueueFuzzing {
  package static let body: FuzzBody = { _ in nil }
}

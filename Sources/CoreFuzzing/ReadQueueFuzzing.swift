import FuzzHarness

package enum ReadQueueFuzzing {
  package static let body: FuzzBody = { _ in nil }
}

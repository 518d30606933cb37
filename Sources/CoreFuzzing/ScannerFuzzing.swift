import FuzzHarness

package enum ScannerFuzzing {
  package static let body: FuzzBody = { _ in nil }
}

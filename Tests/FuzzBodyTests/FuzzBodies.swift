import AddressFuzzing
import BufferFuzzing
import CaptureFuzzing
import ChainFuzzing
import CoreFuzzing
import FuzzHarness
import PageFuzzing
import RecordFuzzing
import RelayFuzzing
import SimulationFuzzing
import SocketFuzzing
import SubjectFuzzing
import TextFuzzing

/// The body of every target by the target's name.
enum FuzzBodies {
  static let all: [String: FuzzBody] = [
    "scanner": ScannerFuzzing.body, "prebuffer": PrebufferFuzzing.body, "readqueue": LockstepFuzzing.readQueue.body,
    "writequeue": LockstepFuzzing.writeQueue.body, "duplex": DuplexFuzzing.body,
    "connection": LockstepFuzzing.connection.body,
    "tls": TLSFuzzing.body, "scenario": ScenarioFuzzing.body, "runner": RunnerFuzzing.body,
    "address": AddressFuzzing.body, "report": ReportFuzzing.body, "lifecycle": LifecycleFuzzing.body,
    "chain": ChainFuzzing.body, "credentials": CredentialFuzzing.body,
    "relay": RelayFuzzing.body, "subject": SubjectFuzzing.body, "capture": CaptureFuzzing.body,
    "records": RecordFuzzing.body,
  ]

  static func run(_ target: String, _ bytes: [UInt8]) -> Violation? {
    guard let body = all[target] else { return Violation("replay/target", "no target is called \(target)") }
    return bytes.withUnsafeBytes { body($0) }
  }
}

extension CallbackPattern {
  /// Whether the callback is one this pattern describes; fields the pattern leaves out are not looked at.
  package func matches(_ delivered: DeliveredCallback) -> Bool {
    guard delivered.callback.kind == kind, tag == nil || tag == delivered.callback.tag,
      delegate == nil || delegate == delivered.delegate, runLoop == nil || runLoop == delivered.runLoop,
      mode == nil || mode == delivered.mode
    else { return false }
    switch delivered.callback {
    case .didConnect(let actualHost, let actualPort):
      return (host == nil || host == actualHost) && (port == nil || port == actualPort)
    case .didConnectToURL(let actualPath): return path == nil || path == actualPath
    case .didAccept(let actualChild): return child == nil || child == actualChild
    case .didRead(let actual, _): return matches(bytes: actual)
    case .didReadPartial(let actual, _), .didWritePartial(let actual, _): return count?.contains(actual) ?? true
    case .shouldTimeoutRead(_, let actualElapsed, let done), .shouldTimeoutWrite(_, let actualElapsed, let done):
      return (elapsed.map { abs($0 - actualElapsed) <= 1e-9 } ?? true) && (bytesDone?.contains(done) ?? true)
    case .didDisconnect(let actual), .willDisconnect(let actual): return error?.matches(actual) ?? true
    case .newSocketQueue, .didWrite, .didCloseRead, .didSecure, .didReceiveTrust, .willConnect, .wantsRunLoop:
      return true
    }
  }

  private func matches(bytes actual: [UInt8]) -> Bool {
    if let count, !count.contains(actual.count) { return false }
    if let hash, hash != ContentHash(of: actual).text { return false }
    guard let bytes else { return true }
    return bytes.count == actual.count && bytes.materialised == actual
  }
}

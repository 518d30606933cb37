import CocoaAsyncSocket

extension GCDAsyncSocket {
  /// Has the socket do without one of its shortcuts, by the name that scenarios call it; a name that is none ends the
  /// program. Before its first start, or in didAcceptNewSocket.
  public func benchmarkWithout(shortcut name: String) { leaveOutShortcut(named: name) }
}

// Apple's Security framework, as far as it is of use around TLS, comes with the socket, as on Apple's systems, where
// the header of the socket imports it. This module is for code that names it.
@_exported import CocoaAsyncSocket

/// A cipher suite by its number, as of the registry at IANA.
public typealias SSLCipherSuite = UInt16

// Members of `GCDAsyncSocketSSLCipherSuites` by the names that Secure Transport gives them:
// `[NSNumber(value: TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384)]`. Those that OpenSSL has; which of them are used where none
// are named, `TLSSettings.cipherSuites` says.

/// No suite.
public let SSL_NO_SUCH_CIPHERSUITE: SSLCipherSuite = 0xFFFF
/// TLS 1.3.
public let TLS_AES_128_GCM_SHA256: SSLCipherSuite = 0x1301
/// TLS 1.3.
public let TLS_AES_256_GCM_SHA384: SSLCipherSuite = 0x1302
/// TLS 1.3.
public let TLS_CHACHA20_POLY1305_SHA256: SSLCipherSuite = 0x1303
/// TLS 1.3.
public let TLS_AES_128_CCM_SHA256: SSLCipherSuite = 0x1304
/// TLS 1.3.
public let TLS_AES_128_CCM_8_SHA256: SSLCipherSuite = 0x1305
/// Up to TLS 1.2, with forward secrecy.
public let TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: SSLCipherSuite = 0xC02B
/// Up to TLS 1.2, with forward secrecy.
public let TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: SSLCipherSuite = 0xC02C
/// Up to TLS 1.2, with forward secrecy.
public let TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: SSLCipherSuite = 0xC02F
/// Up to TLS 1.2, with forward secrecy.
public let TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: SSLCipherSuite = 0xC030
/// Up to TLS 1.2, with forward secrecy.
public let TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: SSLCipherSuite = 0xCCA8
/// Up to TLS 1.2, with forward secrecy.
public let TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: SSLCipherSuite = 0xCCA9
/// Up to TLS 1.2, with forward secrecy.
public let TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: SSLCipherSuite = 0xC023
/// Up to TLS 1.2, with forward secrecy.
public let TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384: SSLCipherSuite = 0xC024
/// Up to TLS 1.2, with forward secrecy.
public let TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: SSLCipherSuite = 0xC027
/// Up to TLS 1.2, with forward secrecy.
public let TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384: SSLCipherSuite = 0xC028
/// Up to TLS 1.2, with forward secrecy.
public let TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: SSLCipherSuite = 0xC009
/// Up to TLS 1.2, with forward secrecy.
public let TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: SSLCipherSuite = 0xC00A
/// Up to TLS 1.2, with forward secrecy.
public let TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: SSLCipherSuite = 0xC013
/// Up to TLS 1.2, with forward secrecy.
public let TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: SSLCipherSuite = 0xC014
/// Up to TLS 1.2, with forward secrecy.
public let TLS_DHE_RSA_WITH_AES_128_GCM_SHA256: SSLCipherSuite = 0x009E
/// Up to TLS 1.2, with forward secrecy.
public let TLS_DHE_RSA_WITH_AES_256_GCM_SHA384: SSLCipherSuite = 0x009F
/// Up to TLS 1.2, with forward secrecy.
public let TLS_DHE_RSA_WITH_AES_128_CBC_SHA256: SSLCipherSuite = 0x0067
/// Up to TLS 1.2, with forward secrecy.
public let TLS_DHE_RSA_WITH_AES_256_CBC_SHA256: SSLCipherSuite = 0x006B
/// Up to TLS 1.2, with forward secrecy.
public let TLS_DHE_RSA_WITH_AES_128_CBC_SHA: SSLCipherSuite = 0x0033
/// Up to TLS 1.2, with forward secrecy.
public let TLS_DHE_RSA_WITH_AES_256_CBC_SHA: SSLCipherSuite = 0x0039
/// Up to TLS 1.2, without forward secrecy.
public let TLS_RSA_WITH_AES_128_GCM_SHA256: SSLCipherSuite = 0x009C
/// Up to TLS 1.2, without forward secrecy.
public let TLS_RSA_WITH_AES_256_GCM_SHA384: SSLCipherSuite = 0x009D
/// Up to TLS 1.2, without forward secrecy.
public let TLS_RSA_WITH_AES_128_CBC_SHA256: SSLCipherSuite = 0x003C
/// Up to TLS 1.2, without forward secrecy.
public let TLS_RSA_WITH_AES_256_CBC_SHA256: SSLCipherSuite = 0x003D
/// Up to TLS 1.2, without forward secrecy.
public let TLS_RSA_WITH_AES_128_CBC_SHA: SSLCipherSuite = 0x002F
/// Up to TLS 1.2, without forward secrecy.
public let TLS_RSA_WITH_AES_256_CBC_SHA: SSLCipherSuite = 0x0035

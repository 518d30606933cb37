/// Declared by the original for misuse; never raised: errors come back as thrown values (ERR-13).
public let GCDAsyncSocketException = "GCDAsyncSocketException"
/// The label of the original's queues; the library's own have others.
public let GCDAsyncSocketQueueName = "GCDAsyncSocket"
/// The name of a thread of the original's; the library's own have others.
public let GCDAsyncSocketThreadName = "GCDAsyncSocket-CFStream"
/// The logging context of the original.
public let GCDAsyncSocketLoggingContext = 65535

// Keys of the startTLS settings.

/// A Boolean: the delegate decides about the peer's certificates in didReceiveTrust.
public let GCDAsyncSocketManuallyEvaluateTrust = "GCDAsyncSocketManuallyEvaluateTrust"
/// A Boolean of the original's iOS build; without effect.
public let GCDAsyncSocketUseCFStreamForTLS = "GCDAsyncSocketUseCFStreamForTLS"
/// The name the server's certificate must carry; a server ignores it.
public let GCDAsyncSocketSSLPeerName = kCFStreamSSLPeerName
/// The own identity and certificates.
public let GCDAsyncSocketSSLCertificates = kCFStreamSSLCertificates
/// A Boolean: take the server's role.
public let GCDAsyncSocketSSLIsServer = kCFStreamSSLIsServer
/// The key of a session to resume; without effect (TLS-40).
public let GCDAsyncSocketSSLPeerID = "GCDAsyncSocketSSLPeerID"
/// The lowest protocol version to speak.
public let GCDAsyncSocketSSLProtocolVersionMin = "GCDAsyncSocketSSLProtocolVersionMin"
/// The highest protocol version to speak.
public let GCDAsyncSocketSSLProtocolVersionMax = "GCDAsyncSocketSSLProtocolVersionMax"
/// A Boolean session option; without effect (TLS-40).
public let GCDAsyncSocketSSLSessionOptionFalseStart = "GCDAsyncSocketSSLSessionOptionFalseStart"
/// A Boolean session option; without effect (TLS-40).
public let GCDAsyncSocketSSLSessionOptionSendOneByteRecord = "GCDAsyncSocketSSLSessionOptionSendOneByteRecord"
/// The cipher suites to offer.
public let GCDAsyncSocketSSLCipherSuites = "GCDAsyncSocketSSLCipherSuites"
/// The application protocols to offer.
public let GCDAsyncSocketSSLALPN = "GCDAsyncSocketSSLALPN"
/// Diffie-Hellman parameters, for servers; without effect (TLS-40).
public let GCDAsyncSocketSSLDiffieHellmanParameters = "GCDAsyncSocketSSLDiffieHellmanParameters"

// Keys of this library's own, for what Apple's systems settle elsewhere.

/// An array of `SecCertificate`: trusted by a client besides what the system trusts, by a server instead of it.
public let GCDAsyncSocketSSLTrustAnchors = "GCDAsyncSocketSSLTrustAnchors"
/// A Boolean: only the anchors given are trusted.
public let GCDAsyncSocketSSLTrustAnchorsOnly = "GCDAsyncSocketSSLTrustAnchorsOnly"
/// An array of `Data`: revocation lists in PEM or DER.
public let GCDAsyncSocketSSLRevocationLists = "GCDAsyncSocketSSLRevocationLists"
/// A `Date`: as of when the peer's certificates must be valid.
public let GCDAsyncSocketSSLVerifyDate = "GCDAsyncSocketSSLVerifyDate"
/// A string, `none`, `optional` or `required`: what a server asks of its clients.
public let GCDAsyncSocketSSLClientCertificates = "GCDAsyncSocketSSLClientCertificates"
/// The same as the number of an `SSLAuthenticate`, by the name that widespread copies of the original have. Where both
/// are given and differ, the socket closes with `otherError`.
public let GCDAsyncSocketSSLClientSideAuthenticate = "GCDAsyncSocketSSLClientSideAuthenticate"

// The dictionary keys that the first documents of the library name.

/// The protocol level to negotiate.
public let kCFStreamSSLLevel = "kCFStreamSSLLevel"
/// A Boolean: expired certificates are accepted.
public let kCFStreamSSLAllowsExpiredCertificates = "kCFStreamSSLAllowsExpiredCertificates"
/// A Boolean: expired roots are accepted.
public let kCFStreamSSLAllowsExpiredRoots = "kCFStreamSSLAllowsExpiredRoots"
/// A Boolean: any root is accepted.
public let kCFStreamSSLAllowsAnyRoot = "kCFStreamSSLAllowsAnyRoot"
/// A Boolean: the chain is validated.
public let kCFStreamSSLValidatesCertificateChain = "kCFStreamSSLValidatesCertificateChain"
/// The name the server's certificate must carry; a server ignores it.
public let kCFStreamSSLPeerName = "kCFStreamSSLPeerName"
/// The own identity and certificates.
public let kCFStreamSSLCertificates = "kCFStreamSSLCertificates"
/// A Boolean: take the server's role.
public let kCFStreamSSLIsServer = "kCFStreamSSLIsServer"

// The values of `kCFStreamSSLLevel`.

/// The best that both sides have, of what is considered safe: what is done without a level, too.
public let kCFStreamSocketSecurityLevelNegotiatedSSL = "kCFStreamSocketSecurityLevelNegotiatedSSL"
/// TLS 1.0 and everything newer.
public let kCFStreamSocketSecurityLevelTLSv1 = "kCFStreamSocketSecurityLevelTLSv1"
/// Broken; refused.
public let kCFStreamSocketSecurityLevelSSLv3 = "kCFStreamSocketSecurityLevelSSLv3"
/// Broken; refused.
public let kCFStreamSocketSecurityLevelSSLv2 = "kCFStreamSocketSecurityLevelSSLv2"
/// No TLS; refused.
public let kCFStreamSocketSecurityLevelNone = "kCFStreamSocketSecurityLevelNone"

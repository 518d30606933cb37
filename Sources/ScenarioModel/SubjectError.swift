/// What a callback or a refused call reported as its error, in terms every subject can be mapped to.
package struct SubjectError: Hashable, Sendable, Codable {
  /// Whose numbers the code is one of.
  package enum Domain: String, Hashable, Sendable, Codable {
    /// The library's own codes, see `LibraryErrorCode`.
    case library
    /// A system call failed; the code is an errno.
    case posix
    /// Name resolution failed; the code is getaddrinfo's.
    case netDB
    case ssl
    /// The run-loop class's own codes, see `RunLoopErrorCode`.
    case runLoop
    /// The run-loop class has no error for an end that the peer made in order, and reports nil; the code is 0. In its
    /// didDisconnect that end has the name that the other class gives it, `Closed`.
    case remoteEnd
    /// The run-loop class raised its exception: a misuse by the caller; the code is 0.
    case exception
    case other
  }

  /// Whose number the code is.
  package var domain: Domain
  /// A number of the domain: `LibraryErrorCode`, `RunLoopErrorCode`, an errno, getaddrinfo's, or of Apple's SSL domain.
  package var code: Int
  /// The localised description, never empty (ERR-12).
  package var message: String
  /// The failure reason, which names the call for system-call failures (ERR-04).
  package var reason: String?

  package init(domain: Domain, code: Int, message: String, reason: String? = nil) {
    self.domain = domain
    self.code = code
    self.message = message
    self.reason = reason
  }

  /// What the didDisconnect of the run-loop class says of an end that the peer has made in order.
  package static let remoteEnd = SubjectError(domain: .remoteEnd, code: 0, message: "The peer closed the connection.")

  /// The name a scenario file uses: `ReadTimeout`, `ECONNRESET`, `EAI_NONAME`, `errSSLCertExpired`, or `domain code`.
  package var name: String {
    switch domain {
    case .library: LibraryErrorCode(rawValue: code)?.name ?? "library \(code)"
    case .posix: ErrnoName.name(of: Int32(truncatingIfNeeded: code)) ?? "errno \(code)"
    case .netDB: ErrnoName.lookupName(of: Int32(truncatingIfNeeded: code)) ?? "NetDB \(code)"
    case .ssl: code == Self.anyTLS ? "SSL" : SSLErrorName.name(of: code) ?? "SSL \(code)"
    case .runLoop: RunLoopErrorCode(rawValue: code)?.name ?? "AsyncSocket \(code)"
    case .remoteEnd: LibraryErrorCode.closed.name
    case .exception: Self.misuse
    case .other: "other \(code)"
    }
  }

  /// The code of an error of TLS of which a subject does not say more; it fits wherever one of TLS is expected. Apple's
  /// codes are negative, and none is this.
  package static let anyTLS = 1

  /// The name of the run-loop class's exception.
  package static let misuse = "Misuse"

  /// What the subject really reported, where the name alone would tell it as another class's:
  /// `AsyncSocketErrorDomain 4`, `nil`, `AsyncSocketException`; nil: the name says it.
  package var origin: String? {
    switch domain {
    case .runLoop: "AsyncSocketErrorDomain \(code)"
    case .remoteEnd: "nil"
    case .exception: "AsyncSocketException"
    case .library, .posix, .netDB, .ssl, .other: nil
    }
  }

  /// Whether the error comes from one of the classes under test, so that names both have mean the same.
  fileprivate var isOfSubject: Bool { [.library, .runLoop, .remoteEnd].contains(domain) }
}

/// The library's error codes (ERR-01). `NoError` is never delivered.
package enum LibraryErrorCode: Int, CaseIterable, Sendable, Codable {
  case badConfig = 1
  case badParam, connectTimeout, readTimeout, writeTimeout, readMaxedOut, closed, other

  /// As scenario files write it.
  package var name: String {
    switch self {
    case .badConfig: "BadConfig"
    case .badParam: "BadParam"
    case .connectTimeout: "ConnectTimeout"
    case .readTimeout: "ReadTimeout"
    case .writeTimeout: "WriteTimeout"
    case .readMaxedOut: "ReadMaxedOut"
    case .closed: "Closed"
    case .other: "Other"
    }
  }
}

/// The codes of AsyncSocketErrorDomain (ERR-02). What both classes report has the other class's name. `NoError`, 0, is
/// never delivered.
package enum RunLoopErrorCode: Int, CaseIterable, Sendable, Codable {
  case cfSocket = -1
  case canceled = 1
  case connectTimeout, readMaxedOut, readTimeout, writeTimeout

  /// As scenario files write it.
  package var name: String {
    switch self {
    case .cfSocket: "CFSocket"
    case .canceled: "Canceled"
    case .connectTimeout: LibraryErrorCode.connectTimeout.name
    case .readMaxedOut: LibraryErrorCode.readMaxedOut.name
    case .readTimeout: LibraryErrorCode.readTimeout.name
    case .writeTimeout: LibraryErrorCode.writeTimeout.name
    }
  }

  /// Those that the other class has none like.
  package static let own: [RunLoopErrorCode] = [.cfSocket, .canceled]
}

/// Symbolic names for the numbers a Linux kernel and resolver answer with (ERR-05).
package enum ErrnoName {
  private static let numbers: [(String, Int32)] = [
    ("EPERM", 1), ("ENOENT", 2), ("EINTR", 4), ("EBADF", 9), ("EAGAIN", 11), ("ENOMEM", 12), ("EACCES", 13),
    ("EINVAL", 22), ("ENFILE", 23), ("EMFILE", 24), ("EPIPE", 32), ("ENAMETOOLONG", 36), ("ENOTSOCK", 88),
    ("EAFNOSUPPORT", 97), ("EADDRINUSE", 98), ("EADDRNOTAVAIL", 99), ("ENETDOWN", 100), ("ENETUNREACH", 101),
    ("ECONNABORTED", 103), ("ECONNRESET", 104), ("ENOBUFS", 105), ("ENOTCONN", 107), ("ETIMEDOUT", 110),
    ("ECONNREFUSED", 111), ("EHOSTUNREACH", 113),
  ]
  private static let lookupNumbers: [(String, Int32)] = [
    ("EAI_BADFLAGS", -1), ("EAI_NONAME", -2), ("EAI_AGAIN", -3), ("EAI_FAIL", -4), ("EAI_NODATA", -5),
    ("EAI_FAMILY", -6), ("EAI_SERVICE", -8), ("EAI_MEMORY", -10), ("EAI_SYSTEM", -11),
  ]

  /// All names of errno that scenario files may write, by ascending number.
  package static var all: [String] { numbers.map(\.0) }
  /// All names of getaddrinfo's codes that scenario files may write, by descending number.
  package static var allLookup: [String] { lookupNumbers.map(\.0) }

  /// The errno of a name such as `ECONNRESET`; nil: there is none.
  package static func number(of name: String) -> Int32? { numbers.first { $0.0 == name }?.1 }
  /// The name of an errno; nil: it has none here.
  package static func name(of number: Int32) -> String? { numbers.first { $0.1 == number }?.0 }
  /// getaddrinfo's code of a name such as `EAI_NONAME`; nil: there is none.
  package static func lookupNumber(of name: String) -> Int32? { lookupNumbers.first { $0.0 == name }?.1 }
  /// The name of getaddrinfo's code; nil: it has none here.
  package static func lookupName(of number: Int32) -> String? { lookupNumbers.first { $0.1 == number }?.0 }
}

/// What a scenario accepts as an error.
package enum ErrorPattern: Hashable, Sendable, Codable {
  /// No error object at all (nil).
  case none
  /// Some error, whichever.
  case any
  /// One of these.
  case oneOf([ErrorName])

  /// Whether the error is accepted; nil: no error object came.
  package func matches(_ error: SubjectError?) -> Bool {
    switch (self, error) {
    case (.none, nil): true
    case (.any, .some): true
    case (.oneOf(let names), let error): names.contains { $0.matches(error) }
    default: false
    }
  }

  /// As a scenario file writes it, for messages.
  package var text: String {
    switch self {
    case .none: "none"
    case .any: "any"
    case .oneOf(let names): names.map(\.text).joined(separator: " or ")
    }
  }
}

/// One named error of an `ErrorPattern`.
package enum ErrorName: Hashable, Sendable, Codable {
  case none
  /// Of either class, by name: the run-loop class has numbers of its own for the same.
  case library(LibraryErrorCode)
  /// One that only the run-loop class has.
  case runLoop(RunLoopErrorCode)
  /// The run-loop class's exception.
  case misuse
  case posix(Int32)
  case netDB(Int32?)
  case ssl(Int?)

  /// Whether the error is the one; nil: no error object came, which `none` alone accepts.
  package func matches(_ error: SubjectError?) -> Bool {
    guard let error else { return self == .none }
    return switch self {
    case .none: false
    case .library(let code): error.isOfSubject && error.name == code.name
    case .runLoop(let code): error.domain == .runLoop && error.code == code.rawValue
    case .misuse: error.domain == .exception
    case .posix(let number): error.domain == .posix && error.code == Int(number)
    case .netDB(let code): error.domain == .netDB && (code.map { Int($0) == error.code } ?? true)
    case .ssl(let code):
      error.domain == .ssl && (code.map { $0 == error.code || error.code == SubjectError.anyTLS } ?? true)
    }
  }

  /// As a scenario file writes it; `errno 99` or `SSL -1` for a number without a name.
  package var text: String {
    switch self {
    case .none: "none"
    case .library(let code): code.name
    case .runLoop(let code): code.name
    case .misuse: SubjectError.misuse
    case .posix(let number): ErrnoName.name(of: number) ?? "errno \(number)"
    case .netDB(let code): code.flatMap(ErrnoName.lookupName(of:)) ?? "NetDB"
    case .ssl(let code): code.map { SSLErrorName.name(of: $0) ?? "SSL \($0)" } ?? "SSL"
    }
  }
}

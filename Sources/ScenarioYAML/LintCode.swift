import ScenarioModel

/// Every kind of remark the reader can make about a scenario file. The raw values are stable: files, reports and
/// `socketlab explain` refer to them.
package enum LintCode: String, CaseIterable, Sendable {
  // The text as such.
  case fileTooLarge = "file-too-large"
  case badUTF8 = "bad-utf8"
  case badCharacter = "bad-character"
  case nestingTooDeep = "nesting-too-deep"
  case anchor
  case explicitTag = "explicit-tag"
  case syntax
  case severalDocuments = "several-documents"
  case emptyFile = "empty-file"

  // The shape.
  case unknownKey = "unknown-key"
  case duplicateKey = "duplicate-key"
  case keyNotText = "key-not-text"
  case missingKey = "missing-key"
  case conflictingKeys = "conflicting-keys"
  case wrongType = "wrong-type"
  case emptyValue = "empty-value"
  case emptyList = "empty-list"

  // The values.
  case unknownWord = "unknown-word"
  case missingUnit = "missing-unit"
  case badQuantity = "bad-quantity"
  case badNumber = "bad-number"
  case outOfRange = "out-of-range"
  case badName = "bad-name"
  case badRequirement = "bad-requirement"
  case badAddress = "bad-address"
  case badPayload = "bad-payload"
  case ambiguousPayload = "ambiguous-payload"
  case byteEscape = "byte-escape"
  case misleadingPayload = "misleading-payload"
  case missingFile = "missing-file"
  case payloadTooLarge = "payload-too-large"
  case tooMany = "too-many"
  case unknownError = "unknown-error"
  case unknownEnding = "unknown-ending"

  // The steps.
  case unknownStep = "unknown-step"
  case unknownCallback = "unknown-callback"
  case misplacedStep = "misplaced-step"
  case misplacedPrefix = "misplaced-prefix"
  case cannotRefuse = "cannot-refuse"

  // The names.
  case duplicateName = "duplicate-name"
  case unknownPeer = "unknown-peer"
  case unknownSocket = "unknown-socket"
  case unknownPoint = "unknown-point"
  case unawaitedPoint = "unawaited-point"
  case unknownHost = "unknown-host"
  case unclearTarget = "unclear-target"
  case conflictingBuffer = "conflicting-buffer"
  case unknownBuffer = "unknown-buffer"
  case unusedName = "unused-name"
  case unknownColumn = "unknown-column"
  case unusedColumn = "unused-column"
  case unusedChoice = "unused-choice"
  case duplicateCase = "duplicate-case"

  // The sense.
  case impossibleWindow = "impossible-window"
  case idleWindow = "idle-window"
  case zeroDuration = "zero-duration"
  case unreachableStep = "unreachable-step"
  case neverReached = "never-reached"
  case impossibleCallback = "impossible-callback"
  case limitBelowDelimiter = "limit-below-delimiter"
  case offsetBeyondBuffer = "offset-beyond-buffer"
  case idleChoice = "idle-choice"
  case contradictingEnding = "contradicting-ending"
  case emptyCanary = "empty-canary"
  case noSubjectSteps = "no-subject-steps"
  case judgesNothing = "judges-nothing"
  case emptyMatrix = "empty-matrix"
  case lackingSubject = "lacking-subject"
  case lackingWorld = "lacking-world"
  case blockedToTheEnd = "blocked-to-the-end"

  /// Errors make the file unusable; warnings do not.
  package var severity: Diagnostic.Severity {
    switch self {
    case .unawaitedPoint, .unknownHost, .unusedName, .limitBelowDelimiter, .offsetBeyondBuffer, .judgesNothing,
      .idleWindow, .idleChoice, .duplicateCase, .misleadingPayload, .blockedToTheEnd:
      .warning
    default: .error
    }
  }
}

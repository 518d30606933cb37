/// A coverage mark: a named place in the shipped sources, and in which worlds a run of the scenarios must enter it.
///
/// The shipped code carries none. Marks are patched into a copy of the package (`MarkInsertion`), where entering one is
/// counted.
package struct CoverageMark: Hashable, Sendable {
  /// Where a run of the whole suite must enter the place.
  package enum Demand: Hashable, Sendable {
    case both
    /// Over the kernel only, and why.
    case loopback(String)
    /// In simulated time only, and why.
    case simulated(String)
    /// Shown and not demanded: why no run can be held to it.
    case none(String)

    /// The simulated world runs neither the driver nor the loop.
    package static let kernel = Demand.loopback("the simulated world has neither driver nor loop")
    /// The engine does it in both worlds, but it takes a race that one seed need not draw.
    package static let race = Demand.loopback("it takes a race that a single seed of the simulated world need not draw")
  }

  /// A point in a source file: right before or right behind a piece of text that occurs once in it. A statement can
  /// stand there.
  package struct Place: Hashable, Sendable {
    /// On which side of the anchor the point is.
    package enum Side: Hashable, Sendable { case before, after }

    /// Below the package's folder.
    package var path: String
    /// The piece of text; it occurs once in the file.
    package var anchor: String
    /// On which side of the anchor the point is.
    package var side: Side
    /// An expression without effects: only when it is true, the place counts as entered.
    package var condition: String?

    package init(_ path: String, _ side: Side, _ anchor: String, if condition: String? = nil) {
      self.path = path
      self.anchor = anchor
      self.side = side
      self.condition = condition
    }
  }

  /// A stable name.
  package var id: String
  /// What happens there, in one line.
  package var meaning: String
  /// In which worlds a run of the whole suite must enter it.
  package var demand: Demand
  /// Where it stands.
  package var place: Place

  package init(_ id: String, _ meaning: String, _ demand: Demand, _ place: Place) {
    self.id = id
    self.meaning = meaning
    self.demand = demand
    self.place = place
  }

  /// Whether the simulated world runs the code that the mark stands in.
  package var isInSimulatedWorld: Bool {
    !["Sources/CocoaAsyncSocket/", "Sources/SocketPOSIX/"].contains(where: place.path.hasPrefix)
  }

  /// In the order of the table: by what they are about.
  package static let all =
    fastPath + deferring + delivering + accepting + connecting + closing + looping + lookingUp + streaming + ending
    + timing + upgrading + securing + trusting
}

/// A file that marks stand in.
struct MarkedFile {
  let path: String

  init(_ path: String) { self.path = "Sources/\(path)" }

  func before(_ anchor: String, if condition: String? = nil) -> CoverageMark.Place {
    CoverageMark.Place(path, .before, anchor, if: condition)
  }

  func after(_ anchor: String, if condition: String? = nil) -> CoverageMark.Place {
    CoverageMark.Place(path, .after, anchor, if: condition)
  }
}

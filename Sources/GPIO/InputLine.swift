public import POSIX

/// A line that something outside drives, read by this process: a GPIO line, or what a test has in its place.
public protocol InputLine {
  /// Readable when the line has changed; nil: nobody says so, it has to be looked at.
  var descriptor: Int32? { get }
  /// Whether it is active now.
  func isActive() throws(Errno) -> Bool
  /// The changes since the last call, oldest first; called when `descriptor` is readable.
  func takeEdges() throws(Errno) -> [LineEdge]
}

/// A change of a line.
public struct LineEdge: Hashable, Sendable {
  /// Whether the line became active.
  public let isActive: Bool
  /// When, as the kernel saw it.
  public let at: BootInstant

  public init(isActive: Bool, at: BootInstant) {
    self.isActive = isActive
    self.at = at
  }
}

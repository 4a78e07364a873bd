/// A test couldn't go on; says what was awaited and what was there instead.
public struct TestError: Error, CustomStringConvertible, Sendable {
  public let description: String

  public init(_ description: String) { self.description = description }
}

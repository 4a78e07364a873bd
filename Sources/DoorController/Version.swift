/// Which Latchkey this is, for `status` and metrics.
enum Version {
  /// Major, minor and patch (semantic versioning); raised with each release.
  static let current = "0.3.0"
}

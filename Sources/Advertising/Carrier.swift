/// In which part of an advertisement a frame travels ("Carriers").
public enum Carrier: String, CaseIterable, Hashable, Sendable {
  /// One 128-bit service UUID.
  case uuid128
  /// A local name: the marker and 22 characters of base64url.
  case name
  /// Nine 16-bit service UUIDs, the marker first.
  case uuid16
}

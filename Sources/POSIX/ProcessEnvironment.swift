internal import Glibc

/// The environment that this process was started with.
public enum ProcessEnvironment {
  /// What a variable holds (getenv(3)); nil where it is unset or empty.
  public static subscript(name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}

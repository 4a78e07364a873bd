internal import Glibc

/// The environment that this process was started with, and for whom it runs.
public enum ProcessEnvironment {
  /// What a variable holds (getenv(3)); nil where it is unset or empty.
  public static subscript(name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// The user id that this process's permissions come from (geteuid(2)).
  public static var user: UInt32 { geteuid() }
}

internal import Glibc

/// The environment that this process was started with, and for whom it runs.
public enum ProcessEnvironment {
  /// What a variable holds (getenv(3)); nil where it is unset or empty.
  public static subscript(name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// Takes a variable out (unsetenv(3)), so that no program that this one starts sees it; nil where it was unset or empty.
  ///
  /// For the time before any other thread exists.
  public static func take(_ name: String) -> String? {
    let text = self[name]
    _ = unsafe unsetenv(name)
    return text
  }

  /// The number of this process (getpid(2)).
  public static var process: Int32 { getpid() }

  /// The user id that this process's permissions come from (geteuid(2)).
  public static var user: UInt32 { geteuid() }
}

internal import Glibc

/// What a process that holds secrets asks of the system.
public enum ProcessLimits {
  /// Sees to it that a crash leaves no core file (setrlimit(2)), and that new files are their owner's (umask(2)).
  ///
  /// A system that refuses, refuses in silence: neither is needed for a command to do its work.
  public static func keepSecretsIn() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = umask(0o077)
  }
}

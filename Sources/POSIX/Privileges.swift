internal import CPOSIX
internal import Glibc

/// What a process may do, given up for good.
public enum Privileges {
  /// Closes all descriptors but the standard ones: what a careless parent has left open.
  public static func closeInherited() throws(Errno) { try systemCall { cposix_close_from(3) } }

  /// Keeps what this process may for itself: programs that it starts get no capability of it (PR_CAP_AMBIENT of prctl(2)).
  ///
  /// For the time before any other thread exists. A kernel that knows no ambient capabilities has none to inherit.
  public static func bequeathNothing() { _ = cposix_clear_ambient_capabilities() }

  /// Gives up every right that isn't bound to an open descriptor.
  ///
  /// Afterwards this process has no capability, gets none by a program that it starts, starts none where it isn't root, opens
  /// nothing, leaves no core file, and can't be looked into by others of its user. What is open stays usable.
  ///
  /// - Parameters:
  ///   - user: the user and group that it becomes where it is root.
  ///   - descriptors: how many are open from 0 on without a gap; no call may wait on more of them at a time (poll(2)).
  /// - Throws: where a right can't be given up. That a limit can't be set is no failure.
  public static func renounce(becoming user: UInt32, descriptors: Int) throws(Errno) {
    for (limit, value) in [
      (RLIMIT_CORE.rawValue, 0), (__RLIMIT_NPROC.rawValue, 0), (RLIMIT_NOFILE.rawValue, rlim_t(clamping: descriptors)),
    ] {
      var both = rlimit(rlim_cur: value, rlim_max: value)
      _ = unsafe setrlimit(__rlimit_resource_t(limit), &both)
    }
    if geteuid() == 0 { try systemCall { cposix_become(user) } }
    try systemCall { cposix_drop_capabilities() }
    // After the change of the user, which makes a process one that may be looked into again.
    try systemCall { cposix_keep_to_own_rights() }
  }
}

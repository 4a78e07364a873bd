public import POSIX

extension CommandError {
  /// What a fault of a file is to a script (docs/cli.md, "exit").
  public init(file error: FileError) {
    let exit: ExitCode =
      switch error.problem {
      case .notPrivate, .writableByOthers, .ownedByAnother, .system(_, .permissionDenied), .system(_, .notPermitted):
        .permission
      case .system("read", _), .system("look at", _), .notRegular, .notNamedPipe, .longerThan, .changed: .badInput
      case .system, .foreign: .cantWrite
      case .busy: .busy
      }
    self.init(exit, "\(error)")
  }
}

import CommandLineTool
import POSIX
import Testing

@Suite struct FileFailureTests {
  @Test(arguments: [
    (FileError.Problem.system(operation: "read", .noEntry), ExitCode.badInput),
    (.system(operation: "look at", .notDirectory), .badInput),
    (.notRegular, .badInput), (.longerThan(5), .badInput), (.changed, .badInput),
    (.system(operation: "write", .noSpace), .cantWrite), (.system(operation: "create", .exists), .cantWrite),
    (.system(operation: "replace", .readOnlyFileSystem), .cantWrite),
    (.system(operation: "read", .permissionDenied), .permission),
    (.system(operation: "create", .notPermitted), .permission),
    (.notPrivate(permissions: 0o644, isDirectory: false), .permission), (.busy, .busy),
  ])
  func itsExitCode(_ problem: FileError.Problem, _ exit: ExitCode) {
    let error = FileError(path: "a", problem: problem)
    #expect(CommandError(file: error) == CommandError(exit, error.description))
  }
}

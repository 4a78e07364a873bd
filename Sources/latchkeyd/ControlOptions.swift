internal import CommandLineTool
internal import DoorController
internal import JSON

let configurationOption = Option("--config", "FILE", .path, "the configuration of the daemon that is asked")
let controlOption = Option("--control", "PATH", .path, "its control socket, instead of a configuration")

extension Arguments {
  /// The control socket that the options name: one of them, or the default.
  func controlPath() throws(CommandError) -> String {
    switch (self[configurationOption], self[controlOption]) {
    case (nil, let path?): return path
    case (nil, nil): return DoorConfiguration.defaultControlPath
    case (_?, _?): throw .usage("expected either --config FILE or --control PATH")
    case (let configuration?, nil):
      do throws(DaemonError) {
        return try DoorConfiguration.controlPath(ofConfigurationAt: configuration)
      } catch {
        throw CommandError(error)
      }
    }
  }
}

extension CommandError {
  /// A daemon that didn't answer, with the exit code of the contract.
  init(_ error: ControlError) {
    switch error {
    case .notPermitted: self.init(.permission, "\(error)")
    case .refused: self.init(.busy, "\(error)")
    case .noDaemon, .noAnswer, .stuck, .badAnswer: self.init(.noAnswer, "\(error)")
    }
  }
}

import AccessControl
import CommandLineTool
import POSIX
import Provisioning

let siteOption = Option(
  "--site", "DIR", .path, "the site's directory (default: $LATCHKEY_SITE, else ./keys/site)")

/// The directory of the site that a command is about.
func siteDirectory(_ arguments: Arguments) -> String {
  arguments[siteOption] ?? ProcessEnvironment["LATCHKEY_SITE"] ?? "./keys/site"
}

/// Runs `body` on the site that a command is about; its errors become the command's.
func withSite<Result>(
  _ arguments: Arguments, _ body: (Site) throws(SiteError) -> Result
) throws(CommandError) -> Result {
  do throws(SiteError) { return try body(try Site.open(siteDirectory(arguments))) } catch { throw CommandError(error) }
}

/// Unix seconds of now.
func now() -> Int64 { WallTime.now().seconds }

/// The data of a time zone from the system's (or `$TZDIR`'s).
func timeZone(_ name: String) throws(TimeZoneError) -> TimeZoneData {
  try TimeZoneData.load(name, from: zoneDirectory)
}

/// Where the system's zone data lie; `TZDIR` moves them, as it does for the C library.
var zoneDirectory: String { ProcessEnvironment["TZDIR"] ?? TimeZoneData.systemDirectory }

let idReader = ValueReader(expected: Identifier.expectation) { Identifier($0) }

/// The name that an option's text is.
func displayName(_ text: String, option: String) throws(CommandError) -> DisplayName {
  do throws(DisplayNameError) { return try DisplayName(text) } catch { throw .usage("\(option): \(error)") }
}

internal import Glibc
internal import POSIX

/// One of the project's programs, as it was built with the tests.
public enum Program: String, Sendable, CaseIterable {
  case latchkeyd
  case latchkey
  case keys = "latchkey-keys"
  case relay = "latchkey-relay"
  case bench = "latchkey-bench"

  /// Where it is: in `LATCHKEY_BIN`, else beside the test bundle that runs.
  public var path: String {
    get throws {
      let folder = try environmentVariable("LATCHKEY_BIN") ?? Self.testBundleDirectory()
      let path = "\(folder)/\(rawValue)"
      guard isExecutable(path) else { throw TestError("\(path) isn't there: `swift build` makes it") }
      return path
    }
  }

  private static func testBundleDirectory() throws -> String {
    guard let bundle = linkTarget("/proc/self/exe") else { throw Errno.noEntry }
    guard let slash = bundle.lastIndex(of: "/") else { throw TestError("\(bundle) has no folder") }
    return String(bundle[..<slash])
  }
}

/// Places of the source tree, found from this file.
public enum Repository {
  /// The folder that holds Package.swift.
  public static var root: String {
    // …/Tests/TestSupport/Program.swift
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(3).joined(separator: "/")
  }

  /// The Python of the cached environment that `scripts/test` lays (`LATCHKEY_PYTHON` overrides it).
  public static var python: String {
    get throws {
      let path = environmentVariable("LATCHKEY_PYTHON") ?? "\(root)/.cache/python/bin/python"
      guard isExecutable(path) else { throw TestError("\(path) isn't there: `scripts/test` lays it") }
      return path
    }
  }

  /// RootCanal's program in the cached environment that `scripts/test` lays (`LATCHKEY_ROOTCANAL` overrides it).
  public static var rootCanal: String {
    get throws {
      let path = environmentVariable("LATCHKEY_ROOTCANAL") ?? "\(root)/.cache/rootcanal"
      guard isExecutable(path) else { throw TestError("\(path) isn't there: `scripts/test` lays it") }
      return path
    }
  }
}

/// The value of an environment variable; nil where it is unset or empty.
public func environmentVariable(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  let text = unsafe String(cString: value)
  return text.isEmpty ? nil : text
}

func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

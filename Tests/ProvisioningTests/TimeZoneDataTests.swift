import POSIX
import TestSupport
import Testing

@testable import Provisioning

@Suite struct TimeZoneDataTests {
  @Test(arguments: ["Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "EST5EDT", "GB-Eire"])
  func namesOfZones(name: String) { #expect(TimeZoneData.isName(name)) }

  @Test(arguments: [
    "", "/etc/passwd", "../secret", "Europe/../x", "Europe/", "/Europe", "Europe//Berlin", "Europe/Ber lin", "5",
    "a\nb",
    "right/Europe/Berlin", "posix/UTC", "localtime", "posixrules", "Factory", "tzdata.zi",
    String(repeating: "a", count: 65),
  ])
  func otherTextIsNoName(name: String) throws {
    #expect(!TimeZoneData.isName(name))
    let error = failure { () throws(TimeZoneError) in _ = try TimeZoneData.load(name) }
    #expect(error == .notAName(name))
  }

  @Test func zonesAreReadFromTheSystemsData() throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("Test")
    try folder.write("Test/Zone", bytes: Fixture.zoneFile(), mode: 0o644)
    try folder.write("Broken", "TZif", mode: 0o644)
    #expect(try TimeZoneData.load("Test/Zone", from: folder.path).bytes == Fixture.zoneFile())
    for (name, expected) in [
      ("Test/None", TimeZoneError.unknown("Test/None")), ("Test", .unknown("Test")),
      ("Test/Zone/More", .unknown("Test/Zone/More")),
      ("Broken", .damaged("Broken")),
    ] {
      #expect(failure { () throws(TimeZoneError) in _ = try TimeZoneData.load(name, from: folder.path) } == expected)
    }
  }

  @Test func withoutZoneDataItSaysWhatToInstall() throws {
    let error = failure { () throws(TimeZoneError) in _ = try TimeZoneData.load("Europe/Berlin", from: "/nonexistent") }
    #expect(error == .noData("/nonexistent"))
    #expect(error?.description.contains("install the package tzdata") == true)
    #expect(TimeZoneData.names(in: "/nonexistent") == [])
  }

  @Test func namesAreListed() throws {
    let folder = try TemporaryDirectory()
    try folder.write(
      "tzdata.zi",
      "# version x\nR a 1 o - x\nZ Europe/Berlin 0:53:28 - LMT 1893\n1 c CE%sT\nL Europe/Berlin Europe/Oslo\n")
    #expect(TimeZoneData.names(in: folder.path) == ["Europe/Berlin", "Europe/Oslo"])
  }

  @Test func onlyWholeFilesAreTaken() throws {
    let whole = Fixture.zoneFile()
    for length in whole.indices {
      #expect(throws: TimeZoneError.damaged("UTC")) {
        try TimeZoneData(name: "UTC", bytes: Array(whole.prefix(length)))
      }
    }
    for bad in [Fixture.zoneFile(version: "1"), Fixture.zoneFile(leap: 1), whole + [0x0A, 0x00]] {
      #expect(throws: TimeZoneError.damaged("UTC")) { try TimeZoneData(name: "UTC", bytes: bad) }
    }
    for version in ["3", "4"] as [Unicode.Scalar] {
      _ = try TimeZoneData(name: "UTC", bytes: Fixture.zoneFile(version: version))
    }
  }

  @Test func noBytesTrap() {
    let whole = Fixture.zoneFile()
    for _ in 0..<5_000 {
      var bytes = whole
      for _ in 0..<3 { bytes[Int.random(in: 4..<bytes.count)] = .random(in: 0...255) }
      do throws(TimeZoneError) { _ = try TimeZoneData(name: "UTC", bytes: bytes) } catch {}
    }
  }

  static let hasZoneData = (try? fileStatus(TimeZoneData.systemDirectory)) != nil

  @Test(.enabled(if: hasZoneData), arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"])
  func theSystemsOwn(name: String) throws {
    #expect(try TimeZoneData.load(name).name == name)
    #expect(TimeZoneData.names().contains(name == "UTC" ? "Etc/UTC" : name))
  }
}

import POSIX
import RelayGuard
import TestSupport
import Testing

/// The guard's program, as far as it goes without a GPIO chip; with one it is shown on a kernel of its own (Tests/KernelVM).
@Suite struct RelayProgramTests {
  @Test(arguments: [[], ["--chip", "gpiochip0"], ["--help"], ["--chip", "gpiochip0", "--line", "1", "--bias", "up"]])
  func wrongUsageIsTold(_ arguments: [String]) throws {
    let outcome = try run(.relay, arguments).expecting(exit: 2)
    #expect(outcome.stderr == RelayOptions.usage + "\n")
    #expect(outcome.stdout == "")
  }

  @Test func aChipThatIsNotThereIsAnErrorOfTheProtocol() throws {
    let outcome = try run(.relay, ["--chip", "no-such-chip", "--line", "1"]).expecting(exit: 69)
    #expect(outcome.stdout.hasPrefix("error no GPIO chip with the name or label “no-such-chip”; there "))
    #expect(outcome.lines.count == 1)
  }
}

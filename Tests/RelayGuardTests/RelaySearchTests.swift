import RelayGuard
import Testing

/// Which chip and which line is meant by a name.
@Suite struct RelaySearchTests {
  private func chip(_ text: String, _ chips: [(name: String, label: String?)]) -> String {
    do throws(RelayLine.NotFound) { return try RelayLine.chip(labelled: text, among: chips) } catch {
      return error.reason
    }
  }

  private func line(_ name: String, _ names: [String?]) -> String {
    do throws(RelayLine.NotFound) { return "\(try RelayLine.line(named: name, among: names, of: "pinctrl"))" } catch {
      return error.reason
    }
  }

  @Test func aChipIsFoundByItsLabel() {
    let chips =
      [("gpiochip0", "soc"), ("gpiochip1", nil), ("gpiochip2", "expander")] as [(name: String, label: String?)]
    #expect(chip("expander", chips) == "gpiochip2")
    #expect(
      chip("pinctrl", chips)
        == "no GPIO chip with the name or label “pinctrl”; there are gpiochip0, gpiochip1, gpiochip2")
    #expect(chip("pinctrl", []) == "no GPIO chip with the name or label “pinctrl”; there is none")
  }

  @Test func aLabelOfTwoChipsIsRefused() {
    let chips = [("gpiochip0", "expander"), ("gpiochip1", "soc"), ("gpiochip2", "expander")]
    #expect(chip("soc", chips) == "gpiochip1")
    #expect(chip("expander", chips) == "more than one GPIO chip has the label “expander”: name it (gpiochip0)")
  }

  @Test func aLineIsFoundByItsName() {
    let names = [nil, "led", "relay", "led", ""]
    #expect(line("relay", names) == "2")
    #expect(line("led", names) == "pinctrl has more than one line with the name led")
    #expect(line("motor", names) == "pinctrl has no line with the name motor")
    #expect(line("motor", []) == "pinctrl has no line with the name motor")
  }
}

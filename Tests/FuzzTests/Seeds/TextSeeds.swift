/// Credential files, JSON and base64url.
func credentialSeeds() -> [Seed] {
  [
    Seed("credential", "alice", credential()), Seed("credential", "no-doors", credential(doors: "[]")),
    Seed("credential", "unknown-members", credential(doors: #"[{"colour": null, "x": [1.5e3, -0, true, {}]}]"#)),
    Seed("credential", "door-twice", credential(doors: "[\(door), \(door)]")),
    Seed("credential", "escapes", #"{"\u00e9\"\\\/\b\f\n\r\t": "\ud83d\udd11\u0085\u007f é 李"}"#),
    Seed("credential", "key-twice", #"{"a": 1, "a": 2}"#),
    Seed("credential", "numbers", "[0, -9223372036854775808, 1e308, 1e-320, 0.1]"),
    Seed("credential", "number-too-large", "[9223372036854775808, 1e999]"),
    Seed("credential", "nested", String(repeating: "[", count: 33) + String(repeating: "]", count: 33)),
    Seed("credential", "cut-off", String(credential().dropLast(40))),
    Seed("credential", "half-a-character", Array(#"{"a": ""#.utf8) + [0xC3, 0x22, 0x7D]),
    Seed("credential", "zero-character", #"["\u0000"]"#), Seed("credential", "base64url", "QKcaen_9cMMJWBM_jUCkDPEo"),
    Seed("credential", "base64url-not-canonical", "QKcaenR"),
  ]
}

private let door =
  #"{"id": "front", "name": "Front door", "target": 1, "freshness": "challenge", "commands": ["unlock", "status"]}"#

private func credential(doors: String = "[\(door)]") -> String {
  let key = String(repeating: "A", count: 43)
  return """
    { "format": "latchkey-credential/1",
      "site": { "id": "8ded4b41-24f1-6fb9-f79e-64bba2d7f109", "name": "Büro", "key": "\(key)", "slotSeconds": 5,
        "skewSlots": 2, "challengeSeconds": 2, "nameMarker": "LK", "uuid16Marker": 62975 },
      "credential": { "id": "alice-phone", "secret": "\(key)" },
      "doors": \(doors) }

    """
}

/// Configurations in YAML, good and bad ones.
func configurationSeeds() -> [Seed] {
  let good = "site-key: \(String(repeating: "A", count: 43))\ndoors:\n  front:\n    bundle: front.bundle\n"
  let lock = "    lock: { dry-run: {} }\n"
  let command = """
        lock:
          command: { unlock: [/usr/bin/relay, "on"], lock: [/usr/bin/relay, 'off'], time-limit: 250ms }
        pulse: 3s
        longest-pulse: 4s
        freshness: either
        allow-by-time: [hold, lockdown]

    """
  func seed(_ name: String, _ text: String) -> Seed { Seed("configuration", name, text) }
  return [
    seed("least", good + lock), seed("command", good + command),
    seed("gpio", good + "    lock: { gpio: { chip: gpiochip0, line: 17, active-low: true, bias: pull-up } }\n"),
    seed("gpio-lines", good + "    lock: { gpio: [{ chip: a b, line: STRIKE }, { chip: gpiochip1, line: 65535 }] }\n"),
    seed("gpio-line-twice", good + "    lock: { gpio: [{ chip: a, line: 1 }, { chip: a, line: 01 }] }\n"),
    seed("board", good + "    lock: { serial: { port: /dev/ttyS1, baud: 19200 } }\n"),
    seed("radios", "radio: tcp:[::1]:6402\n" + good + lock),
    seed("serial", "radio: serial:/dev/ttyUSB0,115200\n" + good + lock),
    seed("no-radio", "radio: warp:9\n" + good + lock),
    seed("unknown-key", good + lock + "    puls: 5s\n"), seed("key-twice", good + lock + lock),
    seed("pulse", good + lock + "    pulse: 0x10\n"), seed("too-long-a-pulse", good + lock + "    pulse: 999999999h\n"),
    seed("pulse-beyond-the-longest", good + lock + "    pulse: 5s\n    longest-pulse: 4s\n"),
    seed("anchor", "doors: &a { front: *a }\n"), seed("tag", "doors: !!set {}\n"), seed("two", "a: 1\n---\nb: 2\n"),
    seed("tab", "doors:\n\tfront: 1\n"), seed("line-breaks", "a: 1\r\nb: \"x\u{85}y\u{2028}z\"\rc: |\n  d\n"),
    seed("nested", String(repeating: "[", count: 17) + String(repeating: "]", count: 17)),
    seed("complex-key", "? [a, b]\n: c\n"), seed("mark", "\u{FEFF}radio: hci:0\n"), seed("empty", "# nothing\n"),
    Seed("configuration", "not-utf8", [0x61, 0x3A, 0x20, 0xFF, 0xFE, 0x0A]),
  ]
}

/// What a relay's guard is told, and what it says.
func relaySeeds() -> [Seed] {
  func seed(_ name: String, _ text: String) -> Seed { Seed("relay", name, "\u{4}" + text) }
  return [
    seed("messages", "open 123456789012345\nbeat\nhold\nclose\n"),
    seed("answers", "closed\nopen\nerror line 5 of gpiochip0: Device or resource busy\n"),
    seed("numbers", "open 18446744073709551615\nopen 18446744073709551616\nopen 007\nopen +1\nopen \nopen\n"),
    seed("too-long", "open 00000000000000000000000001\n" + String(repeating: "x", count: 26)),
    seed("not-quite", "\n\r\nbeat\r\n beat\nBEAT\nclose\0\nerror \n"), seed("unfinished", "beat\nhol"),
    Seed("relay", "not-utf8", [0x01, 0x65, 0x72, 0x72, 0x6F, 0x72, 0x20, 0xFF, 0xFE, 0x0A]),
  ]
}

/// What programs write into the pipes of a door's inputs.
func pipeSeeds() -> [Seed] {
  func seed(_ name: String, _ text: String) -> Seed { Seed("pipe", name, "\u{4}" + text) }
  return [
    seed("contact", "open\nclosed\nopen\r\n"), seed("exit", "exit\nexit\n"), seed("empty", "\n\r\n\n"),
    seed("not-quite", " open\nOpen\nopenclosed\nopen\0\n"), seed("unfinished", "open\nclo"),
    seed("too-long", "open" + String(repeating: "x", count: 29) + "\nopen\n"),
    Seed("pipe", "not-utf8", [0x02, 0xFF, 0xFE, 0x0A, 0x1B, 0x5B, 0x32, 0x4A, 0x0A]),
  ]
}

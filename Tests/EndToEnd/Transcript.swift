import TestSupport
import Testing

/// A session with one program as text: what is typed, and what must come of it.
///
///     $ door add front --name "Front door"
///     > door front “Front door”: number 1
///     $ door add front
///     ! latchkey-keys: there is a door front already
///     = 2
///
/// `>` is a line of standard output, `!` one of standard error, `=` the exit code where it isn't 0. A `*` in an
/// expected line stands for anything. Words in double quotes keep their spaces.
struct Transcript {
  private struct Step {
    var arguments: [String]
    var output: [String] = []
    var errors: [String] = []
    var exit: Int32 = 0
  }

  private let steps: [Step]

  init(_ text: String) throws {
    var steps: [Step] = []
    for line in text.split(separator: "\n") {
      let rest = String(line.dropFirst(2))
      switch line.first {
      case "$": steps.append(Step(arguments: Self.words(rest)))
      case ">" where !steps.isEmpty: steps[steps.count - 1].output.append(rest)
      case "!" where !steps.isEmpty: steps[steps.count - 1].errors.append(rest)
      case "=" where !steps.isEmpty: steps[steps.count - 1].exit = Int32(rest) ?? -1
      default: throw TestError("not a line of a transcript: \(line)")
      }
    }
    self.steps = steps
  }

  /// Runs every step, with `fixed` arguments before the step's own, and compares.
  func play(_ program: Program, _ bench: Workbench, _ fixed: [String] = [], environment: [String: String] = [:]) throws
  {
    for step in steps {
      let outcome = try bench.run(program, fixed + step.arguments, environment: environment)
      #expect(outcome.exit == step.exit, "\(outcome)")
      Self.compare(Self.lines(outcome.stdout), step.output, outcome)
      Self.compare(Self.lines(outcome.stderr), step.errors, outcome)
    }
  }

  private static func compare(_ found: [String], _ expected: [String], _ outcome: Outcome) {
    let equal = found.count == expected.count && zip(found, expected).allSatisfy { matches($0[...], $1[...]) }
    #expect(equal, "expected \(expected)\n\(outcome)")
  }

  private static func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

  private static func matches(_ text: Substring, _ pattern: Substring) -> Bool {
    guard let star = pattern.firstIndex(of: "*") else { return text == pattern }
    guard text.hasPrefix(pattern[..<star]) else { return false }
    let rest = pattern[pattern.index(after: star)...]
    var tail = text.dropFirst(pattern.distance(from: pattern.startIndex, to: star))
    while true {
      if matches(tail, rest) { return true }
      if tail.popFirst() == nil { return false }
    }
  }

  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var (word, isOpen, isQuoted) = ("", false, false)
    for character in text {
      switch character {
      case "\"": (isOpen, isQuoted) = (true, !isQuoted)
      case " " where !isQuoted:
        if isOpen { words.append(word) }
        (word, isOpen) = ("", false)
      default:
        word.append(character)
        isOpen = true
      }
    }
    return isOpen ? words + [word] : words
  }
}

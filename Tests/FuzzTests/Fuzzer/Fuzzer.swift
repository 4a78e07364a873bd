internal import CFuzzer
internal import POSIX

/// `latchkey-fuzz`, built by scripts/fuzz only: libFuzzer on the target by whose name the program is called.
@main enum Fuzzer {
  /// libFuzzer's callback is a C function, which can't capture.
  nonisolated(unsafe) private static var target: FuzzTarget?

  static func main() {
    let name = CommandLine.arguments[0].split(separator: "/").last.map(String.init)
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
      fatalError("call it by the name of a target: \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
    }
    unsafe Self.target = target
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
    unsafe LLVMFuzzerRunDriver(&count, &arguments) { start, count in
      let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
      do {
        try unsafe Fuzzer.target?.check(bytes)
      } catch {
        fatalError("\(error)")
      }
      return 0
    }
  }
}

internal import CPOSIX
internal import Glibc
internal import POSIX

/// What a new process is started with.
struct SpawnRequest: Sendable {
  var executable: String
  var arguments: [String]
  var environment: [String: String]
  var directory: String
  /// Descriptors that become 0, 1 and 2.
  var standard: (input: Int32, output: Int32, error: Int32)
}

/// Starts processes from one thread that lives as long as the tests do.
///
/// Each is started through setpriv(1) with a parent-death signal, so that none outlives the test runner, however that
/// ends. The kernel counts the *thread* that started a process as its parent there, hence the thread of its own.
final class Spawner: Sendable {
  static let shared = Spawner()

  private struct Queue {
    var waiting: [(ticket: Int, request: SpawnRequest)] = []
    var done: [Int: Result<Int32, Errno>] = [:]
    var tickets = 0
  }

  private let queue = Monitor(Queue())

  private init() {
    do throws(Errno) { _ = try Thread(name: "spawner") { [queue] in Self.serve(queue) } } catch {}
  }

  /// Starts the process in a process group of its own and answers its number.
  func spawn(_ request: SpawnRequest) throws(Errno) -> Int32 {
    let ticket = queue.withLock { queue in
      queue.tickets += 1
      queue.waiting.append((queue.tickets, request))
      return queue.tickets
    }
    let deadline = BootInstant.now() + .seconds(10)
    guard let result = queue.wait(until: deadline, { $0.done.removeValue(forKey: ticket) }) else {
      throw Errno.timedOut
    }
    return try result.get()
  }

  private static func serve(_ queue: Monitor<Queue>) {
    while true {
      guard let (ticket, request) = queue.wait({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else { return }
      let result: Result<Int32, Errno>
      do throws(Errno) { result = .success(try start(request)) } catch { result = .failure(error) }
      queue.withLock { $0.done[ticket] = result }
    }
  }

  private static func start(_ request: SpawnRequest) throws(Errno) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, request.standard.input, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, request.standard.output, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, request.standard.error, 2)
    unsafe cposix_spawn_in_directory(&actions, request.directory)

    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    let launcher = "/usr/bin/setpriv"
    let words = [launcher, "--pdeathsig", "KILL", "--", request.executable] + request.arguments
    let environment = request.environment.map { "\($0.key)=\($0.value)" }
    var process: pid_t = 0
    let result = unsafe withCStrings(words) { argv in
      unsafe withCStrings(environment) { envp in
        unsafe posix_spawn(&process, launcher, &actions, &attributes, argv, envp)
      }
    }
    guard result == 0 else { throw Errno(rawValue: result) }
    return process
  }
}

/// Runs `body` with a null-terminated array of C strings, as exec(3) takes it.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) }
  unsafe pointers.append(nil)
  defer { for index in strings.indices { unsafe free(pointers[index]) } }
  return unsafe body(&pointers)
}

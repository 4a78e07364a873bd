internal import POSIX

/// Threads for tests that wait for processes.
///
/// The tasks' own threads are as few as the machine has processors, and a test that blocks one of them would keep all
/// others waiting.
final class BlockingExecutor: TaskExecutor {
  /// How many tests wait at a time; each mostly sleeps until its processes say something.
  static let shared = BlockingExecutor(threads: 6)

  private let jobs = Monitor<[UnownedJob]>([])

  private init(threads: Int) {
    for number in 0..<threads {
      do throws(Errno) { _ = try Thread(name: "test-\(number)") { [self] in serve() } } catch {}
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  private func serve() {
    while let job = jobs.wait({ $0.isEmpty ? nil : $0.removeFirst() }) {
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// Runs a test with a workbench on a thread that may wait; cleared afterwards, whatever happened.
@concurrent
public func withWorkbench<Result: Sendable>(
  _ body: @escaping @Sendable (Workbench) throws -> Result
) async throws -> Result {
  try await withTaskExecutorPreference(BlockingExecutor.shared) { @concurrent in
    try blockingWorkbench(body)
  }
}

private func blockingWorkbench<Result>(_ body: (Workbench) throws -> Result) throws -> Result {
  try withWorkbench(body)
}

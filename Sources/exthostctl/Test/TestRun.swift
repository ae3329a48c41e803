// TestRun: several tests at once, their results in order, and Ctrl-C.

import Glibc
import Locks

enum TestRun {
    /// Runs every test to its end; one that is cancelled by Ctrl-C ends what it has started.
    ///
    /// - Parameters:
    ///   - jobs: how many at once.
    ///   - show: called for each in the order of `tests`, as soon as it and all before it are done.
    static func run<Result: Sendable>(
        _ tests: [@Sendable () async -> Result], jobs: Int, show: @escaping @Sendable (Result) throws -> Void = { _ in }
    ) async throws -> (results: [Result], isInterrupted: Bool) {
        let (heard, hears) = AsyncStream.makeStream(of: Void.self)
        let work = Task {
            // Not before Ctrl-C is heard: who has seen a daemon of a test may press it.
            for await _ in heard {}
            return try await withThrowingTaskGroup(of: (Int, Result).self) { group in
                var results = [Result?](repeating: nil, count: tests.count)
                var next = 0
                var shown = 0
                func start() {
                    guard next < tests.count else { return }
                    let (place, test) = (next, tests[next])
                    next += 1
                    group.addTask { (place, await test()) }
                }
                for _ in 0..<max(1, jobs) { start() }
                while let (place, result) = try await group.next() {
                    results[place] = result
                    start()
                    while shown < results.count, let result = results[shown] {
                        try show(result)
                        shown += 1
                    }
                }
                return results.compactMap { $0 }
            }
        }
        let interruptions = Interruptions()
        let interrupt = try InterruptSource {
            // The second time nothing is waited for: the daemons end with this process.
            if interruptions.count.add(1, ordering: .relaxed).newValue > 1 { _exit(ExitStatus.interrupted) }
            work.cancel()
        }
        defer { interrupt.stop() }
        hears.finish()
        return (try await work.value, interruptions.count.load(ordering: .relaxed) > 0)
    }

    private final class Interruptions: Sendable {
        let count = Atomic(0)
    }
}

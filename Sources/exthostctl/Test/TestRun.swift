// TestRun: parallel tests with their results in order, and the handling of Ctrl-C.

import Glibc
import Locks

enum TestRun {
    /// Runs every test to its end. A test that Ctrl-C cancels ends what it has started.
    ///
    /// - Parameters:
    ///  - jobs: the number of parallel tests.
    ///  - show: called for each in the order of `tests`, as soon as it and all before it are done.
    static func run<Result: Sendable>(
        _ tests: [@Sendable () async -> Result], jobs: Int, show: @escaping @Sendable (Result) throws -> Void = { _ in }
    ) async throws -> (results: [Result], isInterrupted: Bool) {
        let (heard, hears) = AsyncStream.makeStream(of: Void.self)
        let work = Task {
            // Tests start only once Ctrl-C is handled: a user may press it as soon as a test's daemon appears.
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
            // The second Ctrl-C waits for nothing: the daemons end with this process.
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

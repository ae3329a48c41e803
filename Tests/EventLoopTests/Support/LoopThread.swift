// LoopThread: the one thread of the test process on which the loop runs.

import EventLoop
import Glibc

enum LoopThread {
    /// Starts the loop; every suite's `init` comes here first (a nonisolated one: an isolated one would wait for the
    /// loop). It ends with the process, as the daemon's main thread does.
    static func start() { _ = once }

    private static let once: Void = {
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { _ in
                _ = try? EventLoop.shared.run()
                return nil
            }, nil)
        precondition(result == 0, "no thread for the loop")
        // Nobody joins it: it runs as long as the process, or is refused at once where the tests of another module, in
        // the same process, have started the loop before.
        pthread_detach(thread)
    }()
}

/// A value that handlers on the loop change and tests read there.
@HostActor
final class Box<Value: Sendable> {
    var value: Value
    nonisolated init(_ value: Value) { self.value = value }
}

/// Waits, on the loop, until what is handed to `body` has been called.
@HostActor
func callback<Value: Sendable>(
    of type: Value.Type = Value.self, _ body: (@escaping @HostActor (Value) -> Void) throws -> Void
) async throws -> Value {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
        do {
            try body { continuation.resume(returning: $0) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

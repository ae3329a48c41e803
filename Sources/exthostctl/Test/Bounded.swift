// Bounded: waiting for what may never come.

/// What `body` gives, or nil when it has not given it within `limit` of real time. It may then go on for as long as what it waits for is there:
/// a structured wait would wait for it, too.
///
/// - Throws: what `body` throws; `CancellationError` when the caller was cancelled.
func bounded<Value: Sendable>(
    by limit: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    let (results, continuation) = AsyncStream.makeStream(of: Result<Value, any Error>?.self)
    let work = Task {
        do { continuation.yield(.success(try await body())) } catch { continuation.yield(.failure(error)) }
    }
    let bound = Task {
        // The bound of the wait, not the wait.
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        continuation.yield(nil)
    }
    defer {
        work.cancel()
        bound.cancel()
    }
    for await result in results { return try result?.get() }
    throw CancellationError()
}

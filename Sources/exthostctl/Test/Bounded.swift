// Bounded: a bounded wait for an event that may never come.

/// Returns the result of `body`, or nil if it takes longer than `limit` of real time.
///
/// In that case `body` may run on until its own wait ends: a structured wait would wait for it, too.
///
/// - Throws: the error of `body`; `CancellationError` if the caller was cancelled.
func bounded<Value: Sendable>(
    by limit: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    let (results, continuation) = AsyncStream.makeStream(of: Result<Value, any Error>?.self)
    let work = Task {
        do { continuation.yield(.success(try await body())) } catch { continuation.yield(.failure(error)) }
    }
    let bound = Task {
        // This bounds the wait; it is not the wait itself.
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

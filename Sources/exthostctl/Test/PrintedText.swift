// PrintedText: the output of the extension of a test, as it arrives.

import ExtensionHost
import Locks

/// The last part of the output, up to a limit: an extension may print without end. Safe to use from any thread.
final class PrintedText: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var readers: [Int: AsyncStream<Void>.Continuation] = [:]
        var count = 0
    }

    private static let most = 1 << 20

    private let state = Mutex(State())

    @Sendable func add(_ bytes: [UInt8]) {
        let readers = state.withLock { state in
            state.bytes += bytes
            if state.bytes.count > Self.most { state.bytes.removeFirst(state.bytes.count - Self.most) }
            return Array(state.readers.values)
        }
        for reader in readers { reader.yield() }
    }

    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    /// Waits until the output contains `text`, or the task is cancelled.
    func contains(_ text: String) async -> Bool {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        let number = state.withLock { state in
            state.count += 1
            state.readers[state.count] = continuation
            return state.count
        }
        defer { state.withLock { _ = $0.readers.removeValue(forKey: number) } }
        for await _ in changes where self.text.contains(text) { return true }
        return false
    }

    /// Returns the last lines, for people.
    func lastLines(_ count: Int) -> [String] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init).filter {
            !$0.isEmpty
        }.suffix(
            count)
    }
}

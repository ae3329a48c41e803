// Reader: a stream that a program writes, as it comes.

import Glibc
import LinuxSystem
import Locks

/// Reads a stream to its end, on a thread of its own.
final class Reader: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var hasEnded = false
        var watchers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let separators: [UInt8]

    init(_ descriptor: SharedDescriptor, separators: [Character] = ["\n"]) throws {
        self.separators = separators.compactMap(\.asciiValue)
        try startThread(named: "test-reader") { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(descriptor.raw, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard let self, count > 0 else { break }
                change { $0.bytes += buffer[..<count] }
            }
            self?.change { $0.hasEnded = true }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let watchers = state.withLock { state in
            body(&state)
            return state.watchers
        }
        for watcher in watchers { watcher() }
    }

    /// From the first on.
    var lines: AsyncStream<String> {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        state.withLock { $0.watchers.append { continuation.yield() } }
        return AsyncStream { [self] lines in
            let task = Task {
                var start = 0
                for await _ in changes {
                    let (bytes, hasEnded) = state.withLock { ($0.bytes, $0.hasEnded) }
                    while let end = bytes[start...].firstIndex(where: separators.contains) {
                        lines.yield(String(decoding: bytes[start..<end], as: UTF8.self))
                        start = end + 1
                    }
                    if hasEnded { break }
                }
                lines.finish()
            }
            lines.onTermination = { _ in task.cancel() }
        }
    }

    /// Everything, once the stream has ended.
    var all: String {
        get async {
            for await _ in lines {}
            return state.withLock { String(decoding: $0.bytes, as: UTF8.self) }
        }
    }
}

// BoundedLog: log lines, of which a provider or a program cannot cause any number.

import Synchronization

/// A log that drops lines above a number for each second, and says how many.
final class BoundedLog: Sendable {
    private struct State {
        var second = ContinuousClock.now
        var count = 0
        var dropped = 0
    }

    private static let linesPerSecond = 50
    private let write: @Sendable (String) -> Void
    private let state = Mutex(State())

    init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    func callAsFunction(_ line: String) {
        let now = ContinuousClock.now
        let (isWritten, dropped) = state.withLock { state in
            var dropped = 0
            if now - state.second >= .seconds(1) {
                (state.second, state.count) = (now, 0)
                swap(&dropped, &state.dropped)
            }
            state.count += 1
            let isWritten = state.count <= Self.linesPerSecond
            if !isWritten { state.dropped += 1 }
            return (isWritten, dropped)
        }
        if dropped > 0 { write("\(dropped) more lines were left out") }
        guard isWritten else { return }
        // Names come from the provider, and may have any character and any length.
        let scalars = line.unicodeScalars.prefix(1_000).map {
            $0.properties.generalCategory == .control ? "\u{fffd}" : String($0)
        }
        write(scalars.joined())
    }
}

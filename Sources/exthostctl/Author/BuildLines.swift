// BuildLines: the progress of a build without a terminal: a line for each finished product, and one every 15 s until
// then.

import Dispatch
import Locks

/// A writer of a build's progress. Safe to use from any thread.
final class BuildLines: Sendable {
    private struct State {
        /// The product that is being built, and its progress: `[12/40]`.
        var product: String?
        var step = ""
        var since = ContinuousClock.now
    }

    private static let interval = 15
    private static let start = "building "

    private let state = Mutex(State())
    private let write: @Sendable (String) -> Void

    /// - Parameter write: gets each line, without its end.
    init(_ write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// Writes a line every 15 s while a product is being built, until the timer is cancelled.
    func startTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + .seconds(Self.interval), repeating: .seconds(Self.interval))
        timer.setEventHandler { [weak self] in self?.tick() }
        timer.resume()
        return timer
    }

    /// Handles a report of `BundleMaker`: `building PRODUCT [12/40]`, or its work before and after.
    func note(_ what: String) {
        state.withLock { state in
            let words = what.hasPrefix(Self.start) ? what.dropFirst(Self.start.count).split(separator: " ") : []
            let product = words.first.map(String.init)
            if product != state.product {
                finish(state)
                state = State(product: product)
            }
            state.step = words.dropFirst().first.map { " \($0)" } ?? ""
        }
    }

    private func tick() {
        state.withLock { state in
            guard let product = state.product else { return }
            write("building \(product)\(state.step) \(Self.seconds(since: state.since)) s")
        }
    }

    private func finish(_ state: State) {
        guard let product = state.product else { return }
        write("built \(product) in \(Self.seconds(since: state.since)) s")
    }

    private static func seconds(since start: ContinuousClock.Instant) -> Int {
        Int((ContinuousClock.now - start).components.seconds)
    }
}

// SerialDelivery: the delivery of loads' answers, one at a time, in an order that a seed decides.

internal import Dispatch
internal import Locks

/// A delivery that makes the order of completion handlers the same in every run, and another one for another seed.
///
/// It is for tests of code that must not depend on the order (spec 1.6, "handler threads").
///
/// Answers wait until every load that was started has one and the order is not held (`hold`, `release`). Then they are
/// delivered one after the other. Loads that a completion handler starts are the next round. A load that is never
/// answered blocks its round; for a host's items the daemon ends it after `load`. Safe to use from any thread.
public final class SerialDelivery: Sendable {
    private struct State {
        var holds = 0
        var open = 0
        var last = 0
        var isDelivering = false
        var ready: [(place: Int, body: @Sendable () -> Void)] = []
        var random: SplitMix
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "org.exthost.items.serial")

    /// Makes a delivery; the same seed gives the same order.
    public init(seed: UInt64) { state = Mutex(State(random: SplitMix(state: seed))) }

    /// Holds all deliveries until `release`: more loads of the round will come.
    public func hold() { state.withLock { $0.holds += 1 } }

    /// Ends a `hold`.
    public func release() {
        state.withLock { $0.holds -= 1 }
        advance()
    }

    /// Counts a started load; returns its place in the round.
    func start() -> Int {
        state.withLock { state in
            state.open += 1
            state.last += 1
            return state.last
        }
    }

    /// Takes the answer of a load.
    func deliver(_ place: Int, _ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.open -= 1
            state.ready.append((place, body))
        }
        advance()
    }

    private func advance() {
        let round: [@Sendable () -> Void] = state.withLock { state in
            guard state.holds == 0, state.open == 0, !state.isDelivering, !state.ready.isEmpty else { return [] }
            state.isDelivering = true
            // The round is sorted by place first: the order in which answers came must not count.
            var round = state.ready.sorted { $0.place < $1.place }
            round.shuffle(using: &state.random)
            state.ready = []
            return round.map(\.body)
        }
        guard !round.isEmpty else { return }
        queue.async { [self] in
            for body in round { body() }
            state.withLock { $0.isDelivering = false }
            advance()
        }
    }
}

/// SplitMix64 (public domain, Sebastiano Vigna): small, and the same everywhere.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

// ProviderTable: the providers that this process gave out, by number.

internal import Locks

/// The providers behind encoded items. Their owner answers loads from it, and finds in it what comes back.
///
/// Numbers start at 1 and are not used again, also not after `removeAll()`. All members may be used from any thread.
public final class ProviderTable: Sendable {
    private struct State {
        var providers: [Int: NSItemProvider] = [:]
        var numbers: [ObjectIdentifier: Int] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    /// An empty table.
    public init() {}

    /// The provider of a number that was given out; nil for every other number, and after `removeAll`.
    public subscript(number: Int) -> NSItemProvider? { state.withLock { $0.providers[number] } }

    /// How many providers it holds.
    public var count: Int { state.withLock { $0.providers.count } }

    /// The provider's number; the same object has one number. The table keeps the provider.
    @discardableResult
    public func register(_ provider: NSItemProvider) -> Int {
        state.withLock { state in
            if let number = state.numbers[ObjectIdentifier(provider)] { return number }
            state.last += 1
            state.providers[state.last] = provider
            state.numbers[ObjectIdentifier(provider)] = state.last
            return state.last
        }
    }

    /// Lets go of all providers: the request is over.
    public func removeAll() {
        // Released outside the lock: what they hold may come back here.
        let gone = state.withLock { state in
            defer {
                state.providers = [:]
                state.numbers = [:]
            }
            return state.providers
        }
        _ = gone
    }
}

// ProviderTable: the providers that this process gave out, by number.

internal import Locks

/// The providers behind encoded items. Their owner uses it to answer loads, and to find providers that come back.
///
/// Numbers start at 1 and are not reused, even after `removeAll()`. All members may be used from any thread.
public final class ProviderTable: Sendable {
    private struct State {
        var providers: [Int: NSItemProvider] = [:]
        var numbers: [ObjectIdentifier: Int] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    /// Makes an empty table.
    public init() {}

    /// The provider of a number that was given out; nil for every other number, and after `removeAll`.
    public subscript(number: Int) -> NSItemProvider? { state.withLock { $0.providers[number] } }

    /// The number of providers in the table.
    public var count: Int { state.withLock { $0.providers.count } }

    /// Returns the provider's number; the same object has one number. The table keeps the provider alive.
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

    /// Releases all providers after the end of the request.
    public func removeAll() {
        // The providers are released outside the lock: their deinitializers may call the table.
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

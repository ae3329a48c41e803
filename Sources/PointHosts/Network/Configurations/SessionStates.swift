// SessionStates: the states of an app's sessions, as the host that runs them knows them.

internal import Foundation
internal import PointMessages

/// The states of sessions, and the waiters for them. An actor owns the value.
struct SessionStates {
    /// A waiter for a state.
    private struct Waiter {
        let identifier: String
        let status: TunnelHost.Status
        let continuation: CheckedContinuation<Void, Never>
    }

    private var states: [TunnelConfiguration.Key: TunnelState] = [:]
    /// Of the sessions of one identifier, which apps choose, the one whose status has changed last.
    private var newest: [String: TunnelConfiguration.Key] = [:]
    private var waiters: [Waiter] = []
    /// The statuses of all sessions, in their order: the newest 1,000.
    private(set) var history: [TunnelHost.Status] = []

    /// The state of the session of a provider's own configuration.
    subscript(_ key: TunnelConfiguration.Key) -> TunnelState {
        states[key] ?? TunnelState(status: TunnelHost.Status.disconnected.rawValue)
    }

    /// The state of a configuration's session. Of several apps with the same identifier, the newest counts.
    subscript(_ identifier: String) -> TunnelState {
        newest[identifier].map { self[$0] } ?? TunnelState(status: TunnelHost.Status.disconnected.rawValue)
    }

    /// The number of states from which those of ended sessions are forgotten: apps choose the identifiers.
    static let most = 256

    /// The number of states that are known.
    var count: Int { states.count }

    private mutating func forgetEnded(but key: TunnelConfiguration.Key) {
        states = states.filter { $0.key == key || $0.value.status != TunnelHost.Status.disconnected.rawValue }
        newest = newest.filter { states[$0.value] != nil }
    }

    /// Adds a waiter, which is resumed at the session's next change to a status.
    mutating func add(
        _ continuation: CheckedContinuation<Void, Never>, until status: TunnelHost.Status, of identifier: String
    ) {
        waiters.append(Waiter(identifier: identifier, status: status, continuation: continuation))
    }

    /// Sets the status of a session.
    ///
    /// - Returns: the new state; nil if nothing has changed.
    mutating func set(
        _ status: TunnelHost.Status, of key: TunnelConfiguration.Key, failure: NetworkFailure?
    ) -> TunnelState? {
        let identifier = key.identifier
        var state = states[key] ?? TunnelState(status: status.rawValue)
        if status == .connected, state.status != TunnelHost.Status.reasserting.rawValue {
            state.connected = Date().timeIntervalSince1970
        }
        guard state.status != status.rawValue || states[key] == nil || failure != nil else { return nil }
        (state.status, state.failure) = (status.rawValue, failure)
        (states[key], newest[identifier]) = (state, key)
        if states.count > Self.most { forgetEnded(but: key) }
        history.append(status)
        if history.count > 1_000 { history.removeFirst() }
        for waiter in waiters where waiter.identifier == identifier && waiter.status == status {
            waiter.continuation.resume()
        }
        waiters.removeAll { $0.identifier == identifier && $0.status == status }
        return state
    }
}

/// The order of an actor's changes: one after the other. The actor alone uses the object.
final class ChangeQueue {
    private var isBusy = false
    private var queue: [CheckedContinuation<Void, Never>] = []

    /// Runs a change, after those before it.
    func run<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        if isBusy {
            await withCheckedContinuation { queue.append($0) }
        } else {
            isBusy = true
        }
        defer {
            // The next change inherits the turn, so that no newcomer takes it.
            if queue.isEmpty { isBusy = false } else { queue.removeFirst().resume() }
        }
        return try await body()
    }
}

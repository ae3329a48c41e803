// TestFaults: faults on demand in a test's hands.

import ExtensionHost
public import ExtensionProtocol

/// Lets faults happen in a private daemon, to extensions as they come to points of their lives. `docs/faults.md` says what follows.
public struct TestFaults: Sendable {
    let control: DaemonControl

    /// Orders a fault; each that happens is the event `fault.injected`.
    ///
    /// - Parameters:
    ///   - kind: what happens.
    ///   - point: where in an extension's life.
    ///   - identifier: whose; nil: of whichever extension comes there.
    ///   - after: how often the point is passed before.
    ///   - times: how often it happens.
    ///   - seed: decides what is random in it.
    ///   - delay: how long a connection is slow, by the daemon's clock.
    ///   - sent: of packets, the next one to the extension and not the next one from it.
    /// - Throws: `ExtensionHostError` `invalidArgument` for what cannot be, `connectionLost`.
    public func add(
        _ kind: FaultKind, at point: FaultPoint, of identifier: String? = nil, after: Int = 0, times: Int = 1, seed: Int = 0,
        delay: Duration = .seconds(1), sent: Bool = false
    ) async throws {
        let seconds = Double(delay.components.seconds) + Double(delay.components.attoseconds) / 1e18
        try await control.add(
            FaultOrder(
                kind, at: point, extensionIdentifier: identifier, after: after, times: times, seed: seed, delay: seconds,
                sent: sent))
    }

    /// Orders `count` faults that `seed` picks: the same for the same seed. Returns them.
    @discardableResult
    public func addRandom(_ count: Int, seed: Int, of identifier: String? = nil) async throws -> [FaultOrder] {
        let orders = FaultOrder.random(seed: seed, count: count, extensionIdentifier: identifier)
        for order in orders { try await control.add(order) }
        return orders
    }

    /// What was ordered, and how often it has happened.
    public var orders: [FaultRecord] { get async throws { try await control.faults() } }

    /// Takes every order back.
    public func clear() async throws { try await control.clearFaults() }
}

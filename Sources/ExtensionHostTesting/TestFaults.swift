// TestFaults: the injection of faults in a test.

import ExtensionHost
public import ExtensionProtocol

/// The injection of faults into a private daemon, at points of its extensions' lives.
///
/// `docs/faults.md` describes what follows.
public struct TestFaults: Sendable {
    let control: DaemonControl

    /// Orders a fault; each injection is the event `fault.injected`.
    ///
    /// - Parameters:
    ///   - kind: the fault.
    ///   - point: the point in an extension's life.
    ///   - identifier: the extension; nil: any extension that reaches the point.
    ///   - after: the number of times that the point is passed before.
    ///   - times: the number of injections.
    ///   - seed: decides its random parts.
    ///   - delay: the time for which a connection is slow, by the daemon's clock.
    ///   - sent: for packets, whether to affect the next one to the extension instead of the next one from it.
    /// - Throws: `ExtensionHostError` `invalidArgument` for an impossible fault, `connectionLost`.
    public func add(
        _ kind: FaultKind, at point: FaultPoint, of identifier: String? = nil, after: Int = 0, times: Int = 1,
        seed: Int = 0,
        delay: Duration = .seconds(1), sent: Bool = false
    ) async throws {
        let seconds = Double(delay.components.seconds) + Double(delay.components.attoseconds) / 1e18
        try await control.add(
            FaultOrder(
                kind, at: point, extensionIdentifier: identifier, after: after, times: times, seed: seed,
                delay: seconds,
                sent: sent))
    }

    /// Orders `count` faults that `seed` picks: the same for the same seed. Returns them.
    @discardableResult
    public func addRandom(_ count: Int, seed: Int, of identifier: String? = nil) async throws -> [FaultOrder] {
        let orders = FaultOrder.random(seed: seed, count: count, extensionIdentifier: identifier)
        for order in orders { try await control.add(order) }
        return orders
    }

    /// The orders, with the count of each one's injections.
    public var orders: [FaultRecord] { get async throws { try await control.faults() } }

    /// Cancels all orders.
    public func clear() async throws { try await control.clearFaults() }
}

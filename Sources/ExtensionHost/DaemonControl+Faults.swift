// DaemonControl+Faults: faults on demand, in an ephemeral daemon.

import ExtensionConnection
public import ExtensionProtocol

extension DaemonControl {
    /// Orders a fault: it happens when an extension reaches its point, and `fault.injected` reports it.
    ///
    /// Throws `notPermitted` if the daemon is not ephemeral, `invalidArgument` for an impossible order, `quotaExceeded`
    /// beyond 256.
    public func add(_ fault: FaultOrder) async throws { _ = try await channel.ask(AddFault(fault)) }

    /// Returns the orders, with the count of each one's injections.
    public func faults() async throws -> [FaultRecord] { try await pages(ListFaults.init(offset:)) }

    /// Cancels all orders. Throws `notPermitted` if the daemon is not ephemeral.
    public func clearFaults() async throws { _ = try await channel.ask(ClearFaults()) }
}

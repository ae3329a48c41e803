// DaemonControl+Faults: faults on demand, in an ephemeral daemon.

import ExtensionConnection
public import ExtensionProtocol

extension DaemonControl {
    /// Orders a fault: it happens when an extension comes to its point, and `fault.injected` tells of it. Throws `notPermitted` where
    /// the daemon is not ephemeral, `invalidArgument` for an order that cannot be, `quotaExceeded` beyond 256.
    public func add(_ fault: FaultOrder) async throws { _ = try await channel.ask(AddFault(fault)) }

    /// What was ordered, and how often it has happened.
    public func faults() async throws -> [FaultRecord] { try await pages(ListFaults.init(offset:)) }

    /// Takes every order back. Throws `notPermitted` where the daemon is not ephemeral.
    public func clearFaults() async throws { _ = try await channel.ask(ClearFaults()) }
}

// NEPacketTunnelFlow: the packets of a tunnel's interface.

public import Foundation

/// The packets of a tunnel's interface. Safe to use from any thread.
public final class NEPacketTunnelFlow: NSObject, Sendable {
    override init() {}
}

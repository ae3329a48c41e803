// PointTableCheck: what the property list of packet tunnels says.

import ExtensionPoints
import PointHosts

enum PointTableCheck {
    /// The time limit of a call.
    static func limit(_ call: String) -> Duration? {
        PointTable()[TunnelHost.point].callLimits[call]
    }
}

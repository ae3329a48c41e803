// NWPath: the default network of the machine.

public import Foundation
import PointMessages

/// The state of a network. The numbers are Apple's (header).
public enum NWPathStatus: Int, Sendable {
    case invalid = 0
    case satisfied = 1
    case unsatisfied = 2
    case satisfiable = 3
}

/// The network that connections use. The host tells of it.
public final class NWPath: NSObject, Sendable {
    public let status: NWPathStatus
    /// Whether its traffic costs money, such as that of a cellular network.
    public let isExpensive: Bool
    /// Whether the user wants little traffic.
    public let isConstrained: Bool

    /// Makes a path that is another one's, at another time.
    public convenience init(path: NWPath) {
        self.init(
            NetworkPath(
                status: path.status.rawValue, isExpensive: path.isExpensive, isConstrained: path.isConstrained))
    }

    init(_ message: NetworkPath) {
        status = NWPathStatus(rawValue: message.status) ?? .invalid
        (isExpensive, isConstrained) = (message.isExpensive, message.isConstrained)
    }

    /// Whether both paths have the same properties.
    public func isEqual(to path: NWPath) -> Bool {
        (status, isExpensive, isConstrained) == (path.status, path.isExpensive, path.isConstrained)
    }

    public override func isEqual(_ object: Any?) -> Bool { (object as? NWPath).map(isEqual(to:)) ?? false }
    public override var hash: Int { status.rawValue }
}

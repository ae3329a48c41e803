// FaultPlan: the ordered faults, and the choice of those to inject at a point; pure, table-tested.

import ExtensionConnection
import ExtensionProtocol

/// The orders in order of arrival. The plan does no I/O and knows no time: points come in, strikes go out.
struct FaultPlan: Sendable {
    /// One fault that is to happen now.
    struct Strike: Sendable, Hashable {
        let kind: FaultKind
        let point: FaultPoint
        let sent: Bool
        /// The delay in seconds.
        let delay: Double
        /// The generator of this strike alone, for its random values.
        var random: SeededGenerator
    }

    private struct Armed: Sendable {
        let order: FaultOrder
        var passed = 0
        var struck = 0
        var random: SeededGenerator

        var isSpent: Bool { struck == order.times }
    }

    /// The maximum number of orders, carried out or not.
    static let most = 256

    private var armed: [Armed] = []

    var records: [FaultRecord] { armed.map { FaultRecord(order: $0.order, struck: $0.struck) } }

    mutating func add(_ order: FaultOrder) throws(ExtensionHostError) {
        if let problem = order.problem { throw problem }
        guard armed.count < Self.most else {
            throw ExtensionHostError(
                .quotaExceeded, "\(Self.most) faults are scheduled, which is the limit",
                remedy: "exthostctl fault clear, then add")
        }
        armed.append(Armed(order: order, random: SeededGenerator(seed: order.seed)))
    }

    mutating func clear() { armed = [] }

    /// Returns the faults to inject when `identifier`'s extension reaches `point`; nil: the daemon itself reaches it.
    mutating func strikes(at point: FaultPoint, of identifier: String?) -> [Strike] {
        var strikes: [Strike] = []
        for index in armed.indices {
            let order = armed[index].order
            guard order.point == point, !armed[index].isSpent,
                order.extensionIdentifier.map({ $0 == identifier }) ?? true
            else {
                continue
            }
            armed[index].passed += 1
            guard armed[index].passed > order.after else { continue }
            armed[index].struck += 1
            strikes.append(
                Strike(
                    kind: order.kind, point: point, sent: order.sent, delay: order.delay,
                    random: SeededGenerator(seed: Int(truncatingIfNeeded: armed[index].random.next()))))
        }
        return strikes
    }
}

extension FaultPlan.Strike {
    /// The disturbance of the next packet; nil for a fault of another kind.
    var disturbance: PacketDisturbance? {
        var random = random
        switch kind {
        case .truncate: return .truncated(share: .random(in: 0...255, using: &random))
        case .duplicate: return .duplicated
        case .reorder: return .late
        case .garbage:
            var noise = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
            // No header will ever have this flag: noise must not be a message by chance.
            noise[3] |= 0x80
            return .noise(noise)
        default: return nil
        }
    }
}

// FaultOrder: the check whether an order can be carried out, and random orders from a seed.

extension FaultOrder {
    /// The reason why this fault cannot happen; nil if it can.
    public var problem: ExtensionHostError? {
        func bad(_ message: String, _ remedy: String) -> ExtensionHostError {
            ExtensionHostError(.invalidArgument, message, remedy: remedy)
        }
        if kind.needsProcess, !point.hasProcess {
            return bad("at \(point.rawValue), there is no process for \(kind.rawValue)", "Choose a later point")
        }
        if kind == .busGone, point == .starting {
            return bad("at starting, the daemon uses no bus", "Choose a later point, or start it with --bus none")
        }
        if sent, !kind.isOfPackets { return bad("\(kind.rawValue) has no direction", "Omit --sent") }
        guard after >= 0, after <= Self.most, times >= 1, times <= Self.most else {
            return bad(
                "a fault is injected 1 to \(Self.most) times, after 0 to \(Self.most)", "Correct --after or --times")
        }
        guard delay > 0, delay <= 86_400 else { return bad("a connection is slow for up to a day", "Correct --for") }
        return nil
    }

    /// The limit of the times, and of the passes before the first.
    public static let most = 1_000_000

    /// Picks faults at random points: the same for the same seed.
    ///
    /// It never picks the points of calls, because most extension points have no calls.
    ///
    /// - Parameter kinds: the kinds to pick from. By default they exclude those that need a message bus, and those that
    ///   leave no host or no bundle behind.
    public static func random(
        seed: Int, count: Int = 1,
        of kinds: [FaultKind] = FaultKind.allCases.filter { ![.busGone, .hostGone, .removeBundle].contains($0) },
        extensionIdentifier: String? = nil
    ) -> [FaultOrder] {
        let points = FaultPoint.allCases.filter { ![.starting, .call, .called].contains($0) }
        var generator = SeededGenerator(seed: seed)
        var orders: [FaultOrder] = []
        while orders.count < count {
            guard let kind = kinds.randomElement(using: &generator),
                let point = points.randomElement(using: &generator)
            else { break }
            let order = FaultOrder(
                kind, at: point, extensionIdentifier: extensionIdentifier, seed: Int(generator.next() >> 1),
                sent: kind.isOfPackets && Bool.random(using: &generator))
            if order.problem == nil { orders.append(order) }
        }
        return orders
    }
}

// FaultOrder: one fault to be let happen: which, where, to whom, how often.

/// An order to an ephemeral daemon. Counts from the moment at which the daemon takes it.
public struct FaultOrder: Sendable, Hashable, WireStructure {
    public var point: FaultPoint
    public var kind: FaultKind
    /// Whose extension's; nil: of whichever comes to the point.
    public var extensionIdentifier: String?
    /// How often the point is passed before the first time.
    public var after: Int
    /// How often it happens.
    public var times: Int
    /// What is random in it: where a packet is cut off, what noise consists of.
    public var seed: Int
    /// Seconds of the daemon's clock; of `slow` only.
    public var delay: Double
    /// Of packets: those to the extension, not those from it.
    public var sent: Bool

    public init(
        _ kind: FaultKind, at point: FaultPoint, extensionIdentifier: String? = nil, after: Int = 0, times: Int = 1,
        seed: Int = 0,
        delay: Double = 1, sent: Bool = false
    ) {
        self.kind = kind
        self.point = point
        self.extensionIdentifier = extensionIdentifier
        self.after = after
        self.times = times
        self.seed = seed
        self.delay = delay
        self.sent = sent
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        point = try fields.value(.point)
        kind = try fields.value(.fault)
        extensionIdentifier = try fields.optional(.extension)
        after = try fields.optional(.after) ?? 0
        times = try fields.optional(.count) ?? 1
        seed = try fields.optional(.seed) ?? 0
        delay = try fields.optional(.delay) ?? 1
        sent = try fields.optional(.sent) ?? false
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.point, point)
        fields.set(.fault, kind)
        fields.set(.extension, extensionIdentifier)
        fields.set(.after, after)
        fields.set(.count, times)
        fields.set(.seed, seed)
        fields.set(.delay, delay)
        fields.set(.sent, sent)
    }

    /// Why this cannot happen; nil when it can.
    public var problem: ExtensionHostError? {
        func bad(_ message: String, _ remedy: String) -> ExtensionHostError {
            ExtensionHostError(.invalidArgument, message, remedy: remedy)
        }
        if kind.needsProcess, !point.hasProcess {
            return bad("at \(point.rawValue) there is no process that \(kind.rawValue) could befall", "Choose a later point")
        }
        if kind == .busGone, point == .starting {
            return bad("at starting the daemon is on no bus", "Choose a later point, or start it with --bus none")
        }
        if sent, !kind.isOfPackets { return bad("\(kind.rawValue) has no direction", "Leave --sent out") }
        guard after >= 0, after <= Self.most, times >= 1, times <= Self.most else {
            return bad("a fault is let happen 1 to \(Self.most) times, after 0 to \(Self.most)", "Correct --after or --times")
        }
        guard delay > 0, delay <= 86_400 else { return bad("a connection is slow for up to a day", "Correct --for") }
        return nil
    }

    /// Times, and passes before the first.
    public static let most = 1_000_000

    /// Faults at points that a seed picks: the same for the same seed.
    ///
    /// - Parameter kinds: to pick from; those that need a message bus, and those that leave no host or no bundle behind, are not among them
    ///   unless named.
    public static func random(
        seed: Int, count: Int = 1,
        of kinds: [FaultKind] = FaultKind.allCases.filter { ![.busGone, .hostGone, .removeBundle].contains($0) },
        extensionIdentifier: String? = nil
    ) -> [FaultOrder] {
        var generator = SeededGenerator(seed: seed)
        var orders: [FaultOrder] = []
        while orders.count < count {
            guard let kind = kinds.randomElement(using: &generator),
                let point = FaultPoint.allCases.filter({ $0 != .starting }).randomElement(using: &generator)
            else { break }
            let order = FaultOrder(
                kind, at: point, extensionIdentifier: extensionIdentifier, seed: Int(generator.next() >> 1),
                sent: kind.isOfPackets && Bool.random(using: &generator))
            if order.problem == nil { orders.append(order) }
        }
        return orders
    }
}

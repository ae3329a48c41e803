// ExtensionPoint: what the kind of an extension decides about its processes.

/// The policy of one extension point.
struct ExtensionPoint: Sendable, Hashable {
    let identifier: String
    /// Points without an interface have a bound on how long a request may take.
    let hasInterface: Bool
    let policy: ProcessStateMachine.Policy

    /// The timers before options and requests override them.
    var timers: Timers {
        var timers = Timers()
        // As the documented service extensions: about 30 s (spec 1.2).
        if !hasInterface { timers[.request] = .seconds(30) }
        return timers
    }

    /// The point of this identifier. One that is not listed here is taken to have no interface.
    static func named(_ identifier: String) -> ExtensionPoint {
        known[identifier] ?? ExtensionPoint(identifier: identifier, hasInterface: false, policy: .shared)
    }

    /// The points whose behaviour is built so far (spec 4.1); a process serves several requests (spec 5.1).
    private static let known: [String: ExtensionPoint] = Dictionary(
        uniqueKeysWithValues: [
            ExtensionPoint(identifier: "com.apple.share-services", hasInterface: true, policy: .shared),
            ExtensionPoint(identifier: "com.apple.ui-services", hasInterface: true, policy: .shared),
            ExtensionPoint(identifier: "com.apple.services", hasInterface: false, policy: .shared),
            ExtensionPoint(identifier: "com.apple.app.non-ui-extension", hasInterface: false, policy: .onePerRequest),
        ].map { ($0.identifier, $0) })
}

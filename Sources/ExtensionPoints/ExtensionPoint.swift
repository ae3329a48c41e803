// ExtensionPoint: what the kind of an extension decides about its processes and its requests (spec 4.1).

/// One extension point, as its property list states it; `docs/extension-points.md` explains each key.
public struct ExtensionPoint: Sendable, Hashable {
    /// Which requests share a process.
    public enum ProcessPolicy: String, Sendable, Hashable, CaseIterable {
        /// A process serves one request and ends with it.
        case onePerRequest
        /// A process serves requests of any host until it has been idle (spec 5.1).
        case shared
    }

    /// What `NSExtensionContext.open(_:)` may open (spec 1.1).
    public enum URLPolicy: String, Sendable, Hashable, CaseIterable {
        case never
        /// The app that holds the extension only.
        case containingApp
        case any
    }

    /// The names of messages that a point has beyond those of every request. Ours, after Apple's methods (spec 4.2).
    public struct Messages: Sendable, Hashable {
        /// What a host may send to the extension.
        public var accepts: [String]
        /// What the extension may send to its host.
        public var sends: [String]

        public init(accepts: [String] = [], sends: [String] = []) {
            self.accepts = accepts
            self.sends = sends
        }
    }

    /// The most that `prewarm` may be.
    public static let prewarmLimit = 16

    public var identifier: String
    /// What people call it.
    public var name: String
    /// Whether its extensions show an interface.
    public var hasInterface: Bool
    public var processPolicy: ProcessPolicy
    /// How many processes of each extension are kept waiting for a request, for each user, once it has had its first; 0 where processes are
    /// shared.
    public var prewarm: Int
    /// Whether its extensions are offered by `NSExtensionActivationRule`; of a point without rules every extension is eligible
    /// (spec 3.2).
    public var takesActivationRules: Bool
    /// All of them, before the settings of a daemon, a bundle and a request (architecture, "Timers").
    public var timers: Timers
    /// Nil where no figure is known.
    public var memoryLimit: MemoryLimit?
    /// What its file sets besides; nothing in the built-in ones.
    public var limits: ResourceLimits
    public var urlPolicy: URLPolicy
    /// Whether its extensions hear of their host's state (spec 1.7).
    public var hostNotifications: Bool
    public var messages: Messages
    /// Where identifier and policies come from.
    public var source: String?
    /// The file that states it; nil for a point that is built in, or not declared at all.
    public var path: String?

    /// The defaults of a property list's keys.
    ///
    /// - Parameters:
    ///   - hasInterface: a point without one bounds its requests at 30 s, as the documented service extensions are (spec 1.2).
    public init(identifier: String, hasInterface: Bool) {
        self.identifier = identifier
        self.hasInterface = hasInterface
        name = identifier
        processPolicy = .shared
        prewarm = 0
        takesActivationRules = false
        timers = Timers()
        if !hasInterface { timers[.request] = .seconds(30) }
        limits = ResourceLimits()
        urlPolicy = .never
        hostNotifications = true
        messages = Messages()
    }
}

extension ExtensionPoint {
    /// The limits of its processes before those of a daemon and a bundle.
    ///
    /// - Parameter profile: the platform chosen. The memory figure of a built-in point is that of Apple's devices, and acts only where one
    ///   is; a file of the user's acts always.
    public func limits(in profile: PlatformProfile?) -> ResourceLimits {
        var result = ResourceLimits()
        if path != nil, let memoryLimit { result[setting: .memory] = .limit(memoryLimit.bytes) }
        result = result.overridden(by: limits)
        if let figure = profile?.memoryLimit(of: self) { result[setting: .memory] = .limit(figure.bytes) }
        return result
    }
}

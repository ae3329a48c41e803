// ExtensionPoint: the properties of a kind of extension that govern its processes and its requests (spec 4.1).

/// One extension point, as its property list states it; `docs/extension-points.md` explains each key.
public struct ExtensionPoint: Sendable, Hashable {
    /// The policy by which requests share a process.
    public enum ProcessPolicy: String, Sendable, Hashable, CaseIterable {
        /// A process serves one request and ends with it.
        case onePerRequest
        /// A process serves requests of any host until it has been idle (spec 5.1).
        case shared
    }

    /// The URLs that `NSExtensionContext.open(_:)` may open (spec 1.1).
    public enum URLPolicy: String, Sendable, Hashable, CaseIterable {
        case never
        /// URLs of the app that contains the extension, and no others.
        case containingApp
        case any
    }

    /// The names of the calls of a point. They are ours, after Apple's methods (spec 4.2).
    public struct Messages: Sendable, Hashable {
        /// The calls that a host may make.
        public var accepts: [String]
        /// The calls that the extension may make.
        public var sends: [String]

        public init(accepts: [String] = [], sends: [String] = []) {
            self.accepts = accepts
            self.sends = sends
        }
    }

    /// The maximum of `prewarm`.
    public static let prewarmLimit = 16

    public var identifier: String
    /// The name for people.
    public var name: String
    /// Whether its extensions show an interface.
    public var hasInterface: Bool
    public var processPolicy: ProcessPolicy
    /// The number of processes of each extension that wait for a request, for each user, after its first request.
    ///
    /// It is 0 if processes are shared.
    public var prewarm: Int
    /// Whether its extensions are offered by `NSExtensionActivationRule`. Without rules every extension is eligible
    /// (spec 3.2).
    public var takesActivationRules: Bool
    /// The timers, before the settings of a daemon, a bundle and a request (docs/lifecycle.md, "Timers").
    public var timers: Timers
    /// The memory limit; nil if no figure is known.
    public var memoryLimit: MemoryLimit?
    /// The further limits that its file sets; the built-in points set none.
    public var limits: ResourceLimits
    public var urlPolicy: URLPolicy
    /// Whether its extensions are notified of their host's state (spec 1.7).
    public var hostNotifications: Bool
    public var messages: Messages
    /// The module that performs the point's calls in an extension; nil if the point has none.
    public var framework: String?
    /// The class in the module; nil stands for `ExtensionPointSupport`.
    public var support: String?
    /// The time limits of calls, by the names of the calls. The timer `call` applies to all others.
    public var callLimits: [String: Duration] = [:]
    /// The call of a host after which the kit completes the request; nil if the extension completes it.
    public var ends: String?
    /// The names of the consents that a user can give an extension. All are off at first.
    public var consents: [String] = []
    /// The entitlement without which no request begins.
    public var entitlement: RequiredEntitlement?
    public var confinement = PointConfinement()
    /// The source of the identifier and the policies.
    public var source: String?
    /// The file that states it; nil for a point that is built in, or not declared at all.
    public var path: String?

    /// Creates a point with the defaults of a property list's keys.
    ///
    /// - Parameters:
    ///   - hasInterface: whether there is an interface. A point without one limits its requests to 30 s, as the
    ///     documented service extensions do (spec 1.2).
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
    /// Returns the limits of its processes, before those of a daemon and a bundle.
    ///
    /// - Parameter profile: the chosen platform. A built-in point's memory figure is that of Apple's devices, and
    ///   applies only with a platform; a user's file always applies.
    public func limits(in profile: PlatformProfile?) -> ResourceLimits {
        var result = ResourceLimits()
        if path != nil, let memoryLimit { result[setting: .memory] = .limit(memoryLimit.bytes) }
        result = result.overridden(by: limits)
        if let figure = profile?.memoryLimit(of: self) { result[setting: .memory] = .limit(figure.bytes) }
        return result
    }
}

// ExtensionBundle: what the registry knows of one extension on disk.

public import ExtensionPoints
public import ExtensionProtocol

/// An extension's bundle, or one that disabled itself by its faults.
public struct ExtensionBundle: Sendable, Hashable {
    /// `CFBundleIdentifier`; the bundle's path when there is no readable one.
    public var identifier: String
    public var version: String
    public var shortVersion: String
    public var displayName: String
    /// `NSExtensionPointIdentifier`; empty when there is none.
    public var point: String
    public var principalClass: String?
    /// The program's path; nil when the bundle cannot be run.
    public var executable: String?
    /// The `.appex` folder; of a program without a bundle, the program.
    public var path: String
    /// The `.app` folder around it.
    public var containingApp: String?
    /// Each fault with its remedy; empty for a bundle that can be used.
    public var problems: [String]
    /// Whether this is a program without a bundle.
    public var isProgram: Bool
    /// Counts the registrations for a connection; nil for what is installed. Processes are not shared between two.
    public var registration: Int?
    /// Timers of its own: of a bundle in development only.
    public var timers: [Timers.Name: Duration] = [:]

    public init(
        identifier: String, version: String = "0", shortVersion: String = "0", displayName: String? = nil, point: String,
        principalClass: String? = nil, executable: String?, path: String, containingApp: String? = nil, problems: [String] = [],
        isProgram: Bool = false
    ) {
        self.identifier = identifier
        self.version = version
        self.shortVersion = shortVersion
        self.displayName = displayName ?? identifier
        self.point = point
        self.principalClass = principalClass
        self.executable = executable
        self.path = path
        self.containingApp = containingApp
        self.problems = problems
        self.isProgram = isProgram
    }

    /// Where its process starts.
    public var folder: String {
        guard isProgram, let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return isProgram ? "/" : path }
        return String(path[..<slash])
    }

    /// As lists show it.
    public var record: ExtensionRecord {
        ExtensionRecord(
            identifier: identifier, version: version, shortVersion: shortVersion, point: point, path: path,
            containingApp: containingApp, displayName: displayName, problems: problems.prefix(16).map { $0.cut(toBytes: 1024) })
    }
}

// ExtensionBundle: what the registry knows of one extension on disk.

public import ExtensionPoints
public import PropertyListCoding

/// An extension's bundle, or one that disabled itself by its faults.
public struct ExtensionBundle: Sendable, Hashable {
    /// `CFBundleIdentifier`; the bundle's path when there is no readable one.
    public var identifier: String
    public var version: String
    public var shortVersion: String
    public var displayName: String
    /// `CFBundleName`, else the identifier.
    public var shortName: String
    /// `NSExtensionPointIdentifier`; empty when there is none.
    public var point: String
    public var principalClass: String?
    /// The program's path; nil when the bundle cannot be run.
    public var executable: String?
    /// The `.appex` folder; of a program without a bundle, the program.
    public var path: String
    /// The `.app` folder around it.
    public var containingApp: String?
    /// The name of that app, for people.
    public var parentName: String?
    /// Each fault with its remedy; empty for a bundle that can be used.
    public var problems: [String]
    /// Each mistake that disables nothing, with its remedy.
    public var warnings: [String]
    /// The whole `Info.plist` in binary form; empty when there is none that could be read. Packed, because a registry holds
    /// thousands of them and few are ever looked into.
    public var information: [UInt8]
    /// The declarations of types in the `Info.plist` of the app around it, in binary form; empty where there are none.
    public var appTypeDeclarations: [UInt8]
    /// Whether this is a program without a bundle.
    public var isProgram: Bool
    /// Counts the registrations for a connection; nil for what is installed. Processes are not shared between two.
    public var registration: Int?
    /// Timers of its own: of a bundle in development only.
    public var timers: [Timers.Name: Duration] = [:]

    public init(
        identifier: String, version: String = "0", shortVersion: String = "0", displayName: String? = nil,
        shortName: String? = nil, point: String, principalClass: String? = nil, executable: String?, path: String,
        containingApp: String? = nil, parentName: String? = nil, problems: [String] = [], warnings: [String] = [],
        information: [UInt8] = [], appTypeDeclarations: [UInt8] = [], isProgram: Bool = false
    ) {
        self.identifier = identifier
        self.version = version
        self.shortVersion = shortVersion
        self.displayName = displayName ?? identifier
        self.shortName = shortName ?? identifier
        self.point = point
        self.principalClass = principalClass
        self.executable = executable
        self.path = path
        self.containingApp = containingApp
        self.parentName = parentName
        self.problems = problems
        self.warnings = warnings
        self.information = information
        self.appTypeDeclarations = appTypeDeclarations
        self.isProgram = isProgram
    }

    /// Where its process starts.
    public var folder: String {
        guard isProgram, let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return isProgram ? "/" : path }
        return String(path[..<slash])
    }

    /// The whole `Info.plist`, unpacked; empty when there is none that could be read.
    public var informationDictionary: PropertyListDictionary {
        guard !information.isEmpty else { return [:] }
        // Written here, from what was within narrower limits.
        return (try? PropertyList(binary: information, limits: .file))?.dictionary ?? [:]
    }

    /// What it declares under `NSExtension`, typed; reads the packed form anew each time.
    public var declaration: ExtensionDeclaration {
        var problems: [String] = []
        return ExtensionDeclaration(informationDictionary["NSExtension"]?.dictionary ?? [:], problems: &problems)
    }

    /// `NSExtensionAttributes` as it stands there; reads the packed form anew each time.
    public var attributes: PropertyListDictionary {
        informationDictionary["NSExtension"]?.dictionary?["NSExtensionAttributes"]?.dictionary ?? [:]
    }

    /// `NSExtensionActivationRule` as it stands there: a dictionary or a string; reads the packed form anew each time.
    public var activationRule: PropertyList? { attributes["NSExtensionActivationRule"] }
}

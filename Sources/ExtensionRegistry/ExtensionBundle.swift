// ExtensionBundle: what the registry knows of one extension on disk.

public import ExtensionPoints
public import PropertyListCoding

/// An extension's bundle, or one that disabled itself by its faults.
public struct ExtensionBundle: Sendable, Hashable {
    /// `CFBundleIdentifier`; the bundle's path when there is no readable one.
    public var identifier: String {
        get { storage.identifier }
        set { write { $0.identifier = newValue } }
    }
    public var version: String {
        get { storage.version }
        set { write { $0.version = newValue } }
    }
    public var shortVersion: String {
        get { storage.shortVersion }
        set { write { $0.shortVersion = newValue } }
    }
    public var displayName: String {
        get { storage.displayName }
        set { write { $0.displayName = newValue } }
    }
    /// `CFBundleName`, else the identifier.
    public var shortName: String {
        get { storage.shortName }
        set { write { $0.shortName = newValue } }
    }
    /// `NSExtensionPointIdentifier`; empty when there is none.
    public var point: String {
        get { storage.point }
        set { write { $0.point = newValue } }
    }
    public var principalClass: String? {
        get { storage.principalClass }
        set { write { $0.principalClass = newValue } }
    }
    /// The program's path; nil when the bundle cannot be run.
    public var executable: String? {
        get { storage.executable }
        set { write { $0.executable = newValue } }
    }
    /// The `.appex` folder; of a program without a bundle, the program.
    public var path: String {
        get { storage.path }
        set { write { $0.path = newValue } }
    }
    /// The `.app` folder around it.
    public var containingApp: String? {
        get { storage.containingApp }
        set { write { $0.containingApp = newValue } }
    }
    /// The name of that app, for people.
    public var parentName: String? {
        get { storage.parentName }
        set { write { $0.parentName = newValue } }
    }
    /// Each fault with its remedy; empty for a bundle that can be used.
    public var problems: [String] {
        get { storage.problems }
        set { write { $0.problems = newValue } }
    }
    /// Each mistake that disables nothing, with its remedy.
    public var warnings: [String] {
        get { storage.warnings }
        set { write { $0.warnings = newValue } }
    }
    /// The whole `Info.plist` in binary form; empty when there is none that could be read. Packed, because a registry holds
    /// thousands of them and few are ever looked into.
    public var information: [UInt8] {
        get { storage.information }
        set { write { $0.information = newValue } }
    }
    /// The declarations of types in the `Info.plist` of the app around it, in binary form; empty where there are none.
    public var appTypeDeclarations: [UInt8] {
        get { storage.appTypeDeclarations }
        set { write { $0.appTypeDeclarations = newValue } }
    }
    /// Whether this is a program without a bundle.
    public var isProgram: Bool {
        get { storage.isProgram }
        set { write { $0.isProgram = newValue } }
    }
    /// Counts the registrations for a connection; nil for what is installed. Processes are not shared between two.
    public var registration: Int? {
        get { storage.registration }
        set { write { $0.registration = newValue } }
    }
    /// Timers of its own: of a bundle in development only.
    public var timers: [Timers.Name: Duration] {
        get { storage.timers }
        set { write { $0.timers = newValue } }
    }
    /// Limits of its own: of a bundle in development only.
    public var limits: ResourceLimits {
        get { storage.limits }
        set { write { $0.limits = newValue } }
    }
    /// What is known of how it is offered; nil of one that has not been looked at for that. No part of what it is.
    var offerSummary: OfferSummary? {
        get { storage.offerSummary }
        set { write { $0.offerSummary = newValue } }
    }

    /// One reference: a registry copies thousands of these, and counts the references in each otherwise.
    // Unchecked: written only through `write`, while nobody else has it.
    private final class Storage: @unchecked Sendable {
        var identifier: String
        var version: String
        var shortVersion: String
        var displayName: String
        var shortName: String
        var point: String
        var principalClass: String?
        var executable: String?
        var path: String
        var containingApp: String?
        var parentName: String?
        var problems: [String]
        var warnings: [String]
        var information: [UInt8]
        var appTypeDeclarations: [UInt8]
        var isProgram: Bool
        var registration: Int? = nil
        var timers: [Timers.Name: Duration] = [:]
        var limits = ResourceLimits()
        var offerSummary: OfferSummary?

        init(
            identifier: String, version: String, shortVersion: String, displayName: String, shortName: String, point: String,
            principalClass: String?, executable: String?, path: String, containingApp: String?, parentName: String?,
            problems: [String], warnings: [String], information: [UInt8], appTypeDeclarations: [UInt8], isProgram: Bool
        ) {
            self.identifier = identifier
            self.version = version
            self.shortVersion = shortVersion
            self.displayName = displayName
            self.shortName = shortName
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

        func copy() -> Storage {
            let copy = Storage(
                identifier: identifier, version: version, shortVersion: shortVersion, displayName: displayName,
                shortName: shortName, point: point, principalClass: principalClass, executable: executable, path: path,
                containingApp: containingApp, parentName: parentName, problems: problems, warnings: warnings,
                information: information, appTypeDeclarations: appTypeDeclarations, isProgram: isProgram)
            copy.registration = registration
            copy.timers = timers
            copy.limits = limits
            copy.offerSummary = offerSummary
            return copy
        }
    }

    private var storage: Storage

    private mutating func write(_ body: (Storage) -> Void) {
        if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
        body(storage)
    }

    public init(
        identifier: String, version: String = "0", shortVersion: String = "0", displayName: String? = nil,
        shortName: String? = nil, point: String, principalClass: String? = nil, executable: String?, path: String,
        containingApp: String? = nil, parentName: String? = nil, problems: [String] = [], warnings: [String] = [],
        information: [UInt8] = [], appTypeDeclarations: [UInt8] = [], isProgram: Bool = false
    ) {
        storage = Storage(
            identifier: identifier, version: version, shortVersion: shortVersion, displayName: displayName ?? identifier,
            shortName: shortName ?? identifier, point: point, principalClass: principalClass, executable: executable, path: path,
            containingApp: containingApp, parentName: parentName, problems: problems, warnings: warnings,
            information: information,
            appTypeDeclarations: appTypeDeclarations, isProgram: isProgram)
    }

    public static func == (left: Self, right: Self) -> Bool {
        if left.storage === right.storage { return true }
        let (one, other) = (left.storage, right.storage)
        return one.path == other.path && one.identifier == other.identifier && one.version == other.version
            && one.shortVersion == other.shortVersion
            && one.displayName == other.displayName
            && one.shortName == other.shortName
            && one.point == other.point
            && one.principalClass == other.principalClass
            && one.executable == other.executable
            && one.containingApp == other.containingApp
            && one.parentName == other.parentName
            && one.problems == other.problems
            && one.warnings == other.warnings
            && one.information == other.information
            && one.appTypeDeclarations == other.appTypeDeclarations
            && one.isProgram == other.isProgram
            && one.registration == other.registration
            && one.timers == other.timers && one.limits == other.limits
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(identifier)
        hasher.combine(version)
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

// ExtensionBundle: the registry's data of one extension on disk.

public import ExtensionPoints
import Locks
public import PropertyListCoding

/// An extension's bundle. Its faults, if it has any, disable it.
public struct ExtensionBundle: Sendable, Hashable {
    /// `CFBundleIdentifier`; the bundle's path if there is no readable one.
    public var identifier: String { storage.identifier }
    public var version: String { detail(\.version, \.version) }
    public var shortVersion: String { detail(\.shortVersion, \.shortVersion) }
    public var displayName: String { detail(\.displayName, \.displayName) }
    /// `CFBundleName`, else the identifier.
    public var shortName: String { detail(\.shortName, \.shortName) }
    /// `NSExtensionPointIdentifier`; empty when there is none.
    public var point: String { storage.point }
    public var principalClass: String? { detail(\.principalClass, \.principalClass) }
    /// The program's path; nil if the bundle cannot be run.
    public var executable: String? { detail(\.executable, \.executable) }
    /// The `.appex` folder; of a program without a bundle, the program.
    public var path: String { storage.path }
    /// The `.app` folder around it.
    public var containingApp: String? { detail(\.containingApp, \.containingApp) }
    /// The name of that app, for people.
    public var parentName: String? { detail(\.parentName, \.parentName) }
    /// Each fault with its remedy; empty for a bundle that can be used.
    public var problems: [String] { storage.problems }
    /// Each mistake that disables nothing, with its remedy.
    public var warnings: [String] { detail(\.warnings, \.warnings) }
    /// The whole `Info.plist` in binary form; empty if there is none that could be read.
    ///
    /// It is packed, because a registry holds thousands of lists and few are ever read.
    public var information: [UInt8] { detail(\.information.binary, \.information) }
    /// The declarations of types in the `Info.plist` of the app around it, in binary form; empty where there are none.
    public var appTypeDeclarations: [UInt8] { detail(\.appTypeDeclarations, \.appTypeDeclarations) }
    /// Whether this is a program without a bundle.
    public var isProgram: Bool { storage.isProgram }
    /// Whether this is an app, as the daemon runs one: no extension, and in no registry.
    public var isApp: Bool { !isProgram && path.hasSuffix(".app") }
    /// Whether it is the program of a service (`ServiceDefinition`).
    public internal(set) var isService: Bool {
        get { storage.isService }
        set { write { $0.isService = newValue } }
    }
    /// Whether it is neither an app nor a service.
    public var isExtension: Bool { !isApp && !isService }
    /// The number of its registration for a connection; nil for an installed bundle. Two registrations never share a
    /// process.
    public var registration: Int? {
        get { storage.registration }
        set { write { $0.registration = newValue } }
    }
    /// The bundle's own timers, which only a bundle in development has.
    public internal(set) var timers: [Timers.Name: Duration] {
        get { storage.timers }
        set { write { $0.timers = newValue } }
    }
    /// The bundle's own limits, which only a bundle in development has.
    public internal(set) var limits: ResourceLimits {
        get { storage.limits }
        set { write { $0.limits = newValue } }
    }
    /// The summary of how the bundle is offered; nil until it has been determined.
    ///
    /// It is not part of the bundle's identity, and all copies of the value share it.
    var offerSummary: OfferSummary? { storage.offer.withLock { $0.summary } }
    /// The source of the offer of a bundle that was just read, until its summary is known.
    var offerSource: OfferSource? { storage.offer.withLock { $0.source } }

    func setOffer(_ summary: OfferSummary?, from source: OfferSource? = nil) {
        storage.offer.withLock { $0 = (summary, source) }
    }

    /// Adds a fault, which disables the bundle.
    public mutating func disable(_ problem: String) {
        write {
            $0.problems.append(problem)
            $0.details.executable = nil
        }
    }

    /// The bytes that its property lists take; for a packed bundle, the bytes of the packed form.
    var size: Int {
        switch storage.rest {
        case .open(let details): details.information.count + details.appTypeDeclarations.count
        case .packed(let details): details.size
        }
    }

    /// Whether its program lies below `Contents`.
    var isInContents: Bool {
        switch storage.rest {
        case .open(let details):
            details.executable.map { $0.utf8.dropFirst(path.utf8.count).starts(with: "/Contents/".utf8) } ?? false
        case .packed(let details): details.isInContents
        }
    }

    /// The storage behind one reference: a registry copies thousands of bundles, and would else count each field's
    /// references.
    // Unchecked: written only through `write`, while nobody else has it.
    private final class Storage: @unchecked Sendable {
        enum Rest {
            case open(BundleDetails)
            /// The details of a bundle that the index has.
            case packed(PackedDetails)
        }

        let identifier: String
        let point: String
        let path: String
        var problems: [String] = []
        var isProgram = false
        var isService = false
        var registration: Int? = nil
        var timers: [Timers.Name: Duration] = [:]
        var limits = ResourceLimits()
        let offer: Mutex<(summary: OfferSummary?, source: OfferSource?)>
        var rest: Rest

        init(identifier: String, point: String, path: String, rest: Rest, offer: OfferSummary? = nil) {
            self.identifier = identifier
            self.point = point
            self.path = path
            self.rest = rest
            self.offer = Mutex((offer, nil))
        }

        /// The unpacked details. A change stores them unpacked.
        var details: BundleDetails {
            get {
                switch rest {
                case .open(let details): details
                case .packed(let details): details.unpacked
                }
            }
            set { rest = .open(newValue) }
        }

        func copy() -> Storage {
            // The copy is another bundle, so its offer is determined anew.
            let copy = Storage(identifier: identifier, point: point, path: path, rest: rest)
            copy.problems = problems
            copy.isProgram = isProgram
            copy.isService = isService
            copy.registration = registration
            copy.timers = timers
            copy.limits = limits
            return copy
        }
    }

    private var storage: Storage

    private mutating func write(_ body: (Storage) -> Void) {
        if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
        body(storage)
    }

    private func detail<Value>(_ open: (BundleDetails) -> Value, _ packed: (PackedDetails) -> Value) -> Value {
        switch storage.rest {
        case .open(let details): open(details)
        case .packed(let details): packed(details)
        }
    }

    public init(
        identifier: String, version: String = "0", shortVersion: String = "0", displayName: String? = nil,
        shortName: String? = nil, point: String, principalClass: String? = nil, executable: String?, path: String,
        containingApp: String? = nil, parentName: String? = nil, problems: [String] = [], warnings: [String] = [],
        information: [UInt8] = [], appTypeDeclarations: [UInt8] = [], isProgram: Bool = false
    ) {
        self.init(
            identifier: identifier, version: version, shortVersion: shortVersion, displayName: displayName,
            shortName: shortName,
            point: point, principalClass: principalClass, executable: executable, path: path,
            containingApp: containingApp,
            parentName: parentName, problems: problems, warnings: warnings, .binary(information),
            appTypeDeclarations: appTypeDeclarations, isProgram: isProgram)
    }

    init(
        identifier: String, version: String, shortVersion: String, displayName: String?, shortName: String?,
        point: String,
        principalClass: String?, executable: String?, path: String, containingApp: String?, parentName: String?,
        problems: [String], warnings: [String], _ information: InformationBytes, appTypeDeclarations: [UInt8],
        isProgram: Bool = false
    ) {
        let details = BundleDetails(
            version: version, shortVersion: shortVersion, displayName: displayName ?? identifier,
            shortName: shortName ?? identifier, principalClass: principalClass, containingApp: containingApp,
            parentName: parentName, executable: executable, warnings: warnings, information: information,
            appTypeDeclarations: appTypeDeclarations)
        storage = Storage(identifier: identifier, point: point, path: path, rest: .open(details))
        storage.problems = problems
        storage.isProgram = isProgram
    }

    /// Creates a bundle without problems from the index.
    init(
        identifier: String, point: String, path: String, offerSummary: OfferSummary?, packed: PackedDetails
    ) {
        storage = Storage(identifier: identifier, point: point, path: path, rest: .packed(packed), offer: offerSummary)
    }

    public static func == (left: Self, right: Self) -> Bool {
        let (one, other) = (left.storage, right.storage)
        if one === other { return true }
        return one.path == other.path && one.identifier == other.identifier && left.version == right.version
            && left.shortVersion == right.shortVersion && left.displayName == right.displayName
            && left.shortName == right.shortName && one.point == other.point
            && left.principalClass == right.principalClass
            && left.executable == right.executable && left.containingApp == right.containingApp
            && left.parentName == right.parentName && one.problems == other.problems && left.warnings == right.warnings
            && left.information == right.information && left.appTypeDeclarations == right.appTypeDeclarations
            && one.isProgram == other.isProgram && one.registration == other.registration
            && one.timers == other.timers && one.limits == other.limits
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(identifier)
    }

    /// The working directory of its process.
    public var folder: String {
        guard isProgram, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            return isProgram ? "/" : path
        }
        return String(path[..<slash])
    }

    /// The whole `Info.plist`, unpacked; empty if there is none that could be read.
    public var informationDictionary: PropertyListDictionary {
        switch storage.rest {
        case .open(let details): details.information.dictionary
        case .packed(let details): InformationBytes.binary(details.information).dictionary
        }
    }

    /// The declaration under `NSExtension`, typed. Each access reads the packed form anew.
    public var declaration: ExtensionDeclaration {
        var problems: [String] = []
        return ExtensionDeclaration(informationDictionary["NSExtension"]?.dictionary ?? [:], problems: &problems)
    }

    /// The unchanged `NSExtensionAttributes`. Each access reads the packed form anew.
    public var attributes: PropertyListDictionary {
        informationDictionary["NSExtension"]?.dictionary?["NSExtensionAttributes"]?.dictionary ?? [:]
    }

    /// The unchanged `NSExtensionActivationRule`: a dictionary or a string. Each access reads the packed form anew.
    public var activationRule: PropertyList? { attributes["NSExtensionActivationRule"] }
}

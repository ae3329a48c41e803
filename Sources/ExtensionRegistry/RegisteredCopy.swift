// RegisteredCopy: one copy of an extension with its place among the others (spec 2.3).

public import ExtensionProtocol

/// A bundle as the registry holds it.
public struct RegisteredCopy: Sendable, Hashable {
    public var bundle: ExtensionBundle
    /// Names this registration: another bundle at the same path, or the same one registered anew, gets another.
    public var uuid: String {
        switch name {
        case .text(let text): text
        case .number(let number): number.description
        }
    }
    /// Most are never written out.
    private enum Name: Hashable {
        case text(String)
        case number(RequestIdentifier)
    }

    private let name: Name
    /// When it was registered: microseconds since 1970, no two alike.
    public var registered: Int
    /// Why it is the copy that is used, or is not.
    public internal(set) var rule: ReductionRule
    /// The user's word on its identifier.
    public internal(set) var election: Election
    /// Whether another copy of its identifier is used in its place.
    public internal(set) var isSuperseded: Bool

    /// Why hosts are never offered it, though it can be used; with the remedy.
    public internal(set) var ruleProblem: String?
    /// A mistake about its rule, with the remedy.
    public internal(set) var ruleWarning: String?

    public init(bundle: ExtensionBundle, uuid: String, registered: Int) {
        self.init(bundle: bundle, .text(uuid), registered: registered)
    }

    init(bundle: ExtensionBundle, _ registration: Registration) {
        self.init(bundle: bundle, .number(registration.uuid), registered: registration.time)
    }

    private init(bundle: ExtensionBundle, _ name: Name, registered: Int) {
        self.bundle = bundle
        self.name = name
        self.registered = registered
        rule = .onlyCopy
        election = .default
        isSuperseded = false
    }

    /// One that stands beside the registry, without other copies.
    public init(alone bundle: ExtensionBundle, registered: Int, terms: OfferTerms?) {
        self.init(bundle: bundle, uuid: "", registered: registered)
        if !bundle.problems.isEmpty { rule = .disabled }
        ruleProblem = terms?.summary.problem
        ruleWarning = terms?.summary.warning
    }

    /// Whether it is the copy that is used.
    public var isWinner: Bool { rule.isWinning }

    /// Whether hosts are offered it.
    public var isOffered: Bool { isWinner && election != .ignore }

    /// `pluginkit`'s mark before the name: `=` superseded, `+` elected, `-` ignored, `!` for its developer's own connection only, `?`
    /// where not even the identifier could be read, blank by default.
    public var prefix: String {
        if bundle.registration != nil { return "!" }
        if isSuperseded { return "=" }
        if bundle.identifier == bundle.path { return "?" }
        return switch election {
        case .use: "+"
        case .ignore: "-"
        case .default: " "
        }
    }

    /// As lists show it.
    public var record: ExtensionRecord {
        let problems = bundle.problems + [ruleProblem].compactMap(\.self)
        let warnings = [ruleWarning].compactMap(\.self) + bundle.warnings
        return ExtensionRecord(
            identifier: bundle.identifier, version: bundle.version, shortVersion: bundle.shortVersion, point: bundle.point,
            path: bundle.path, containingApp: bundle.containingApp, displayName: bundle.displayName,
            problems: problems.prefix(16).map { $0.cut(toBytes: 512) }, shortName: bundle.shortName,
            parentName: bundle.parentName, election: election, prefix: prefix, rule: rule, uuid: uuid, registered: registered,
            warnings: warnings.prefix(8).map { $0.cut(toBytes: 512) })
    }
}

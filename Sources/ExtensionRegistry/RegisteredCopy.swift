// RegisteredCopy: one copy of an extension, with its place among the others (spec 2.3).

public import ExtensionProtocol

/// A bundle as the registry holds it.
public struct RegisteredCopy: Sendable, Hashable {
    public var bundle: ExtensionBundle
    /// The name of this registration. Another bundle at the same path gets another, and so does one that is registered
    /// anew.
    public var uuid: String {
        switch name {
        case .text(let text): text
        case .number(let number): number.description
        }
    }
    /// The name in its stored form: most names are never written out.
    private enum Name: Hashable {
        case text(String)
        case number(RequestIdentifier)
    }

    private let name: Name
    /// The time of the registration: microseconds since 1970, unique for each.
    public var registered: Int
    /// The reason why it is the copy that is used, or is not.
    public internal(set) var rule: ReductionRule
    /// The user's election for its identifier.
    public internal(set) var election: Election
    /// Whether another copy of its identifier is used in its place.
    public internal(set) var isSuperseded: Bool

    /// The reason why hosts are never offered it although it can be used, with the remedy.
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

    /// Creates a copy that stands beside the registry, without other copies.
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

    /// The mark that `pluginkit` prints before the name; it is blank by default.
    ///
    /// - `=`: the copy is superseded.
    /// - `+`: the user elected it.
    /// - `-`: the user ignores it.
    /// - `!`: only its developer's own connection sees it.
    /// - `?`: not even the identifier could be read.
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

    /// The copy's record in lists.
    public var record: ExtensionRecord {
        let problems = bundle.problems + [ruleProblem].compactMap(\.self)
        let warnings = [ruleWarning].compactMap(\.self) + bundle.warnings
        return ExtensionRecord(
            identifier: bundle.identifier, version: bundle.version, shortVersion: bundle.shortVersion,
            point: bundle.point,
            path: bundle.path, containingApp: bundle.containingApp, displayName: bundle.displayName,
            problems: problems.prefix(16).map { $0.cut(toBytes: 512) }, shortName: bundle.shortName,
            parentName: bundle.parentName, election: election, prefix: prefix, rule: rule, uuid: uuid,
            registered: registered,
            warnings: warnings.prefix(8).map { $0.cut(toBytes: 512) })
    }
}

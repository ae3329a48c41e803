// ExtensionRecord: one copy of an extension, as lists of the registry have it.

/// A bundle that the registry found: an extension, or one that disabled itself by its faults.
public struct ExtensionRecord: Sendable, Hashable, ListEntry {
    public static let pageKind = MessageKind.extensions
    /// The bundle's path stands in for an identifier that could not be read.
    public var identifier: String
    public var version: String
    public var shortVersion: String
    public var point: String
    public var path: String
    public var containingApp: String?
    public var displayName: String
    /// Why the bundle is disabled; empty for one that can be used.
    public var problems: [String]
    public var shortName: String?
    /// The display name of the containing app.
    public var parentName: String?
    /// The user's word on the identifier.
    public var election: Election
    /// `pluginkit`'s mark: one of ` +-!=?`.
    public var prefix: String
    /// Why this copy is the one that is used, or is not.
    public var rule: ReductionRule
    /// Names the registration.
    public var uuid: String
    /// Microseconds since 1970.
    public var registered: Int
    /// What is wrong and disables nothing.
    public var warnings: [String]

    public init(
        identifier: String, version: String, shortVersion: String, point: String, path: String, containingApp: String?,
        displayName: String, problems: [String], shortName: String? = nil, parentName: String? = nil,
        election: Election = .default, prefix: String = " ", rule: ReductionRule = .onlyCopy, uuid: String = "",
        registered: Int = 0, warnings: [String] = []
    ) {
        self.identifier = identifier
        self.version = version
        self.shortVersion = shortVersion
        self.point = point
        self.path = path
        self.containingApp = containingApp
        self.displayName = displayName
        self.problems = problems
        self.shortName = shortName
        self.parentName = parentName
        self.election = election
        self.prefix = prefix
        self.rule = rule
        self.uuid = uuid
        self.registered = registered
        self.warnings = warnings
    }

    /// Whether it is the copy that is used.
    public var isWinner: Bool { rule.isWinning }

    public init(_ fields: Fields) throws(ProtocolError) {
        identifier = try fields.value(.identifier)
        version = try fields.value(.version)
        shortVersion = try fields.value(.shortVersion)
        point = try fields.value(.point)
        path = try fields.value(.path)
        containingApp = try fields.optional(.containingApp)
        displayName = try fields.value(.displayName)
        problems = try fields.value(.problems)
        shortName = try fields.optional(.shortName)
        parentName = try fields.optional(.parentName)
        // A daemon of protocol 1.0 knows one copy of each extension and no elections.
        election = try fields.optional(.election) ?? .default
        prefix = try fields.optional(.prefix) ?? " "
        rule = try fields.optional(.rule) ?? (problems.isEmpty ? .onlyCopy : .disabled)
        uuid = try fields.optional(.uuid) ?? ""
        registered = try fields.optional(.registeredAt) ?? 0
        warnings = try fields.optional(.warnings) ?? []
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.identifier, identifier)
        fields.set(.version, version)
        fields.set(.shortVersion, shortVersion)
        fields.set(.point, point)
        fields.set(.path, path)
        fields.set(.containingApp, containingApp)
        fields.set(.displayName, displayName)
        fields.set(.problems, problems)
        fields.set(.shortName, shortName)
        fields.set(.parentName, parentName)
        fields.set(.election, election)
        fields.set(.prefix, prefix)
        fields.set(.rule, rule)
        fields.set(.uuid, uuid)
        fields.set(.registeredAt, registered)
        if !warnings.isEmpty { fields.set(.warnings, warnings) }
    }
}

// Election: what the user has decided about an extension, and the rule that chose among its copies; by the names on the wire.

public import PropertyListCoding

/// The user's word on an extension, for all of its copies (spec 2.3).
public enum Election: String, Sendable, Hashable, CaseIterable, WireValue {
    /// To be used.
    case use
    /// Not to be offered: a request for it is refused.
    case ignore
    /// Nothing has been said.
    case `default`
}

/// Why a copy of an extension is the one that is used, or is not.
public enum ReductionRule: String, Sendable, Hashable, CaseIterable, WireValue {
    /// There is no other copy that could be used.
    case onlyCopy
    /// It has the highest version, and no other copy has that.
    case highestVersion
    /// Of the copies of the highest version it was registered last.
    case lastRegistered
    /// Another copy has a higher version.
    case lowerVersion
    /// Another copy of the same version was registered later.
    case registeredEarlier
    /// It has faults.
    case disabled
    /// A newer daemon named a rule that this version does not know.
    case unrecognized

    public init?(wire: PropertyList) {
        guard let name = wire.string else { return nil }
        self = ReductionRule(rawValue: name) ?? .unrecognized
    }

    /// Whether a copy to which it applies is the one that is used.
    public var isWinning: Bool {
        switch self {
        case .onlyCopy, .highestVersion, .lastRegistered: true
        case .lowerVersion, .registeredEarlier, .disabled, .unrecognized: false
        }
    }
}

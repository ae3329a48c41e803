// ReductionRule: the test whether a rule selects a copy of an extension for use.

extension ReductionRule {
    /// Whether a copy to which it applies is the one that is used.
    public var isWinning: Bool {
        switch self {
        case .onlyCopy, .highestVersion, .lastRegistered: true
        case .lowerVersion, .registeredEarlier, .disabled, .unrecognized: false
        }
    }
}

extension ExtensionRecord {
    /// Whether it is the copy that is used.
    public var isWinner: Bool { rule.isWinning }
}

// Decision: the effects of a list on a load.

/// The effects of a list on one load. Rules have their numbers in the list, from 1.
public struct Decision: Sendable, Hashable {
    /// A selector whose elements are hidden.
    public struct Hiding: Sendable, Hashable {
        public let rule: Int
        public let selector: String
    }

    /// The rule that blocks the load; nil if it is not blocked.
    public internal(set) var blocked: Int?
    /// The rule that keeps cookies from the load; nil if it has them.
    public internal(set) var blockedCookies: Int?
    /// The rule that makes the load secure, and the new URL; nil if it stays as it is.
    public internal(set) var upgraded: (rule: Int, url: String)?
    /// The selectors, in the order of their rules.
    public internal(set) var hidden: [Hiding] = []
    /// The last `ignore-previous-rules` that applies: no earlier rule acts.
    public internal(set) var ignoring: Int?
    /// The steps that the decision took.
    public internal(set) var steps = 0

    public static func == (one: Self, other: Self) -> Bool {
        one.blocked == other.blocked && one.blockedCookies == other.blockedCookies
            && one.upgraded?.rule == other.upgraded?.rule && one.upgraded?.url == other.upgraded?.url
            && one.hidden == other.hidden && one.ignoring == other.ignoring
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(blocked)
        hasher.combine(blockedCookies)
        hasher.combine(upgraded?.rule)
        hasher.combine(hidden)
        hasher.combine(ignoring)
    }

    /// A decision that took more steps than are allowed.
    public struct TooManySteps: Error, Sendable, Hashable, CustomStringConvertible {
        public let limit: Int
        public var description: String {
            "the decision needs more than \(limit) steps: the list has many patterns without a text, such as [a-z]+"
        }
    }
}

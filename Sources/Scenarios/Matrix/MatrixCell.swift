// MatrixCell: one content in one form, under one reuse of the process, and what an extension made of it.

/// How a host offers the same content. Each has the content's own type; what differs is what a load gives.
public enum ContentShape: String, Sendable, Hashable, CaseIterable {
    /// A URL: of a link the link, else the URL of a file that holds the content.
    case url
    /// Its bytes.
    case data
    /// A file representation.
    case file
    /// The value itself, as text or a property list; of a link the URL as its class writes it.
    case object
}

/// In which process a request is served.
public enum ReusePolicy: String, Sendable, Hashable, CaseIterable {
    /// A new one.
    case fresh
    /// One that has served another content before.
    case warm
    /// One that serves another content at the same time: neither has its values before both have been begun.
    case concurrent
}

/// Which of the two contents a request shares: the one that is tried, or another of the same kind, so that what is kept from it shows.
public enum TriedContent: String, Sendable, Hashable {
    case tried, other
}

/// What an extension answered, as far as it counts: every value of the returned items by its path, in a form that does not depend on how it
/// came. Text, the URL of a link, and the bytes of data and files are the same when their bytes are.
public struct Answer: Sendable, Hashable {
    public let values: [String: String]

    public init(values: [String: String]) { self.values = values }

    /// How this one differs from another, in words; nil where it does not.
    public func difference(from other: Answer) -> String? {
        let paths = Set(values.keys).union(other.values.keys).sorted()
        let words = paths.compactMap { path -> String? in
            let (own, its) = (values[path], other.values[path])
            guard own != its else { return nil }
            switch (own, its) {
            case (let own?, let its?): return "\(path) is \(own), and not \(its)"
            case (let own?, nil): return "\(path) is \(own), and was not there"
            case (_, let its?): return "\(path) is not there, and was \(its)"
            case (nil, nil): return nil
            }
        }
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }
}

/// A request of a cell, from its begin to its outcome.
public struct TriedRequest: Sendable, Hashable {
    public let content: TriedContent
    /// `completed`, `interrupted (crashed)`.
    public let outcome: String
    /// Of a completed one.
    public let answer: Answer?
    public let why: String?
    public let remedy: String?

    public init(content: TriedContent, outcome: String, answer: Answer?, why: String? = nil, remedy: String? = nil) {
        self.content = content
        self.outcome = outcome
        self.answer = answer
        self.why = why
        self.remedy = remedy
    }
}

/// Something that happened and must not: misuse, or an end of the process that nobody means.
public struct CellFault: Sendable, Hashable {
    public let what: String
    public let why: String?
    public let remedy: String?

    public init(what: String, why: String? = nil, remedy: String? = nil) {
        self.what = what
        self.why = why
        self.remedy = remedy
    }
}

/// What was seen of a cell.
public struct MatrixCell: Sendable, Hashable {
    public enum Evidence: Sendable, Hashable {
        /// The content has no such shape, or the process no such reuse: why.
        case impossible(String)
        /// The extension's rule does not take it: its near miss.
        case notAccepted(String)
        case tried([TriedRequest], faults: [CellFault])
    }

    public let shape: ContentShape
    public let policy: ReusePolicy
    public let evidence: Evidence
    public var seconds: Double
    /// Everything that happened, a line each.
    public var timeline: [String]
    /// The end of what the extension printed.
    public var output: [String]

    public init(
        _ shape: ContentShape, _ policy: ReusePolicy, _ evidence: Evidence, seconds: Double = 0, timeline: [String] = [],
        output: [String] = []
    ) {
        self.shape = shape
        self.policy = policy
        self.evidence = evidence
        self.seconds = seconds
        self.timeline = timeline
        self.output = output
    }

    public var name: String { "\(shape.rawValue), \(policy.rawValue)" }
}

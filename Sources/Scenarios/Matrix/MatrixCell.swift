// MatrixCell: one content in one form, with one reuse of the process, and what an extension made of it.

/// The ways in which a host can offer the same content.
///
/// Each has the content's own type; the results of a load differ.
public enum ContentShape: String, Sendable, Hashable, CaseIterable {
    /// A URL: the link itself for a link, else the URL of a file that holds the content.
    case url
    /// The content's bytes.
    case data
    /// A file representation.
    case file
    /// The value itself, as text or a property list; for a link, the URL as its class writes it.
    case object
}

/// The process that serves a request.
public enum ReusePolicy: String, Sendable, Hashable, CaseIterable {
    /// A new process.
    case fresh
    /// A process that has served another content before.
    case warm
    /// A process that serves another content at the same time: neither request gets its values before both have begun.
    case concurrent
}

/// The content that a request shares: the one under trial, or another of the same kind, which reveals state that an
/// extension keeps.
public enum TriedContent: String, Sendable, Hashable {
    case tried, other
}

/// The compared part of an extension's answer: every value of the returned items by its path, in a form that does not
/// depend on how it came.
///
/// Text, the URL of a link, and the bytes of data and files are the same if their bytes are.
public struct Answer: Sendable, Hashable {
    public let values: [String: String]

    public init(values: [String: String]) { self.values = values }

    /// Returns in words how this answer differs from another. Nil if it does not.
    public func difference(from other: Answer) -> String? {
        let paths = Set(values.keys).union(other.values.keys).sorted()
        let words = paths.compactMap { path -> String? in
            let (own, its) = (values[path], other.values[path])
            guard own != its else { return nil }
            switch (own, its) {
            case (let own?, let its?): return "\(path) is \(own), and not \(its)"
            case (let own?, nil): return "\(path) is \(own), and did not exist"
            case (_, let its?): return "\(path) does not exist, and was \(its)"
            case (nil, nil): return nil
            }
        }
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }
}

/// A request of a cell, from its begin to its outcome.
public struct TriedRequest: Sendable, Hashable {
    public let content: TriedContent
    /// The outcome, such as `completed` or `interrupted (crashed)`.
    public let outcome: String
    /// The answer of a completed request.
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

/// An event that must not happen: misuse, or an unintended end of the process.
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

/// One cell, with the evidence that its trial gave.
public struct MatrixCell: Sendable, Hashable {
    public enum Evidence: Sendable, Hashable {
        /// The reason why the content has no such shape, or the process no such reuse.
        case impossible(String)
        /// The near miss of the extension's rule, which refuses the content.
        case notAccepted(String)
        case tried([TriedRequest], faults: [CellFault])
    }

    public let shape: ContentShape
    public let policy: ReusePolicy
    public let evidence: Evidence
    public var seconds: Double
    /// All events, one per line.
    public var timeline: [String]
    /// The last lines that the extension printed.
    public var output: [String]

    public init(
        _ shape: ContentShape, _ policy: ReusePolicy, _ evidence: Evidence, seconds: Double = 0,
        timeline: [String] = [],
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

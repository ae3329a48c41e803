// SheetAct: what a person does with an extension's view, as a line says it: in a terminal, and in a scenario.

public enum SheetAct: Sendable, Hashable {
    case text(String)
    case tap(String)
    case post
    case cancel

    /// The acts there are, for people.
    public static let help = "text WORDS · tap NAME · post · cancel"

    /// As a line says it.
    public var written: String {
        switch self {
        case .text(let words): "text \(words)"
        case .tap(let name): "tap \(name)"
        case .post: "post"
        case .cancel: "cancel"
        }
    }

    /// Reads a line. Nil for words that are no act.
    public init?(line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard let verb = words.first else { return nil }
        self.init(verb: verb, rest: words.count > 1 ? words[1] : "")
    }

    /// Nil for words that are no act. Of `text` the words may be none.
    public init?(verb: String, rest: String) {
        switch verb {
        case "text": self = .text(rest)
        case "tap" where !rest.isEmpty: self = .tap(rest)
        case "post" where rest.isEmpty: self = .post
        case "cancel" where rest.isEmpty: self = .cancel
        default: return nil
        }
    }
}

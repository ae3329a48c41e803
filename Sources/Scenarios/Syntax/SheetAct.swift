// SheetAct: an act of a person on an extension's view, in the words that a terminal and a scenario take.

public enum SheetAct: Sendable, Hashable {
    case text(String)
    case tap(String)
    case post
    case cancel

    /// The syntax of all acts, for people.
    public static let help = "text WORDS · tap NAME · post · cancel"

    /// The act in the words of a line.
    public var written: String {
        switch self {
        case .text(let words): "text \(words)"
        case .tap(let name): "tap \(name)"
        case .post: "post"
        case .cancel: "cancel"
        }
    }

    /// Reads a line. Nil if the words are no act.
    public init?(line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard let verb = words.first else { return nil }
        self.init(verb: verb, rest: words.count > 1 ? words[1] : "")
    }

    /// Reads a verb and its words. Nil if they are no act. The words of `text` may be empty.
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

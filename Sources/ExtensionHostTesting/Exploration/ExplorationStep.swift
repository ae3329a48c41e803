// ExplorationStep: an event around an extension, and an order of such events.

/// One event that hosts, the system or chance cause to an extension. Other events follow automatically.
public enum ExplorationStep: Hashable, Sendable, CustomStringConvertible {
    /// The host answers the load of this attachment, from 1; the second request's if `ofSecond` is set.
    case answer(Int, ofSecond: Bool = false)
    /// The host makes this call, from 1, though an earlier one is due; of the second request if `ofSecond` is set.
    case call(Int, ofSecond: Bool = false)
    /// The host cancels this call.
    case cancelCall(Int, ofSecond: Bool = false)
    /// The host cancels its first request.
    case cancel
    /// Delays the extension's next message until `release`.
    case hold
    /// Releases the delayed message.
    case release
    /// The host goes into the background.
    case background
    /// The host resigns active.
    case inactive
    /// The host becomes active.
    case foreground
    /// The time limit of the open requests expires.
    case limit
    /// The time limit of completion handlers expires, and then that of those that were called again.
    case expiry
    /// Another request comes to the same extension, with the same items.
    case second
    /// The process is killed, and the request begins again.
    case kill

    public var description: String {
        switch self {
        case .answer(let number, let ofSecond): "answer \(ofSecond ? "second " : "")\(number)"
        case .call(let number, let ofSecond): "call \(ofSecond ? "second " : "")\(number)"
        case .cancelCall(let number, let ofSecond): "cancel call \(ofSecond ? "second " : "")\(number)"
        case .cancel: "cancel"
        case .hold: "hold"
        case .release: "release"
        case .background: "background"
        case .inactive: "inactive"
        case .foreground: "foreground"
        case .limit: "limit"
        case .expiry: "expiry"
        case .second: "second"
        case .kill: "kill"
        }
    }

    /// Reads the description; nil if it is invalid.
    public init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ")
        switch words.first {
        case "cancel" where words.count == 1: self = .cancel
        case "hold" where words.count == 1: self = .hold
        case "release" where words.count == 1: self = .release
        case "background" where words.count == 1: self = .background
        case "inactive" where words.count == 1: self = .inactive
        case "foreground" where words.count == 1: self = .foreground
        case "limit" where words.count == 1: self = .limit
        case "expiry" where words.count == 1: self = .expiry
        case "second" where words.count == 1: self = .second
        case "kill" where words.count == 1: self = .kill
        case "cancel" where words.dropFirst().first == "call":
            guard let (number, ofSecond) = Self.number(words.dropFirst()) else { return nil }
            self = .cancelCall(number, ofSecond: ofSecond)
        case "call":
            guard let (number, ofSecond) = Self.number(words[...]) else { return nil }
            self = .call(number, ofSecond: ofSecond)
        case "answer":
            guard let (number, ofSecond) = Self.number(words[...]) else { return nil }
            self = .answer(number, ofSecond: ofSecond)
        default: return nil
        }
    }

    /// Reads the words after a verb: a number, or `second` and a number.
    private static func number(_ words: ArraySlice<some StringProtocol>) -> (Int, ofSecond: Bool)? {
        guard let number = words.last.flatMap({ Int($0) }), number > 0,
            words.count == 2 || words.count == 3 && words[words.startIndex + 1] == "second"
        else { return nil }
        return (number, words.count == 3)
    }

    /// Whether the step follows by itself if nothing interferes.
    var isAutomatic: Bool {
        switch self {
        case .answer, .release, .call: true
        default: false
        }
    }
}

/// A list of steps in their order.
///
/// The request begins before them; after them all open loads are answered, oldest first.
public struct Schedule: Hashable, Sendable, CustomStringConvertible {
    /// The steps, in the order in which they are taken.
    public var steps: [ExplorationStep]

    /// Takes these steps, in this order.
    public init(_ steps: [ExplorationStep] = []) { self.steps = steps }

    /// Reads the description: steps separated by commas.
    public init?(_ text: String) {
        steps = []
        for part in text.split(separator: ",") where part != "begin" {
            guard let step = ExplorationStep(part) else { return nil }
            steps.append(step)
        }
    }

    public var description: String { (["begin"] + steps.map(\.description)).joined(separator: ", ") }
}

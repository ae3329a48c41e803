// ExplorationStep: what may happen around an extension, and an order of such steps.

/// One thing that hosts, the system or luck do to an extension. What has no step of its own follows by itself.
public enum ExplorationStep: Hashable, Sendable, CustomStringConvertible {
    /// The host answers the load of this attachment, from 1; the second request's where `ofSecond` is set.
    case answer(Int, ofSecond: Bool = false)
    /// The host gives its first request up.
    case cancel
    /// What the extension says to the next thing that it is given is on its way, and has not come.
    case hold
    /// It comes.
    case release
    /// The host goes into the background.
    case background
    /// The host resigns to be active.
    case inactive
    /// The host becomes active.
    case foreground
    /// The time of the requests that are open runs out.
    case limit
    /// The time runs out that completion handlers have, and then that of those that were told so.
    case expiry
    /// Another request comes to the same extension, with the same items.
    case second
    /// The process is killed, and the request begun again.
    case kill

    public var description: String {
        switch self {
        case .answer(let number, let ofSecond): "answer \(ofSecond ? "second " : "")\(number)"
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

    /// From its description; nil for what is none.
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
        case "answer":
            guard let number = words.last.flatMap({ Int($0) }), number > 0,
                words.count == 2 || words.count == 3 && words[1] == "second"
            else { return nil }
            self = .answer(number, ofSecond: words.count == 3)
        default: return nil
        }
    }
}

/// Steps in their order. Before them the request is begun; after them whatever is open is answered, oldest first.
public struct Schedule: Hashable, Sendable, CustomStringConvertible {
    /// The steps, in the order in which they are taken.
    public var steps: [ExplorationStep]

    /// Takes these steps, in this order.
    public init(_ steps: [ExplorationStep] = []) { self.steps = steps }

    /// From its description: steps between commas.
    public init?(_ text: String) {
        steps = []
        for part in text.split(separator: ",") where part != "begin" {
            guard let step = ExplorationStep(part) else { return nil }
            steps.append(step)
        }
    }

    public var description: String { (["begin"] + steps.map(\.description)).joined(separator: ", ") }
}

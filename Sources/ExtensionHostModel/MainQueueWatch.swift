// MainQueueWatch: whether an extension's main queue runs, asked only of one that has served for a while; pure.

/// Asks at each tick, and at the next one expects the answer.
package struct MainQueueWatch: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        case ask
        /// Asked and not answered for a whole interval; told once until there is an answer.
        case report
        case wait
    }

    private var isAsked = false
    private var isReported = false

    package init() {}

    package mutating func tick() -> Step {
        guard isAsked else {
            isAsked = true
            return .ask
        }
        guard !isReported else { return .wait }
        isReported = true
        return .report
    }

    package mutating func answered() { (isAsked, isReported) = (false, false) }
}

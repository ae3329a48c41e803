// MainQueueWatch: the check whether an extension's main queue runs, for one that has served for a while; pure.

/// Asks at a tick, and expects the answer before the next one.
package struct MainQueueWatch: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        case ask
        /// The question was not answered for a whole interval. This step comes once until there is an answer.
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

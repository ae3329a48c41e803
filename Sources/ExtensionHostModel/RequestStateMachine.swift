// RequestStateMachine: a request from its begin to its one terminal message; pure, table-tested.

package import ExtensionProtocol

/// The life of one request: its events, and the effects that follow. The machine does no I/O and knows no time: both
/// come in as events.
///
/// The invariant that everything else depends on: a machine produces exactly one `finish` in its whole life, whatever
/// dies and in whatever order (spec 2.1).
package struct RequestStateMachine: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        case created
        /// The request has a process that is not ready yet.
        case launching
        /// The process has the request.
        case active
        /// The extension has answered; the host has not acknowledged yet, so the extension still stores the answer.
        case completing
        case cancelling
        case finished(Cause)

        package var name: String {
            switch self {
            case .created: "created"
            case .launching: "launching"
            case .active: "active"
            case .completing: "completing"
            case .cancelling: "cancelling"
            case .finished: "finished"
            }
        }

        /// Whether the host still waits for an outcome.
        package var isOpen: Bool {
            switch self {
            case .created, .launching, .active: true
            case .completing, .cancelling, .finished: false
            }
        }
    }

    package enum Event: Sendable, Hashable {
        case launched
        case refused(Cause)
        case processReady
        /// The last daemon delivered the request.
        case resumesAfterRestart
        case completedByExtension
        case cancelledByExtension
        /// The host or an operator has cancelled the request.
        case cancelled(Cause)
        case timedOut
        /// The process is gone or going, for this cause.
        case processDied(Cause)
        case hostAcknowledged
        /// The host has not acknowledged in time.
        case hostSilent
        case hostGone
    }

    package enum Effect: Sendable, Hashable {
        case deliver
        /// The process has the request from the last daemon.
        case goOn
        case armTimer
        case disarmTimer
        /// Log the end and tell the host: the one terminal message.
        case finish(Cause)
        /// Tell the extension that the request is over without its answer.
        case withdraw(Cause)
        /// The host has the answer and takes the view down (spec 1.2 step 3).
        case dismiss
        /// Tell the extension that its answer has arrived.
        case acknowledgeExtension
        /// Remove the request: nothing more can happen.
        case close
    }

    package private(set) var state = State.created
    private let hasInterface: Bool

    /// - Parameter hasInterface: whether the extension shows something that the host takes down in the end.
    package init(hasInterface: Bool) { self.hasInterface = hasInterface }

    package var isOpen: Bool { state.isOpen }

    package mutating func handle(_ event: Event) -> [Effect] {
        switch (state, event) {
        case (.created, .launched):
            state = .launching
            return []
        case (.created, .refused(let cause)):
            return end(cause, telling: false)
        case (.created, .processReady), (.launching, .processReady):
            state = .active
            return [.deliver, .armTimer]
        case (.launching, .resumesAfterRestart):
            state = .active
            return [.goOn, .armTimer]

        case (.active, .completedByExtension):
            state = .completing
            return [.disarmTimer, .finish(.completed)]
        case (.active, .cancelledByExtension):
            state = .cancelling
            return [.disarmTimer, .finish(.cancelledByExtension)]

        case (.created, .cancelled(let cause)), (.launching, .cancelled(let cause)):
            return end(cause, telling: false)
        case (.active, .cancelled(let cause)):
            return end(cause, telling: true)
        case (.active, .timedOut):
            return end(.requestTimeout, telling: true)
        case (.created, .hostGone), (.launching, .hostGone):
            return end(.cancelledByHost, telling: false)
        case (.active, .hostGone):
            return end(.cancelledByHost, telling: true)
        case (.created, .processDied(let cause)), (.launching, .processDied(let cause)),
            (.active, .processDied(let cause)):
            return end(cause, telling: false)

        // The completion handler runs when the extension is told, so after the dismissal (spec 1.2 steps 3 and 4).
        case (.completing, .hostAcknowledged), (.cancelling, .hostAcknowledged):
            return (hasInterface ? [.dismiss] : []) + settle()
        case (.completing, .hostSilent), (.completing, .hostGone), (.cancelling, .hostSilent), (.cancelling, .hostGone):
            return settle()

        default:
            return []
        }
    }

    private mutating func settle() -> [Effect] {
        state = .finished(state == .completing ? .completed : .cancelledByExtension)
        return [.acknowledgeExtension, .close]
    }

    private mutating func end(_ cause: Cause, telling extensionKnows: Bool) -> [Effect] {
        state = .finished(cause)
        return [.disarmTimer] + (extensionKnows ? [.withdraw(cause)] : []) + [.finish(cause), .close]
    }
}

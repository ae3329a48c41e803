// RequestStateMachine: a request from its begin to its one terminal message; pure, table-tested.

package import ExtensionProtocol

/// What may happen to a request, and what has to be done about it. No I/O, no time: both come in as events.
///
/// The invariant that everything else leans on: over a machine's whole life exactly one `finish` comes out of it,
/// whatever dies and in whatever order (spec 2.1).
package struct RequestStateMachine: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        case created
        /// Its process is on the way.
        case launching
        /// Its process is there, the items are not yet.
        case delivering
        case active
        /// The extension has answered; the host has not acknowledged yet, so the extension still keeps the answer.
        case completing
        case cancelling
        case finished(Cause)

        package var name: String {
            switch self {
            case .created: "created"
            case .launching: "launching"
            case .delivering: "delivering"
            case .active: "active"
            case .completing: "completing"
            case .cancelling: "cancelling"
            case .finished: "finished"
            }
        }
    }

    package enum Event: Sendable, Hashable {
        case launched
        case refused(Cause)
        case processReady
        case delivered
        /// It was delivered by another daemon.
        case goesOn
        case completedByExtension
        case cancelledByExtension
        /// By the host or an operator.
        case cancelled(Cause)
        case timedOut
        /// The process is gone or going, for this cause.
        case processDied(Cause)
        case hostAcknowledged
        /// It has not acknowledged in its time.
        case hostSilent
        case hostGone
    }

    package enum Effect: Sendable, Hashable {
        case deliver
        case armTimer
        case disarmTimer
        /// Log the end and tell the host: the one terminal message.
        case finish(Cause)
        /// Tell the extension that the request is over without its word.
        case withdraw(Cause)
        /// The host has the answer and takes the view down (spec 1.2 step 3).
        case dismiss
        /// Tell the extension that its answer has arrived.
        case acknowledgeExtension
        /// Nothing more can happen: forget the request.
        case close
    }

    package private(set) var state = State.created
    private let hasInterface: Bool

    /// - Parameter hasInterface: whether the extension shows something that the host takes down in the end.
    package init(hasInterface: Bool) { self.hasInterface = hasInterface }

    /// Whether the host still waits for an outcome.
    package var isOpen: Bool {
        switch state {
        case .created, .launching, .delivering, .active: true
        case .completing, .cancelling, .finished: false
        }
    }

    package mutating func handle(_ event: Event) -> [Effect] {
        switch (state, event) {
        case (.created, .launched):
            state = .launching
            return []
        case (.created, .refused(let cause)):
            return end(cause, telling: false)
        case (.created, .processReady), (.launching, .processReady):
            state = .delivering
            return [.deliver]
        case (.delivering, .delivered), (.launching, .goesOn):
            state = .active
            return [.armTimer]

        // An extension may complete inside beginRequest, so its answer can overtake the note that the items were sent.
        case (.active, .completedByExtension), (.delivering, .completedByExtension):
            state = .completing
            return [.disarmTimer, .finish(.completed)]
        case (.active, .cancelledByExtension), (.delivering, .cancelledByExtension):
            state = .cancelling
            return [.disarmTimer, .finish(.cancelledByExtension)]

        case (.created, .cancelled(let cause)), (.launching, .cancelled(let cause)):
            return end(cause, telling: false)
        case (.delivering, .cancelled(let cause)), (.active, .cancelled(let cause)):
            return end(cause, telling: true)
        case (.active, .timedOut):
            return end(.requestTimeout, telling: true)
        case (.created, .hostGone), (.launching, .hostGone):
            return end(.cancelledByHost, telling: false)
        case (.delivering, .hostGone), (.active, .hostGone):
            return end(.cancelledByHost, telling: true)
        case (.created, .processDied(let cause)), (.launching, .processDied(let cause)),
            (.delivering, .processDied(let cause)), (.active, .processDied(let cause)):
            return end(cause, telling: false)

        // The completion handler runs when the extension is told, so after the dismissal (spec 1.2 steps 3 and 4).
        case (.completing, .hostAcknowledged), (.cancelling, .hostAcknowledged):
            return (hasInterface ? [.dismiss] : []) + settle()
        case (.completing, .hostSilent), (.completing, .hostGone), (.cancelling, .hostSilent), (.cancelling, .hostGone):
            return settle()

        // An answer that crossed with the end: its sender may forget it.
        case (.finished, .completedByExtension), (.finished, .cancelledByExtension):
            return [.acknowledgeExtension]
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

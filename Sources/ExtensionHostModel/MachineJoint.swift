// MachineJoint: what the machines of a process and of its requests tell each other; pure, so that tests can drive both together.

package import ExtensionProtocol

extension ProcessStateMachine.Event {
    /// A request of the process has been answered and closed, for this cause.
    package static func closed(_ request: RequestIdentifier, _ cause: Cause, work: Bool) -> Self {
        cause == .requestTimeout ? .failed(request, cause) : .ended(request, work: work)
    }
}

extension RequestStateMachine {
    /// What its process is to be told when the extension has said an answer; nil for one that the request did not take.
    package func answerToProcess(_ request: RequestIdentifier) -> ProcessStateMachine.Event? {
        switch state {
        case .completing, .cancelling: .answered(request)
        case .created, .launching, .delivering, .active, .finished: nil
        }
    }
}

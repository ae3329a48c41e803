// EffectLog: the lines of the event log and the figures that come of the model's effects.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry

@HostActor
final class EffectLog: ModelObserver {
    private let inventory: Inventory
    private let log: EventLog
    private let figures: Figures

    init(_ context: DaemonContext, _ inventory: Inventory) {
        self.inventory = inventory
        (log, figures) = (context.log, context.figures)
    }

    func happened(_ event: LifecycleEvent) {}

    func willPerform(_ effect: LifecycleModel.Effect) {
        // Most effects have no line; these need no look for their object.
        switch effect {
        case .request(_, .armTimer), .request(_, .disarmTimer), .request(_, .acknowledgeExtension), .request(_, .close): break
        case .request(let request, let effect): if let request = inventory.requests[request] { note(effect, of: request) }
        case .process(_, .arm), .process(_, .disarm), .process(_, .disarmAll): break
        case .process(let number, let effect): if let process = inventory.processes[number] { note(effect, of: process) }
        case .awaitDebugger, .awaitItems, .endQuestion, .settled: break
        }
    }

    private func note(_ effect: RequestStateMachine.Effect, of request: Request) {
        switch effect {
        case .deliver:
            guard request.process?.peer != nil else { return }
            append(.requestDelivered, request)
        case .finish(let cause):
            figures.finished(cause, after: request.age)
            append(cause.event, request, cause: cause, detail: request.explanation(of: cause)?.description)
        case .dismiss: append(.requestDismissed, request)
        case .goOn, .armTimer, .disarmTimer, .withdraw, .acknowledgeExtension, .close: break
        }
    }

    private func note(_ effect: ProcessStateMachine.Effect, of process: ExtensionProcess) {
        switch effect {
        case .sendExpired(let request):
            log.append(.requestExpiring, request: request, extensionIdentifier: process.bundle.identifier, pid: process.pid)
        case .sendSignal: append(.processSignalled, process, detail: "SIGTERM")
        case .killTree: append(.processSignalled, process, cause: process.decidedCause, detail: "SIGKILL")
        case .reaped(let cause): figures.died(cause)
        case .arm, .disarm, .disarmAll, .sendTerminate, .suspend, .resume, .endRequests: break
        }
    }

    private func append(_ event: EventName, _ request: Request, cause: Cause? = nil, detail: String? = nil) {
        log.append(
            event, request: request.identifier, extensionIdentifier: request.bundle.identifier, host: request.hostName,
            pid: request.process?.pid, cause: cause, detail: detail)
    }

    private func append(_ event: EventName, _ process: ExtensionProcess, cause: Cause? = nil, detail: String) {
        log.append(event, extensionIdentifier: process.bundle.identifier, pid: process.pid, cause: cause, detail: detail)
    }
}

extension Cause {
    fileprivate var event: EventName {
        switch outcome {
        case .completed: .requestCompleted
        case .cancelled: .requestCancelled
        case .interrupted: .requestInterrupted
        case .timedOut: .requestTimedOut
        case .refused: .requestRefused
        }
    }
}

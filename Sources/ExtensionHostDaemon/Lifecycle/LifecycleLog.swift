// LifecycleLog: the log lines and metrics of the model's effects and of other events.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

@HostActor
final class LifecycleLog: EffectObserver, EventObserver {
    private let inventory: Inventory
    private let log: EventLog
    private let metrics: Metrics

    init(_ context: DaemonContext, _ inventory: Inventory) {
        self.inventory = inventory
        (log, metrics) = (context.log, context.metrics)
    }

    func happened(_ event: LifecycleEvent) {
        switch event {
        case .hostConnected(let name):
            guard let host = inventory.hosts[name] else { return }
            host.sequence = log.append(.hostConnected, host: name, pid: Int(host.credentials.pid)).sequence
        case .hostDisconnected(let name, let pid, let detail):
            log.append(.hostDisconnected, host: name, pid: pid, detail: detail)
        case .connectionLost(let host, let pid): log.append(.connectionLost, host: host, pid: pid)
        case .connectionResumed(let host, let pid): log.append(.connectionResumed, host: host, pid: pid)
        case .request(let identifier, let event):
            if let request = inventory.requests[identifier] { note(event, of: request) }
        case .process(let number, let event): if let process = inventory.processes[number] { note(event, of: process) }
        case .spawning: break
        case .launchFailed(let identifier, let request, let user, let detail):
            metrics.couldNotLaunch()
            log.append(
                .processExited, request: request, extensionIdentifier: identifier, cause: .launchFailed, detail: detail,
                of: user)
        case .serviceOpened(let event): append(.serviceOpened, event)
        case .serviceClosed(let event): append(.serviceClosed, event)
        }
    }

    private func append(_ name: EventName, _ event: ServiceEvent) {
        log.append(
            name, extensionIdentifier: event.extensionIdentifier, host: event.host, pid: event.pid,
            detail: event.detail, of: event.user)
    }

    private func note(_ event: RequestEvent, of request: Request) {
        switch event {
        case .created(let detail): append(.requestCreated, request, detail: detail)
        case .held: append(.requestHeld, request, detail: "until a debugger is attached")
        case .delivered(let isWarm): metrics.delivered(after: request.age, isWarm: isWarm)
        case .acknowledged(let duration): metrics.acknowledged(after: duration)
        case .loadStarted(let detail): append(.itemLoadStarted, request, detail: detail)
        case .loadFinished(let detail): append(.itemLoadFinished, request, detail: detail)
        case .callStarted(let detail): append(.callStarted, request, detail: detail)
        case .callFinished(let detail): append(.callFinished, request, detail: detail)
        case .lastCallAnswered: break
        }
    }

    private func note(_ event: ProcessEvent, of process: ExtensionProcess) {
        switch event {
        case .begun:
            guard process.returning == nil else { return }
            append(.processSpawned, process, detail: process.isPrewarmed ? "prewarmed" : nil)
        case .ready(let kit, let duration):
            metrics.ready(after: duration)
            // A process that is ending is not used any more.
            if !process.isEnding { append(.processReady, process, detail: kit) }
        case .serves(_, let isWarm): metrics.served(isWarm: isWarm)
        case .printed(let detail): append(.processOutput, process, detail: detail)
        case .contextFault(let request, let detail): append(.contextFault, process, request, detail: detail)
        case .refused(let request, let detail):
            metrics.refusedAccess()
            append(.accessRefused, process, request, detail: detail)
        case .unresponsive(let detail): append(.processUnresponsive, process, cause: .unresponsive, detail: detail)
        case .limited(_, let cause, let request, let detail):
            log.append(
                .limitReached, request: request, extensionIdentifier: process.bundle.identifier,
                host: request.flatMap { process.requests[$0]?.hostName }, pid: process.pid, cause: cause, detail: detail
            )
        case .suspended: append(.processSuspended, process)
        case .resumed: append(.processResumed, process)
        case .connectionLost: append(.connectionLost, process)
        case .connectionResumed: append(.connectionResumed, process)
        case .adopted: append(.processAdopted, process)
        case .openedApp(let request, let detail): append(.appOpened, process, request, detail: detail)
        case .refusedURL(let request, let detail): append(.urlRefused, process, request, detail: detail)
        case .exited(let cause, let detail): append(.processExited, process, cause: cause, detail: detail)
        case .started, .taken, .answerSent, .asked, .answered, .gone: break
        }
    }

    func willPerform(_ effect: LifecycleModel.Effect) {
        // Most effects have no line, so their objects are not looked up.
        switch effect {
        case .host(let name, let edge):
            let event = log.append(
                .hostStateChanged, host: name, from: edge.from.rawValue, to: edge.to.rawValue,
                detail: edge.notification.rawValue)
            inventory.hosts[name]?.sequence = event.sequence
        case .request(_, .armTimer), .request(_, .disarmTimer), .request(_, .acknowledgeExtension), .request(_, .close):
            break
        case .request(let request, let effect):
            if let request = inventory.requests[request] { note(effect, of: request) }
        case .process(_, .arm), .process(_, .disarm), .process(_, .disarmAll): break
        case .process(let number, let effect):
            if let process = inventory.processes[number] { note(effect, of: process) }
        case .launch(.breakerOpened(let name, let failures, let pause, let cause)):
            let detail = "\(failures) failures in a row, next try in \(Double(pause) / 1e9) s"
            log.append(
                .breakerOpened, extensionIdentifier: name.identifier, cause: cause, detail: detail, of: name.user)
        case .launch(.breakerClosed(let name, let isReset)):
            log.append(
                .breakerClosed, extensionIdentifier: name.identifier, detail: isReset ? "reset" : nil, of: name.user)
        case .launch, .assigned, .awaitDebugger, .awaitItems, .endQuestion, .settled: break
        }
    }

    private func note(_ effect: RequestStateMachine.Effect, of request: Request) {
        switch effect {
        case .deliver:
            guard request.process?.peer != nil else { return }
            append(.requestDelivered, request)
        case .finish(let cause):
            metrics.finished(cause, after: request.age)
            append(cause.event, request, cause: cause, detail: request.explanation(of: cause)?.description)
        case .dismiss: append(.requestDismissed, request)
        case .goOn, .armTimer, .disarmTimer, .withdraw, .acknowledgeExtension, .close: break
        }
    }

    private func note(_ effect: ProcessStateMachine.Effect, of process: ExtensionProcess) {
        switch effect {
        case .sendExpired(let request):
            append(.requestExpiring, process, request)
        case .sendSignal: append(.processSignalled, process, detail: "SIGTERM")
        case .killTree: append(.processSignalled, process, cause: process.decidedCause, detail: "SIGKILL")
        case .reaped(let cause): metrics.died(cause)
        case .arm, .disarm, .disarmAll, .sendTerminate, .suspend, .resume, .endRequests: break
        }
    }

    private func append(_ event: EventName, _ request: Request, cause: Cause? = nil, detail: String? = nil) {
        log.append(
            event, request: request.identifier, extensionIdentifier: request.bundle.identifier, host: request.hostName,
            pid: request.process?.pid, cause: cause, detail: detail)
    }

    private func append(
        _ event: EventName, _ process: ExtensionProcess, _ request: RequestIdentifier? = nil, cause: Cause? = nil,
        detail: String? = nil
    ) {
        log.append(
            event, request: request, extensionIdentifier: process.bundle.identifier, pid: process.pid, cause: cause,
            detail: detail)
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

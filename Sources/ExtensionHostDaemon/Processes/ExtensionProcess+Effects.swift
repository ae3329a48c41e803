// ExtensionProcess+Effects: what the state machine of a process has done.

import EventLog
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import Glibc

extension ExtensionProcess {
    func perform(_ effect: ProcessStateMachine.Effect) {
        switch effect {
        case .sendSignal, .killTree, .endRequests, .reaped: noteSpawn()
        default: break
        }
        switch effect {
        case .arm(let timer): deadlines.arm(timer)
        case .disarm(let timer): deadlines.disarm(timer)
        case .disarmAll: deadlines.disarmAll()
        case .sendTerminate(let cause):
            end.daemonActs()
            engine.faults?.reached(.terminating, self)
            peer?.send(Terminate(cause: cause))
        case .sendExpired(let request):
            engine.log.append(.requestExpiring, request: request, extensionIdentifier: bundle.identifier, pid: pid)
            engine.faults?.reached(.expired, self)
            peer?.send(Expired(request: request))
        case .sendSignal(let signal):
            engine.log.append(.processSignalled, extensionIdentifier: bundle.identifier, pid: pid, detail: "SIGTERM")
            engine.turns?.stir(self)
            child.signal(signal)
        case .killTree:
            end.daemonActs()
            engine.log.append(
                .processSignalled, extensionIdentifier: bundle.identifier, pid: pid, cause: decidedCause, detail: "SIGKILL")
            signalTree(SIGKILL)
        case .endRequests(let cause):
            end.found(OpenWork(requests: identifiers, loads: engine.questions.openLoads(of: Set(identifiers))))
            afterRefusals { [weak self] in
                guard let self else { return }
                for request in requestsInOrder { request.processDied(cause, explanation(of: cause, outlastsDaemon: true)) }
            }
        case .suspend:
            pauseTimers()
            suspension.begin()
        case .resume:
            suspension.end()
            if engine.faults != nil { heed() }
            resumeTimers()
        case .reaped(let cause): finish(cause)
        }
    }

    /// Of the process, its requests and their loads.
    private func pauseTimers() {
        deadlines.pause()
        mainQueue.pause()
        for request in requestsInOrder { request.pauseTimers() }
    }

    private func resumeTimers() {
        deadlines.resume()
        mainQueue.resume()
        for request in requestsInOrder { request.resumeTimers() }
    }
}

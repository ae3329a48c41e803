// ExtensionProcess+Effects: the code that performs the effects of a process.

import EventLog
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import Glibc

extension ExtensionProcess {
    /// Records the spawn of the process before the log has a line about its end.
    func prepare(for effect: ProcessStateMachine.Effect) {
        switch effect {
        case .sendSignal, .killTree, .endRequests, .reaped: noteSpawn()
        default: break
        }
    }

    func perform(_ effect: ProcessStateMachine.Effect) {
        switch effect {
        case .arm(let timer): deadlines.arm(timer)
        case .disarm(let timer): deadlines.disarm(timer)
        case .disarmAll: deadlines.disarmAll()
        case .sendTerminate(let cause):
            end.daemonActs()
            peer?.send(Terminate(cause: cause))
        case .sendExpired(let request):
            peer?.send(Expired(request: request))
        case .sendSignal(let signal):
            child.signal(signal)
        case .killTree:
            end.daemonActs()
            signalTree(SIGKILL)
        case .endRequests(let cause):
            readRefusals()
            end.found(OpenWork(requests: identifiers, loads: loads(of: identifiers)))
            for request in requestsInOrder { request.explain(explanation(of: cause, outlastsDaemon: true)) }
        case .suspend:
            pauseTimers()
            suspension.begin()
        case .resume:
            suspension.end()
            endFault()
            resumeTimers()
        case .reaped(let cause): finish(cause)
        }
    }

    /// Pauses the timers of the process and of its requests.
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

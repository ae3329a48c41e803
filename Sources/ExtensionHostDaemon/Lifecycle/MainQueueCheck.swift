// MainQueueCheck: the periodic check whether the main queue of an extension runs, and its report if not.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry

/// The check of one process's main queue. It runs only while requests are open, so it never wakes an idle extension.
@HostActor
final class MainQueueCheck {
    private unowned let process: ExtensionProcess
    private var watch = MainQueueWatch()
    private var timer: PausableDeadline?

    init(of process: ExtensionProcess) { self.process = process }

    /// Starts or stops the check, because the state of the process may have changed.
    func reconsider(_ machine: ProcessStateMachine) {
        let isAtWork = machine.state == .busy && !machine.requests.isEmpty
        guard isAtWork || machine.state == .suspended else {
            (watch, timer) = (MainQueueWatch(), nil)
            return
        }
        guard timer == nil, let peer = process.peer, peer.version >= .withMainQueueCheck,
            let interval = process.timers[.unresponsive]
        else { return }
        timer = process.deadline(.unresponsive, after: interval) { [weak self] in self?.tick(interval) }
    }

    func pause() { timer?.pause() }

    func resume() { timer?.resume() }

    private func tick(_ interval: Duration) {
        timer = nil
        switch watch.tick() {
        case .ask:
            process.peer?.request(CheckMainQueue()) { [weak self] answer in
                if case .success = answer { self?.watch.answered() }
            }
        case .report:
            let why = ExtensionHostError(
                .timedOut, "its main queue was blocked for \(interval)",
                remedy: "Return from beginRequest quickly, and do long work on another queue")
            process.tell(.unresponsive(detail: why.message))
            if process.context.settings.doesEndUnresponsive {
                return process.kill(.unresponsive, by: "daemon", why: why)
            }
        case .wait: break
        }
        reconsider(process.machine)
    }
}

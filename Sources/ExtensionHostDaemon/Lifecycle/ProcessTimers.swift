// ProcessTimers: the time limits on one process, as its machine arms them.

import EventLoop
import ExtensionHostModel
import ExtensionPoints
import ExtensionRegistry

/// The time limits on one process. They are paused while the process is suspended, and while a debugger is attached to
/// it.
@HostActor
final class ProcessTimers {
    private unowned let process: ExtensionProcess
    private var deadlines: [ProcessStateMachine.Timer: PausableDeadline] = [:]

    init(of process: ExtensionProcess) { self.process = process }

    /// Starts a timer, or restarts it if it runs already. Does nothing where the setting is off.
    ///
    /// - Parameter left: how many more times the timer waits for a process that is exiting.
    func arm(_ timer: ProcessStateMachine.Timer, left: Int = 30) {
        var limit = process.timers[timer.setting]
        if process.context.isStopping, let most = timer.limitAtStop(ofApp: process.bundle.isApp) {
            limit = min(limit ?? most, most)
        }
        guard let limit else { return }
        deadlines[timer] = process.deadline(timer.setting, after: limit) { [weak self] in
            guard let self else { return }
            deadlines[timer] = nil
            // The connection closed because the process exits: its end, which says more, is only late.
            if timer == .closed, left > 0, process.hasEnded || ProcessStatus.isExiting(process.pid) {
                return arm(timer, left: left - 1)
            }
            process.handle(.timer(timer))
        }
    }

    func disarm(_ timer: ProcessStateMachine.Timer) { deadlines[timer] = nil }

    func disarmAll() { deadlines = [:] }

    /// Restarts the running timers that are set to more than the limit for the stop of the daemon.
    func boundByStop() {
        for timer in [ProcessStateMachine.Timer.terminate, .kill] where deadlines[timer] != nil {
            guard let most = timer.limitAtStop(ofApp: process.bundle.isApp),
                process.timers[timer.setting] ?? most > most
            else {
                continue
            }
            arm(timer)
        }
    }

    func pause() { for deadline in deadlines.values { deadline.pause() } }

    func resume() { for deadline in deadlines.values { deadline.resume() } }
}

extension ProcessStateMachine.Timer {
    /// The most time that the timer may take while the daemon stops, whatever is set; nil if the daemon does not wait
    /// for it.
    fileprivate func limitAtStop(ofApp isApp: Bool) -> Duration? {
        switch self {
        case .terminate: .seconds(1)
        case .kill: .seconds(isApp ? 5 : 1)
        default: nil
        }
    }

    /// The setting that holds the length of the timer.
    fileprivate var setting: Timers.Name {
        switch self {
        case .launch: .launch
        case .firstRequest: .firstRequest
        case .prewarmed: .prewarmed
        case .idle: .idle
        case .suspend: .suspend
        case .postComplete: .postComplete
        case .expire, .terminate: .expire
        case .kill, .closed: .term
        }
    }
}

// ProcessTimers: the time limits on what one process does, as its machine arms them.

import EventLoop
import ExtensionHostModel
import ExtensionPoints
import ExtensionRegistry

/// They stand still while the process is suspended, and while a debugger is attached to it.
@HostActor
final class ProcessTimers {
    /// Which they are part of.
    private unowned let process: ExtensionProcess
    private var deadlines: [ProcessStateMachine.Timer: PausableDeadline] = [:]

    init(of process: ExtensionProcess) { self.process = process }

    /// Begins anew where it runs already; nothing where the setting is off.
    ///
    /// - Parameter left: how often more one that is on its way out is waited for.
    func arm(_ timer: ProcessStateMachine.Timer, left: Int = 30) {
        let setting = process.timers[timer.setting]
        let most = process.context.isStopping ? timer.limitAtStop(ofApp: process.bundle.isApp) : nil
        guard let limit = [setting, most].compactMap({ $0 }).min() else { return }
        deadlines[timer] = process.deadline(timer.setting, after: limit) { [weak self] in
            guard let self else { return }
            deadlines[timer] = nil
            // Its connection went with it: its end, which says more, is only late.
            if timer == .closed, left > 0, process.hasEnded || ProcessStatus.isExiting(process.pid) {
                return arm(timer, left: left - 1)
            }
            process.handle(.timer(timer))
        }
    }

    func disarm(_ timer: ProcessStateMachine.Timer) { deadlines[timer] = nil }

    func disarmAll() { deadlines = [:] }

    /// The daemon stops: what runs already and is set to more than it may take now begins anew with that.
    func boundByStop() {
        for timer in [ProcessStateMachine.Timer.terminate, .kill] where deadlines[timer] != nil {
            guard let most = timer.limitAtStop(ofApp: process.bundle.isApp), process.timers[timer.setting] ?? most > most else {
                continue
            }
            arm(timer)
        }
    }

    func pause() { for deadline in deadlines.values { deadline.pause() } }

    func resume() { for deadline in deadlines.values { deadline.resume() } }
}

extension ProcessStateMachine.Timer {
    /// What it may take at the most while the daemon stops, whatever is set; nil of those that do not keep the daemon.
    fileprivate func limitAtStop(ofApp isApp: Bool) -> Duration? {
        switch self {
        case .terminate: .seconds(1)
        case .kill: .seconds(isApp ? 5 : 1)
        default: nil
        }
    }

    /// Which setting says how long it is.
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

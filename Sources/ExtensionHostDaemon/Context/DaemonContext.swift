// DaemonContext: the options, clocks, log and metrics that every part of the daemon may use.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionPoints
import ExtensionProtocol
import Glibc
import LinuxSystem
import Logging

/// The environment of all parts. The context knows none of the parts, so a part that has it depends only on the members
/// here.
@HostActor
final class DaemonContext {
    let options: DaemonOptions
    /// The settings in force, each with its source.
    var configuration: DaemonConfiguration
    var settings: DaemonSettings { configuration.settings }
    var logger: Logger { options.logger }
    let clock: any HostClock
    /// The clock for limits on peers, which are independent of the model's time.
    let realClock: RealClock
    /// The scheduler of a virtual clock; nil where the clock is real and everything happens on arrival.
    let scheduler: DeterministicScheduler?
    let log: EventLog
    let buffer = ReceiveBuffer()
    let output: OutputLog
    let recorder: Recorder
    let metrics = Metrics()
    let shares = UserShares()
    let driver = ModelDriver()
    /// Ends that hosts of the last daemon have not received, and those hosts.
    let absentHosts = AbsentHosts()
    let sideWork = SideWork()
    /// Questions to file systems that an extension chose. A file system that does not answer delays only these.
    let fileWork = SideWork()
    /// The user of the daemon.
    let owner = geteuid()
    /// The user for whom the probes run; nil: the daemon's own user.
    let probeIdentity: UserIdentity?
    /// The time when the daemon was made, in microseconds since 1970.
    let started: Int
    /// Whether the daemon has been ordered to stop.
    var isStopping = false
    /// Whether hosts acknowledge final answers, too.
    ///
    /// The point `answered` of a fault lies between an answer and its acknowledgement.
    var awaitsAcknowledgements = false
    /// Closures to call when the numbers of requests, hosts or processes may have changed.
    var onActivityChange: [@HostActor () -> Void] = []

    init(options: DaemonOptions) throws(LoopError) {
        self.options = options
        configuration = options.configuration
        realClock = try RealClock()
        switch options.clock {
        case .real: (clock, scheduler) = (realClock, nil)
        case .virtual:
            (clock, scheduler) = (VirtualClock(), try DeterministicScheduler(clock: realClock, logger: options.logger))
        }
        log = EventLog(clock: clock)
        probeIdentity = options.isSystem ? .nobody : nil
        output = OutputLog(clock: clock)
        recorder = Recorder(log: log, clock: realClock)
        started = Int(clock.wallClockNow / 1000)
    }

    /// The time limit of a call to a service, or by one, that has none of its own; nil means none.
    var callLimitOfServices: Duration? { Timers().overridden(by: settings.timers)[.call] }

    /// Runs an order from outside: at once, or in its turn under a virtual clock.
    func order(_ body: @escaping @HostActor () -> Void) {
        if let scheduler { scheduler.order(body) } else { body() }
    }

    /// Returns the time since an instant of another daemon, and that instant on this daemon's clock.
    ///
    /// - Parameter began: in microseconds since 1970.
    func past(since began: Int) -> (duration: Duration, instant: UInt64) {
        let passed = UInt64(max(0, Int(clock.wallClockNow / 1000) - began)) * 1000
        let now = clock.now
        return (.nanoseconds(Int64(clamping: passed)), now - min(now, passed))
    }

    func activityChanged() { for body in onActivityChange { body() } }

    /// The path at which the daemon listens; nil if it is unknown.
    var socketPath: String? {
        switch options.listening {
        case .path(let path): path
        case .inherited(let descriptor): try? Socket.path(of: descriptor.raw)
        }
    }
}

// DaemonContext: what every part of the daemon may use: its options, its clocks, its log, its figures.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem
import Logging

/// The surroundings of all parts. The context knows none of the parts, so a part that has it depends on nothing but what stands here.
@HostActor
final class DaemonContext {
    let options: DaemonOptions
    /// The settings in force, each with its source.
    var configuration: DaemonConfiguration
    var settings: DaemonSettings { configuration.settings }
    var logger: Logger { options.logger }
    let clock: any HostClock
    /// For bounds on peers that have nothing to do with the model's time.
    let realClock: RealClock
    /// Nil where the clock is real: there everything happens as it comes.
    let scheduler: DeterministicScheduler?
    let log: EventLog
    let buffer = ReceiveBuffer()
    let output: OutputLog
    let recorder: Recorder
    let metrics = Metrics()
    let shares = UserShares()
    let driver = ModelDriver()
    /// Ends that hosts of the daemon before have not heard of, and those hosts.
    let absentHosts = AbsentHosts()
    let sideWork = SideWork()
    /// Questions of file systems that an extension chose: one that does not answer keeps these waiting, and nothing else.
    let fileWork = SideWork()
    /// The user of the daemon.
    let owner = geteuid()
    /// The user for whom the probes act; nil: the daemon's own.
    let probeIdentity: UserIdentity?
    /// When the daemon was made, in microseconds since 1970.
    let started: Int
    /// Set once the daemon has been told to stop.
    var isStopping = false
    /// Called when the numbers of requests, hosts or processes may have changed.
    var onActivityChange: [@HostActor () -> Void] = []

    init(options: DaemonOptions) throws(LoopError) {
        self.options = options
        configuration = options.configuration
        realClock = try RealClock()
        switch options.clock {
        case .real: (clock, scheduler) = (realClock, nil)
        case .virtual: (clock, scheduler) = (VirtualClock(), try DeterministicScheduler(clock: realClock, logger: options.logger))
        }
        log = EventLog(clock: clock)
        probeIdentity = options.isSystem ? .nobody : nil
        output = OutputLog(clock: clock)
        recorder = Recorder(log: log, clock: realClock)
        started = Int(clock.wallClockNow / 1000)
    }

    /// Runs what somebody outside wants: at once, or under a virtual clock in its turn.
    func order(_ body: @escaping @HostActor () -> Void) {
        if let scheduler { scheduler.order(body) } else { body() }
    }

    /// The time since an instant of another daemon's, and that instant on this one's clock.
    ///
    /// - Parameter began: in microseconds since 1970.
    func past(since began: Int) -> (duration: Duration, instant: UInt64) {
        let passed = UInt64(max(0, Int(clock.wallClockNow / 1000) - began)) * 1000
        let now = clock.now
        return (.nanoseconds(Int64(clamping: passed)), now - min(now, passed))
    }

    func activityChanged() { for body in onActivityChange { body() } }

    /// The path at which the daemon listens; nil if it cannot be told.
    var socketPath: String? {
        switch options.listening {
        case .path(let path): path
        case .inherited(let descriptor): try? Socket.path(of: descriptor.raw)
        }
    }
}

// LimitWatch: the limits of one running extension, their enforcement, and the reports when one is reached.

import EventLoop
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// A process with limits.
@HostActor
protocol LimitedProcess: AnyObject {
    var isOver: Bool { get }
    var isEnding: Bool { get }
    var openWork: OpenWork { get }
    /// Handles a reached limit, once for each limit, before the end that may follow.
    func reached(_ report: LimitReport)
    func kill(_ cause: Cause, by decider: String, why: ExtensionHostError?)
}

/// The limits of one process. It is made before the launch, because the launch sets some of them, and is used until the
/// process has ended.
@HostActor
final class LimitWatch {
    let limits: ResourceLimits

    /// The limits that a setting has set; the others are backstops.
    private let set: ResourceLimits
    private let group: LimitGroup?
    private let isEnclosed: Bool
    private let limiter: Limiter
    private let number: Int
    private weak var process: (any LimitedProcess)?
    private var noticeSource: IOSource?
    private var isPolled = false
    private var output: OutputAllowance?
    /// The limits that have been reported: each is reported once.
    private var told: Set<ResourceLimits.Name> = []
    /// The limit that ended the process.
    private(set) var fatal: LimitRecord?
    private var peakMemory: Int?

    /// Makes the watch of a process.
    ///
    /// - Parameter told: the limits that another daemon has reported for the process.
    init(
        _ limits: ResourceLimits, set: ResourceLimits, group: LimitGroup?, isEnclosed: Bool, number: Int,
        limiter: Limiter,
        told: Set<ResourceLimits.Name> = []
    ) {
        self.told = told
        self.limits = limits
        self.set = set
        self.group = group
        self.isEnclosed = isEnclosed
        self.number = number
        self.limiter = limiter
    }

    /// The records of the groups for the next daemon.
    var groups: [HandedGroup] { group?.handed ?? [] }

    /// Checks whether an adopted process has reached a limit while no daemon ran.
    func lookBack() { noticed() }

    // MARK: Life

    /// Begins to watch the limits of a process.
    ///
    /// - Parameter root: the pid of the spawned process: of the program, or of the init or guardian around it.
    func begin(_ process: any LimitedProcess, root: Int32) throws {
        self.process = process
        if let group, let notice = group.notice {
            group.letThemWait()
            let events = group.isNoticeUrgent ? IOEvents.urgent : .readable
            noticeSource = try EventLoop.shared.watch(descriptor: notice.raw, for: events) { [weak self] _ in
                self?.noticed()
            }
        }
        var target = LimitPoller.Target(
            root: root, isEnclosed: isEnclosed, memory: nil, processor: limits[.cpu], tasks: nil,
            descriptors: set[.descriptors])
        if group?.limitsMemory != true { target.memory = limits[.memory] }
        if let limit = limits[.tasks] {
            if let file = group?.refusals { target.refusals = (file, limit) } else { target.tasks = limit }
        }
        // A limit that a setting has set is reported at once.
        target.isBackstop = set[.memory] == nil && set[.cpu] == nil && set[.tasks] == nil && set[.descriptors] == nil
        guard
            target.memory != nil || target.processor != nil || target.tasks != nil || target.descriptors != nil
                || target.refusals != nil
        else { return }
        isPolled = true
        try limiter.poller().watch(number, target) { finding in
            Task { @HostActor [weak self] in self?.found(finding) }
        }
    }

    /// Notes whether the process serves a request: an idle extension is not polled.
    func setServing(_ isServing: Bool) {
        if isPolled { limiter.startedPoller?.setServing(number, isServing) }
    }

    /// Moves the guardian out of the groups, because the program now runs in them.
    func began(root: Int32) {
        // In a namespace the kernel itself ends all processes.
        if limiter.enclosure == .cgroup { group?.release(root) }
    }

    /// Kills all processes in the groups, including those whose guardian is gone.
    func killTree() {
        if limiter.enclosure == .cgroup { group?.kill() }
    }

    /// Ends the watch of a process that has ended, and removes its groups.
    func end() {
        if isPolled {
            let seen = limiter.startedPoller?.end(number)
            if let seen { peakMemory = max(seen, peakMemory ?? 0) }
        }
        isPolled = false
        noticeSource?.cancel()
        noticeSource = nil
        if let group {
            if let seen = group.peakMemory { peakMemory = max(seen, peakMemory ?? 0) }
            group.kill()
            limiter.remove(group)
        }
    }

    // MARK: What is reached

    /// Returns the number of printed bytes that the output limit lets through.
    func take(_ count: Int, now: UInt64) -> Int {
        guard let rate = limits[.output] else { return count }
        var allowance = output ?? OutputAllowance(rate: rate, now: now)
        let taken = allowance.take(count, now: now)
        output = allowance
        if taken < count { reached(.output, used: rate + count - taken) }
        return taken
    }

    private func found(_ finding: LimitPoller.Finding) {
        switch finding.kind {
        case .memory: reached(.memory, used: finding.used)
        case .processor: reached(.cpu, used: finding.used)
        case .tasks: reached(.tasks, used: finding.used)
        case .descriptors: reached(.descriptors, used: finding.used)
        }
    }

    private func noticed() {
        guard let group else { return }
        group.acknowledge()
        if group.hasRunOut { reached(.memory, used: group.peakMemory ?? limits[.memory] ?? 0) }
    }

    /// Reports the limits that only the end of the process shows: the kernel ended it by itself, or refused a task
    /// since the last poll.
    func judge(_ ending: ProcessEnding) {
        if let limit = limits[.tasks], let file = group?.refusals, LimitGroup.refusals(in: file) > 0 {
            reached(.tasks, used: limit)
        }
        if group?.hasRunOut == true { reached(.memory, used: group?.peakMemory ?? limits[.memory] ?? 0) }
        if let limit = limits[.cpu], case .signalled(let signal, _) = ending.status,
            signal == SIGXCPU || signal == SIGKILL
        {
            let used = ending.processorMicroseconds.map { Int($0 / 1000) } ?? 0
            if signal == SIGXCPU || used >= limit { reached(.cpu, used: max(used, limit)) }
        }
    }

    private func reached(_ name: ResourceLimits.Name, used: Int) {
        guard let process, !process.isOver, let limit = limits[name], told.insert(name).inserted else { return }
        let record = LimitRecord(name: name.rawValue, limit: limit, used: used)
        let report = LimitReport(name: name, record: record, work: process.openWork, isBackstop: set[name] == nil)
        process.reached(report)
        guard let cause = report.cause, fatal == nil, !process.isEnding else { return }
        fatal = record
        if isEnclosed, limiter.enclosure != .namespace { group?.relent() }
        process.kill(cause, by: "daemon", why: report.error)
    }

    /// The limit of descriptors, if one of the processes was seen to have used all of them.
    var spentDescriptors: Int? { told.contains(.descriptors) ? set[.descriptors] : nil }

    /// Adds the limits and the peak of memory to the record of the end.
    func complete(_ exit: inout ExitRecord) {
        exit.memoryLimit = fatal?.name == ResourceLimits.Name.memory.rawValue ? limits[.memory] : set[.memory]
        exit.reached = fatal
        if let peak { exit.peakMemory = max(peak, exit.peakMemory ?? 0) }
    }

    /// The most memory that the processes held together; nil where it was not measured.
    private var peak: Int? {
        fatal?.name == ResourceLimits.Name.memory.rawValue ? max(fatal?.used ?? 0, peakMemory ?? 0) : peakMemory
    }
}

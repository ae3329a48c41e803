// LimitWatch: the limits of one running extension: who looks after each, and what is told when one is reached.

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
    /// Told of each limit once, before the end that follows of it.
    func reached(_ report: LimitReport)
    func kill(_ cause: Cause, by decider: String, why: ExtensionHostError?)
}

/// Made before the launch, as some limits are set by it; begins when the process runs, ends with it.
@HostActor
final class LimitWatch {
    let limits: ResourceLimits

    /// Those of them that somebody has set; the others are backstops.
    private let set: ResourceLimits
    private let group: LimitGroup?
    private let isEnclosed: Bool
    private let limiter: Limiter
    private let number: Int
    private weak var process: (any LimitedProcess)?
    private var noticeSource: IOSource?
    private var isPolled = false
    private var output: OutputAllowance?
    /// Limits that were told of: each once.
    private var told: Set<ResourceLimits.Name> = []
    /// That which ended the process.
    private(set) var fatal: LimitRecord?
    private var peakMemory: Int?

    /// - Parameter told: what another daemon has told of it.
    init(
        _ limits: ResourceLimits, set: ResourceLimits, group: LimitGroup?, isEnclosed: Bool, number: Int, limiter: Limiter,
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

    /// For a successor.
    var groups: [HandedGroup] { group?.handed ?? [] }

    /// It was another daemon's, and may have reached a limit when nobody looked.
    func lookBack() { noticed() }

    // MARK: Life

    /// - Parameter root: the process that was spawned: the program, or the init or guardian around it.
    func begin(_ process: any LimitedProcess, root: Int32) throws {
        self.process = process
        if let group, let notice = group.notice {
            group.letThemWait()
            let events = group.isNoticeUrgent ? IOEvents.urgent : .readable
            noticeSource = try EventLoop.shared.watch(descriptor: notice.raw, for: events) { [weak self] _ in self?.noticed() }
        }
        var target = LimitPoller.Target(
            root: root, isEnclosed: isEnclosed, memory: nil, processor: limits[.cpu], tasks: nil,
            descriptors: set[.descriptors])
        if group?.limitsMemory != true { target.memory = limits[.memory] }
        if let limit = limits[.tasks] {
            if let file = group?.refusals { target.refusals = (file, limit) } else { target.tasks = limit }
        }
        // Whoever set a limit wants to hear of it at once.
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

    /// An extension that serves nobody is not looked at.
    func setServing(_ isServing: Bool) {
        if isPolled { limiter.startedPoller?.setServing(number, isServing) }
    }

    /// The program runs, in its groups.
    func began(root: Int32) {
        // In a namespace the kernel itself ends all of it.
        if limiter.enclosure == .cgroup { group?.release(root) }
    }

    /// Whoever is in its groups. Reaches those, too, whose guardian is gone.
    func killTree() {
        if limiter.enclosure == .cgroup { group?.kill() }
    }

    /// The process is no more.
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

    /// How many of the bytes that it printed are taken.
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

    /// What an end says of limits that nobody has been told of: the kernel ended it by itself, or refused a task since the last look.
    func judge(_ ending: ProcessEnding) {
        if let limit = limits[.tasks], let file = group?.refusals, LimitGroup.refusals(in: file) > 0 {
            reached(.tasks, used: limit)
        }
        if group?.hasRunOut == true { reached(.memory, used: group?.peakMemory ?? limits[.memory] ?? 0) }
        if let limit = limits[.cpu], case .signalled(let signal, _) = ending.status, signal == SIGXCPU || signal == SIGKILL {
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

    /// The limit of descriptors, if one of its processes was seen to have used all of them.
    var spentDescriptors: Int? { told.contains(.descriptors) ? set[.descriptors] : nil }

    /// Adds to what is said of the end.
    func complete(_ exit: inout ExitRecord) {
        exit.memoryLimit = fatal?.name == ResourceLimits.Name.memory.rawValue ? limits[.memory] : set[.memory]
        exit.reached = fatal
        if let peak { exit.peakMemory = max(peak, exit.peakMemory ?? 0) }
    }

    /// The most that its processes held together, where anybody has looked.
    private var peak: Int? {
        fatal?.name == ResourceLimits.Name.memory.rawValue ? max(fatal?.used ?? 0, peakMemory ?? 0) : peakMemory
    }
}

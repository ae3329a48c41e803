// LimitPoller: a thread that polls the processes of extensions while they serve, and sleeps otherwise.

import EventLoop
import Glibc
import LinuxSystem
import Locks

/// A thread that polls each watched tree every 20 ms, or every 250 ms where it has backstops only, and reports each
/// exceeded limit once.
///
/// The methods return at once, on any thread.
final class LimitPoller: Sendable {
    /// The time between two polls, in milliseconds.
    static let interval: Int32 = 20
    /// The time between two polls for backstops, in milliseconds.
    ///
    /// A poll costs some 20 µs a process, and a launch or a short request is to cost none.
    static let backstopInterval: Int32 = 250

    /// The limits that the poller compares; nil for a limit that is enforced elsewhere.
    struct Target: Sendable {
        var root: Int32
        var isEnclosed: Bool
        var memory: Int?
        var processor: Int?
        var tasks: Int?
        var descriptors: Int?
        /// The path of the file in which the kernel counts the tasks that it refused, and the limit.
        var refusals: (file: String, limit: Int)?
        /// Whether all limits are backstops, because no setting has set any of them.
        var isBackstop = false
    }

    /// A limit that was reached: memory and processor time when more is used, tasks and descriptors when all are.
    struct Finding: Sendable, Hashable {
        enum Kind: Sendable, Hashable { case memory, processor, tasks, descriptors }
        let kind: Kind
        let used: Int
    }

    private struct Watched {
        let target: Target
        let tell: @Sendable (Finding) -> Void
        var isServing = true
        var told: Set<Finding.Kind> = []
        var peakMemory = 0
    }

    private struct State {
        var watched: [Int: Watched] = [:]
        /// The trees to poll, including those that have just become idle, which are polled once more.
        var due: Set<Int> = []
        var hasEnded = false
        /// Whether the thread waits for a wake, and for nothing else.
        var isAsleep = false
    }

    private let state = Mutex(State())
    private let wake: WakeDescriptor

    /// Starts the thread.
    ///
    /// - Throws: `SystemError` without a descriptor or a thread.
    init() throws(SystemError) {
        wake = try WakeDescriptor()
        try startThread(named: "exthost-limits") { self.run() }
    }

    /// Watches a tree from now on. `tell` is called on the poller's thread.
    func watch(_ number: Int, _ target: Target, tell: @escaping @Sendable (Finding) -> Void) {
        let isNews = state.withLock {
            $0.watched[number] = Watched(target: target, tell: tell)
            $0.due.insert(number)
            return !target.isBackstop || $0.isAsleep
        }
        if isNews { wake.signal() }
    }

    /// Notes whether a process serves a request.
    ///
    /// A process that becomes idle is polled once more, because it may have exceeded a limit since the last poll. A
    /// process with backstops only is not.
    func setServing(_ number: Int, _ isServing: Bool) {
        let isNews = state.withLock { state in
            guard let watched = state.watched[number], watched.isServing != isServing else { return false }
            state.watched[number]?.isServing = isServing
            if watched.target.isBackstop, !isServing {
                state.due.remove(number)
                return false
            }
            state.due.insert(number)
            return !watched.target.isBackstop || state.isAsleep
        }
        if isNews { wake.signal() }
    }

    /// Ends the watch.
    ///
    /// - Returns: the most memory that was seen, in bytes; nil when none was.
    @discardableResult
    func end(_ number: Int) -> Int? {
        state.withLock { state in
            state.due.remove(number)
            return state.watched.removeValue(forKey: number).flatMap { $0.peakMemory > 0 ? $0.peakMemory : nil }
        }
    }

    /// Ends the thread.
    func stop() {
        state.withLock { $0.hasEnded = true }
        wake.signal()
    }

    private func run() {
        var lastLook = ContinuousClock.now
        while true {
            let looksAtAll = ContinuousClock.now - lastLook >= .milliseconds(Int64(Self.backstopInterval))
            if looksAtAll { lastLook = .now }
            let (targets, isLast) = state.withLock { state in
                let due = state.due.compactMap { number in state.watched[number].map { (number, $0.target) } }
                let looked = due.filter { looksAtAll || !$0.1.isBackstop }
                for (number, _) in looked where state.watched[number]?.isServing != true { state.due.remove(number) }
                return (looked, state.hasEnded)
            }
            if isLast { return }
            for (number, target) in targets { look(number, target) }
            let interval = state.withLock { state -> Int32 in
                let due = state.due.compactMap { state.watched[$0]?.target.isBackstop }
                state.isAsleep = due.isEmpty
                return due.isEmpty ? -1 : due.contains(false) ? Self.interval : Self.backstopInterval
            }
            var entry = pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0)
            // A new tree is polled at once, and then with the others.
            let isWoken = poll(&entry, 1, interval) > 0
            if isWoken { wake.drain() }
            // A tree that has just begun gets a full interval first.
            if isWoken, interval < 0 { lastLook = .now }
        }
    }

    private func look(_ number: Int, _ target: Target) {
        let needsTree =
            target.memory != nil || target.processor != nil || target.tasks != nil || target.descriptors != nil
        var findings: [Finding] = []
        var memory = 0
        if needsTree {
            var usage = TreeUsage(
                root: target.root, isEnclosed: target.isEnclosed, countsDescriptors: target.descriptors != nil)
            if let limit = target.memory, usage.memory > limit { usage.countSharedOnce() }
            memory = usage.memory
            if let limit = target.memory, usage.memory > limit {
                findings.append(Finding(kind: .memory, used: usage.memory))
            }
            if let limit = target.processor, usage.processor > limit {
                findings.append(Finding(kind: .processor, used: usage.processor))
            }
            if let limit = target.tasks, usage.tasks >= limit {
                findings.append(Finding(kind: .tasks, used: usage.tasks))
            }
            if let limit = target.descriptors, usage.descriptors >= limit {
                findings.append(Finding(kind: .descriptors, used: usage.descriptors))
            }
        }
        if let refusals = target.refusals, LimitGroup.refusals(in: refusals.file) > 0 {
            findings.append(Finding(kind: .tasks, used: refusals.limit))
        }
        let (news, tell) = state.withLock { state -> ([Finding], (@Sendable (Finding) -> Void)?) in
            // The process may have ended meanwhile, and then the figures may be another process's.
            guard let watched = state.watched[number] else { return ([], nil) }
            state.watched[number]?.peakMemory = max(watched.peakMemory, memory)
            let news = findings.filter { !watched.told.contains($0.kind) }
            state.watched[number]?.told.formUnion(news.map(\.kind))
            return (news, watched.tell)
        }
        for finding in news { tell?(finding) }
    }
}

// SideWork: jobs that take too long for the loop, on threads of their own, one at a time for each peer's process.

import EventLoop
import LinuxSystem

/// Jobs whose answers are found off the loop.
///
/// The share of a process is one thread at a time, and processes with waiting jobs take turns. A process with many jobs
/// thus delays only its own. The threads yield to the loop and to extensions where processors are scarce.
@HostActor
final class SideWork {
    enum Failure: Error {
        /// The answer has no receiver any more.
        case unwanted
        case noThread(SystemError)
    }

    private struct Job {
        let isWanted: @HostActor () -> Bool
        let begin: @HostActor () throws(SystemError) -> Void
        let drop: @HostActor (Failure) -> Void
    }

    /// The number of threads at once, for all processes.
    private nonisolated static let width = 8
    /// The increment of the threads' nice value over the daemon's.
    private nonisolated static let niceness: Int32 = 10
    /// The number of waiting jobs of one process above which those without a receiver are dropped.
    private nonisolated static let crowd = 64

    /// The waiting jobs by process, the oldest first. The quotas of the processes bound the jobs that still have a
    /// receiver.
    private var waiting: [Int32: [Job]] = [:]
    /// Processes that have waiting jobs and none under way, in order of their turns.
    private var line: [Int32] = []
    private var busy: Set<Int32> = []

    /// Runs `body` on a thread, in the turn of `process`, then `finish` on the loop, once, after this call has
    /// returned.
    ///
    /// - Parameter isWanted: whether the answer still has a receiver; called before the job begins, and now and then.
    func run<Value: Sendable>(
        named name: String, of process: Int32, isWanted: @escaping @HostActor () -> Bool = { true },
        _ body: @escaping @Sendable () -> Value,
        then finish: @escaping @HostActor @Sendable (Result<Value, Failure>) -> Void
    ) {
        let begin: @HostActor () throws(SystemError) -> Void = { [weak self] () throws(SystemError) in
            try startThread(named: name, niceness: Self.niceness) {
                let value = body()
                Task { @HostActor in
                    finish(.success(value))
                    self?.ended(process)
                }
            }
        }
        let drop: @HostActor (Failure) -> Void = { failure in Task { @HostActor in finish(.failure(failure)) } }
        if waiting[process] == nil, !busy.contains(process) { line.append(process) }
        waiting[process, default: []].append(Job(isWanted: isWanted, begin: begin, drop: drop))
        if waiting[process]?.count ?? 0 > Self.crowd { thinOut(process) }
        advance()
    }

    private func thinOut(_ process: Int32) {
        let jobs = waiting[process] ?? []
        for job in jobs where !job.isWanted() { job.drop(.unwanted) }
        let wanted = jobs.filter { $0.isWanted() }
        waiting[process] = wanted.isEmpty ? nil : wanted
        if wanted.isEmpty { line.removeAll { $0 == process } }
    }

    private func advance() {
        while busy.count < Self.width, !line.isEmpty {
            let process = line.removeFirst()
            guard var jobs = waiting.removeValue(forKey: process) else { continue }
            let job = jobs.removeFirst()
            if !jobs.isEmpty { waiting[process] = jobs }
            guard job.isWanted() else {
                job.drop(.unwanted)
                if !jobs.isEmpty { line.append(process) }
                continue
            }
            busy.insert(process)
            do {
                try job.begin()
            } catch {
                job.drop(.noThread(error))
                ended(process)
            }
        }
    }

    private func ended(_ process: Int32) {
        busy.remove(process)
        if waiting[process] != nil { line.append(process) }
        advance()
    }
}

// SideWork: what takes too long for the loop, each on a thread of its own: of a peer's process one at a time.

import EventLoop
import LinuxSystem

/// Answers that are found off the loop.
///
/// A process that asks for many waits for its own: one thread at a time is its share, and those that have something to ask take
/// turns. The threads give way to the loop and to extensions where processors are scarce.
@HostActor
final class SideWork {
    enum Failure: Error {
        /// The answer is waited for by nobody any more.
        case unwanted
        case noThread(SystemError)
    }

    private struct Job {
        let isWanted: @HostActor () -> Bool
        let begin: @HostActor () throws(SystemError) -> Void
        let drop: @HostActor (Failure) -> Void
    }

    /// Threads at once, of all processes.
    private nonisolated static let width = 8
    /// By which the threads are nicer than the daemon.
    private nonisolated static let niceness: Int32 = 10
    /// Jobs of one process above which those that nobody wants any more are looked for.
    private nonisolated static let crowd = 64

    /// By process, the first first. What is wanted is bounded by the quotas of those who ask.
    private var waiting: [Int32: [Job]] = [:]
    /// Processes that have jobs waiting and none under way, in their turns.
    private var line: [Int32] = []
    private var busy: Set<Int32> = []

    /// Runs `body` on a thread, in the turn of `process`, then `finish` on the loop, once: not before this returns.
    ///
    /// - Parameter isWanted: asked before it begins, and now and then.
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

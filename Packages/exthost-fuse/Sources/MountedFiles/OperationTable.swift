// OperationTable: the operations that wait for the provider, each of which is answered once and in time.

import CFuse
import Glibc
import LinuxDescriptors
import Synchronization

/// The request of the kernel that an operation answers.
///
/// Unchecked: libfuse lets any thread answer a request, and the operation answers it once.
struct KernelRequest: @unchecked Sendable {
    let raw: fuse_req_t

    func fail(_ code: Int32) { _ = exthost_fuse_reply_err(raw, code) }
}

/// The answer of an operation.
struct Answer: Sendable {
    /// Sends the answer.
    let send: @Sendable (KernelRequest) -> Void
    /// Takes back what the answer would have given away: the operation was answered before.
    let drop: @Sendable () -> Void

    init(drop: @escaping @Sendable () -> Void = {}, send: @escaping @Sendable (KernelRequest) -> Void) {
        (self.send, self.drop) = (send, drop)
    }

    /// The answer of an operation that has no result.
    static let done = Answer { $0.fail(0) }
}

/// The operations in progress.
///
/// Each has the same time limit, so the first that began is the first whose limit passes. A thread watches the limits.
/// It depends on no task, so an operation is answered in time even if no task runs any more.
final class OperationTable: Sendable {
    private struct Operation {
        let name: String
        let request: KernelRequest?
        let body: @Sendable () async throws -> Answer
        let deadline: ContinuousClock.Instant
        var task: Task<Void, Never>?
        /// The process has a signal, which may end it.
        var isInterrupted = false
    }

    private struct State {
        var operations: [UInt64: Operation] = [:]
        var next: UInt64 = 1
        /// The identifiers of all operations in the order of their deadlines, and the first that counts.
        var order: [UInt64] = []
        var firstInOrder = 0
        /// Operations without a task yet.
        var waiting: [UInt64] = []
        var firstWaiting = 0
        /// Tasks whose operations wait for them, and tasks whose operations have been answered.
        var running: Set<UInt64> = []
        var abandoned: Set<UInt64> = []
        var isEnded = false
        /// Continues when no operation is left.
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    /// The most calls of the provider at once.
    static let mostRunning = 128
    /// The most operations that wait for a call.
    static let mostWaiting = 4_096
    /// The most calls of which nobody waits for the answer any more.
    static let mostAbandoned = 1_024
    /// The time after which the process of an interrupted operation is checked again, in milliseconds.
    private static let interruptionPoll: Int32 = 100

    private let limit: Duration
    private let log: BoundedLog
    private let state = Mutex(State())
    private let wake: WakeDescriptor

    init(limit: Duration, log: BoundedLog) throws {
        (self.limit, self.log) = (limit, log)
        wake = try WakeDescriptor()
        try startThread(named: "fuse-limits") { [self] in watchLimits() }
    }

    /// Begins an operation. Without a request it is work of our own, which is bounded like the others.
    func start(_ request: KernelRequest?, _ name: String, _ body: @escaping @Sendable () async throws -> Answer) {
        let (refusal, identifier) = state.withLock { state -> (Int32?, UInt64) in
            if state.isEnded { return (ENOTCONN, 0) }
            if state.operations.count >= Self.mostRunning + Self.mostWaiting { return (ENFILE, 0) }
            if state.abandoned.count >= Self.mostAbandoned { return (EIO, 0) }
            let identifier = state.next
            state.next += 1
            state.operations[identifier] = Operation(name: name, request: request, body: body, deadline: .now + limit)
            return (nil, identifier)
        }
        if let refusal {
            log("\(name) fails: \(refusal == EIO ? "too many calls have no answer" : "too many operations wait")")
            request?.fail(refusal)
            return
        }
        if let request {
            // No other thread knows the operation yet, so none can have answered the request.
            exthost_fuse_req_interrupt_func(
                request.raw,
                { request, data in
                    guard let request, let context = exthost_fuse_req_userdata(request) else { return }
                    // libfuse holds a lock of the request here, so another thread answers it.
                    FileSystem.of(context).operations.noteInterruption(UInt64(UInt(bitPattern: data)))
                }, UnsafeMutableRawPointer(bitPattern: UInt(identifier)))
        }
        state.withLock { state in
            if state.firstInOrder == state.order.count { wake.signal() }
            state.order.append(identifier)
            state.waiting.append(identifier)
        }
        startWaiting()
    }

    /// Starts tasks as long as there may be more.
    private func startWaiting() {
        state.withLock { state in
            while state.running.count < Self.mostRunning, state.firstWaiting < state.waiting.count {
                let identifier = state.waiting[state.firstWaiting]
                state.firstWaiting += 1
                guard let body = state.operations[identifier]?.body else { continue }
                state.running.insert(identifier)
                state.operations[identifier]?.task = Task { [self] in
                    let result: Result<Answer, OperationFailure>
                    do { result = .success(try await body()) } catch { result = .failure(OperationFailure(error)) }
                    finish(identifier, result)
                }
            }
            if state.firstWaiting > 1_024 || state.firstWaiting == state.waiting.count {
                state.waiting.removeFirst(state.firstWaiting)
                state.firstWaiting = 0
            }
        }
    }

    /// Ends a task, and answers its operation unless it has been answered.
    private func finish(_ identifier: UInt64, _ result: Result<Answer, OperationFailure>) {
        let operation = claim(identifier)
        switch (operation, result) {
        case (let operation?, .success(let answer)):
            if let request = operation.request { answer.send(request) } else { answer.drop() }
        case (let operation?, .failure(let failure)):
            if failure.isNotable { log("\(operation.name) fails: \(failure.reason)") }
            operation.request?.fail(failure.code)
        case (nil, .success(let answer)): answer.drop()
        case (nil, .failure): break
        }
        let idle = state.withLock { state in
            state.running.remove(identifier)
            state.abandoned.remove(identifier)
            return Self.takeIdle(&state)
        }
        for continuation in idle { continuation.resume() }
        startWaiting()
    }

    /// Takes an operation, which the caller answers. The first caller only gets it.
    private func claim(_ identifier: UInt64) -> Operation? {
        state.withLock { $0.operations.removeValue(forKey: identifier) }
    }

    private static func takeIdle(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        guard state.operations.isEmpty, state.running.isEmpty else { return [] }
        defer { state.idle = [] }
        return state.idle
    }

    /// Answers an operation before its task ends, and cancels the task.
    private func giveUp(_ identifier: UInt64, code: Int32, reason: String) {
        guard let operation = claim(identifier) else { return }
        if code != EINTR { log("\(operation.name) fails: \(reason)") }
        operation.request?.fail(code)
        operation.task?.cancel()
        let idle = state.withLock { state in
            // The task makes room for another, even if it never ends. It may have ended just now.
            if state.running.remove(identifier) != nil { state.abandoned.insert(identifier) }
            return Self.takeIdle(&state)
        }
        for continuation in idle { continuation.resume() }
        startWaiting()
    }

    /// Waits until no operation is left. Each has a limit, so this has one, too.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.operations.isEmpty { return true }
                state.idle.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Answers all operations, and refuses more.
    func end() {
        let left = state.withLock { state in
            state.isEnded = true
            return Array(state.operations.keys)
        }
        for identifier in left { giveUp(identifier, code: EIO, reason: "the folder is being unmounted") }
        wake.signal()
    }

    // MARK: - Limits and signals

    private func noteInterruption(_ identifier: UInt64) {
        state.withLock { $0.operations[identifier]?.isInterrupted = true }
        wake.signal()
    }

    /// The time to wait for a deadline, in milliseconds; -1 without one.
    ///
    /// A deadline that has passed is due at once: this thread may have waited for its turn since it looked.
    static func wait(
        until deadline: ContinuousClock.Instant?, at now: ContinuousClock.Instant, isPolling: Bool
    ) -> Int32 {
        let poll = isPolling ? interruptionPoll : -1
        guard let deadline else { return poll }
        let time = max(0, Int32(clamping: Int64((deadline - now) / .milliseconds(1)) + 1))
        return isPolling ? min(time, poll) : time
    }

    private func watchLimits() {
        while true {
            let now = ContinuousClock.now
            var passed: [UInt64] = []
            var interrupted: [(UInt64, KernelRequest)] = []
            let (isEnded, next) = state.withLock { state -> (Bool, ContinuousClock.Instant?) in
                var next: ContinuousClock.Instant?
                while next == nil, state.firstInOrder < state.order.count {
                    let identifier = state.order[state.firstInOrder]
                    if let deadline = state.operations[identifier]?.deadline {
                        guard deadline <= now else {
                            next = deadline
                            break
                        }
                        passed.append(identifier)
                    }
                    state.firstInOrder += 1
                }
                if state.firstInOrder > 1_024 || state.firstInOrder == state.order.count {
                    state.order.removeFirst(state.firstInOrder)
                    state.firstInOrder = 0
                }
                for (identifier, operation) in state.operations where operation.isInterrupted {
                    if let request = operation.request { interrupted.append((identifier, request)) }
                }
                return (state.isEnded && state.operations.isEmpty, next)
            }
            for identifier in passed {
                giveUp(identifier, code: ETIMEDOUT, reason: "the provider has not answered within \(limit)")
            }
            var isPolling = false
            for (identifier, _) in interrupted {
                // A request may be answered at any time, so its process is read under the lock.
                let process = state.withLock { state in
                    state.operations[identifier]?.request.map { exthost_fuse_req_pid($0.raw) }
                }
                guard let process else { continue }
                if PendingSignals.end(process) {
                    giveUp(identifier, code: EINTR, reason: "")
                } else {
                    isPolling = true
                }
            }
            if isEnded { return }
            var descriptor = pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0)
            _ = poll(&descriptor, 1, Self.wait(until: next, at: .now, isPolling: isPolling))
            if descriptor.revents != 0 { wake.drain() }
        }
    }
}

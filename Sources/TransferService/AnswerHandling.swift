// AnswerHandling: the events of attempts.

internal import ExtensionPointKit
internal import Glibc
internal import LinuxDescriptors
public import TransferMessages

extension TransferService: TransferEngineReceiver {
    /// The bytes of an upload's answer that are kept.
    private static let mostAnswer = 64 << 10

    /// Decides about an answer; see `TransferEngineReceiver`.
    public func answered(_ number: Int, _ response: TransferResponse) -> Bool {
        guard let task = tasks[number], task.isRunning else { return false }
        var value = task.value
        guard value.kind == .download else {
            if ResumeRule.transientStatus.contains(response.status), value.statusTries + 1 < policy.statusTries {
                value.statusTries += 1
                tryAgain(task, value, after: Double(response.retryAfter(now: clock.now / 1_000_000_000) ?? 0))
                return false
            }
            task.value.response = response
            return true
        }
        let state = DownloadState(
            offset: task.asked, validator: value.validator, expected: value.expected, hasOwnRange: task.hasOwnRange,
            hasStartedAnew: value.hasStartedAnew, retriesStatus: value.statusTries + 1 < policy.statusTries,
            now: clock.now / 1_000_000_000)
        switch ResumeRule.decide(response, state) {
        case .goOn(let expected):
            guard expected != value.expected || value.response == nil else {
                continued(task)
                return true
            }
            (value.expected, value.response) = (expected, value.response ?? response)
            return store(value, task) { self.continued(task) }
        case .store(let validator, let expected):
            guard let part = task.part, ftruncate(part.raw, 0) == 0 else {
                diskFailed(task, SystemError("ftruncate"))
                return false
            }
            (task.size, task.begunAt, task.reported) = (0, 0, 0)
            (value.validator, value.response, value.durable) = (validator, response, 0)
            value.expected = value.request.method == "HEAD" ? 0 : expected
            return store(value, task) {}
        case .complete:
            finishDownload(task)
            return false
        case .startAnew:
            stop(task)
            if response.status == 416 { value.hasStartedAnew = true }
            startAnew(value, task)
            return false
        case .tryAgain(let after):
            value.statusTries += ResumeRule.transientStatus.contains(response.status) ? 1 : 0
            tryAgain(task, value, after: Double(after ?? 0))
            return false
        }
    }

    /// Stores what an answer says, before its first byte is written.
    private func store(_ value: StoredTask, _ task: LiveTask, _ then: () -> Void) -> Bool {
        do throws(ExtensionHostError) {
            try save(value, task)
        } catch {
            tryAgain(task, task.value, after: Self.storeDelay)
            return false
        }
        faults.afterStep(.headCommitted)
        then()
        return true
    }

    private func continued(_ task: LiveTask) {
        task.reported = task.size
        send(
            TransferContinuation(
                session: task.session.value.identifier, task: task.value.number, offset: task.size,
                expected: task.value.expected), to: task.session)
    }

    /// Drops what was received. The next attempt begins at once.
    private func startAnew(_ changed: StoredTask, _ task: LiveTask) {
        var value = changed
        (value.validator, value.expected, value.durable, value.next) = (nil, nil, 0, 0)
        folder.cutPart(value.token, to: 0)
        task.size = 0
        saveLater(value, task)
    }

    /// Writes a piece of an answer; see `TransferEngineReceiver`.
    public func received(_ number: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let task = tasks[number], task.isRunning else { return false }
        guard let part = task.part else {
            task.answer += bytes.prefix(Self.mostAnswer - task.answer.count)
            return true
        }
        if let expected = task.value.expected, task.size + bytes.count > expected {
            // The file is longer than the server has said: nothing of it can be trusted.
            var value = task.value
            (value.validator, value.durable) = (nil, 0)
            tryAgain(task, value)
            return false
        }
        do throws(SystemError) {
            if let code = faults.writeError() { throw SystemError("pwrite", code: code) }
            try write(bytes, to: part.raw, at: task.size)
            task.size += bytes.count
            faults.afterStep(.bytesWritten)
            if task.size - task.value.durable >= policy.syncInterval {
                do throws(SystemError) { try faults.sync(part.raw, fdatasync) } catch {
                    syncFailed(task, error)
                    return false
                }
                faults.afterStep(.partSynced)
                task.value.durable = task.size
                // If the offset is not stored, a loss of power costs more bytes, and nothing else.
                try? save(task.value, task)
                faults.afterStep(.offsetCommitted)
            }
        } catch {
            diskFailed(task, error)
            return false
        }
        report(task)
        return true
    }

    /// Counts the bytes of an upload; see `TransferEngineReceiver`.
    public func sent(_ number: Int, _ total: Int) {
        guard let task = tasks[number], task.isRunning else { return }
        if total < task.sent { task.reported = 0 }
        task.sent = total
        report(task)
    }

    /// Ends an attempt; see `TransferEngineReceiver`.
    public func ended(_ number: Int, _ fault: TransferEngineFault?) {
        guard let task = tasks[number], task.isRunning else { return }
        if let fault {
            guard fault.isTransient else { return fail(task, TransferFault(fault.code, fault.message)) }
            return tryAgain(task, task.value)
        }
        guard task.value.kind == .download else {
            stop(task)
            task.pending = .answered
            return endPending(task)
        }
        if let expected = task.value.expected, expected != task.size { return tryAgain(task, task.value) }
        finishDownload(task)
    }
}

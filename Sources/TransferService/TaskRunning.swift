// TaskRunning: the attempts of tasks.

internal import ExtensionPointKit
internal import Glibc
internal import LinuxDescriptors
internal import SQLite
internal import TransferMessages

extension TransferService {
    /// The seconds until a change of the store, or of a file, is tried again.
    static let storeDelay = 60.0
    /// The bytes that an attempt must add so that the next failure counts as the first.
    private static let progressThatCounts = 64 << 10
    /// The shortest time between two messages of a task's progress, in nanoseconds.
    private static let progressInterval = 100_000_000

    /// Begins the attempts that are due, as far as the limits allow.
    func beginDue(_ now: Int) {
        struct Host: Hashable { var session: Int, name: String }
        var counts: [Host: Int] = [:]
        var running = 0
        var ofApps: [String: Int] = [:]
        let active = tasks.values.filter {
            $0.value.state == .active && $0.pending == nil && $0.session.removal == nil
        }
        func host(_ task: LiveTask) -> Host {
            Host(session: task.session.id, name: task.value.request.address?.host ?? "")
        }
        func count(_ task: LiveTask) {
            running += 1
            counts[host(task), default: 0] += 1
            ofApps[task.session.value.app, default: 0] += 1
        }
        for task in active where task.isRunning { count(task) }
        // The tasks of each app that wait, the next one last.
        var waiting: [String: [LiveTask]] = [:]
        for task in active.sorted(by: { $0.id > $1.id }) where !task.isRunning {
            task.isCrowded = task.value.due <= now
            if task.isCrowded { waiting[task.session.value.app, default: []].append(task) }
        }
        // One attempt after the other goes to the app that has the fewest.
        while running < policy.attempts,
            let app = waiting.keys.min(by: { (ofApps[$0] ?? 0, $0) < (ofApps[$1] ?? 0, $1) }),
            ofApps[app] ?? 0 < policy.attemptsOfApp
        {
            guard let task = waiting[app]?.popLast() else {
                waiting[app] = nil
                continue
            }
            let most = task.session.value.configuration.connectionsPerHost
            guard counts[host(task), default: 0] < most else { continue }
            task.isCrowded = false
            if begin(task) { count(task) }
        }
    }

    /// Begins an attempt; returns false if the task has failed or waits again.
    private func begin(_ task: LiveTask) -> Bool {
        let value = task.value
        var attempt = TransferAttempt(
            task: task.id, request: value.request, offset: 0, validator: nil, body: nil,
            idleTimeout: task.session.value.configuration.requestTimeout)
        attempt.request.headers = value.request.headers.sent(with: task.session.value.configuration.headers)
        if value.kind == .upload {
            do throws(SystemError) {
                let body = SharedDescriptor(try openForReading(folder.body(value.token)))
                (task.body, attempt.body) = (body, body.raw)
            } catch {
                if Self.passing.contains(error.code) {
                    tryAgain(task, value)
                } else {
                    fail(task, TransferFault(URLErrorCode.fileDoesNotExist, "the file to upload is gone: \(error)"))
                }
                return false
            }
            (task.sent, task.answer) = (0, [])
        } else {
            if value.fullDisks > 0 {
                let needed = value.expected.map { max(0, $0 - task.size) } ?? 1 << 20
                guard faults.freeBytes() ?? folder.freeBytes >= needed else {
                    fail(task, TransferFault(URLErrorCode.cannotWriteFile, "the disk is full"))
                    return false
                }
            }
            do throws(SystemError) {
                let part = try folder.openPart(value.token)
                task.size = try FileStatus(of: part.raw).size
                task.part = SharedDescriptor(part)
            } catch {
                diskFailed(task, error)
                return false
            }
            task.begunAt = task.size
            if let validator = value.validator, !task.hasOwnRange, task.size > 0 {
                (attempt.offset, attempt.validator) = (task.size, validator)
            }
            task.asked = attempt.offset
        }
        task.isRunning = true
        engine.begin(attempt, for: self)
        return true
    }

    /// Ends a task's attempt, if there is one.
    func stop(_ task: LiveTask) {
        if task.isRunning { engine.end(task.id) }
        task.isRunning = false
        (task.part, task.body) = (nil, nil)
    }

    /// Plans the next attempt.
    ///
    /// - Parameters:
    ///   - task: the task.
    ///   - value: its changed row.
    ///   - after: the least number of seconds until then.
    func tryAgain(_ task: LiveTask, _ value: StoredTask, after: Double = 0) {
        stop(task)
        var value = value
        if task.value.kind == .download, task.size - task.begunAt >= Self.progressThatCounts { value.attempts = 0 }
        value.attempts += 1
        let delay = policy.retryDelay * RetryRule.delay(attempt: value.attempts, task: task.id, seed: policy.seed)
        value.next = clock.now + seconds(max(delay, min(after, 31_536_000)))
        saveLater(value, task)
    }

    /// Stores a row. If that fails, the task waits in memory, and is stored at its next change.
    func saveLater(_ value: StoredTask, _ task: LiveTask) {
        do throws(ExtensionHostError) {
            try save(value, task)
        } catch {
            task.value = value
            task.value.next = max(value.next, clock.now + seconds(Self.storeDelay))
        }
    }

    /// Handles the failure of a file: a full disk gets one more try (BT-36).
    func diskFailed(_ task: LiveTask, _ error: SystemError) {
        stop(task)
        if Self.passing.contains(error.code) { return tryAgain(task, task.value) }
        guard error.code == ENOSPC || error.code == EDQUOT, task.value.fullDisks == 0 else {
            return fail(task, TransferFault(URLErrorCode.cannotWriteFile, "the file cannot be written: \(error)"))
        }
        var value = task.value
        value.fullDisks += 1
        value.next = clock.now + seconds(policy.fullDiskDelay)
        saveLater(value, task)
    }

    /// Errors that other programs cause, and that pass.
    private static let passing: Set<Int32> = [EMFILE, ENFILE, ENOMEM, EINTR]

    /// Drops what was written since the last sync: the kernel reports once that it has lost pages of a file, and their
    /// bytes read as they may.
    func syncFailed(_ task: LiveTask, _ error: SystemError) {
        folder.cutPart(task.value.token, to: task.value.durable)
        task.size = task.value.durable
        diskFailed(task, error)
    }

    // MARK: Ends

    /// Ends a task with an error.
    func fail(_ task: LiveTask, _ fault: TransferFault) {
        stop(task)
        task.pending = .fault(fault)
        endPending(task)
    }

    /// Stores the end of a task, now or once the store takes it.
    func endPending(_ task: LiveTask) {
        do throws(ExtensionHostError) {
            switch task.pending {
            case .fault(let fault): try end(task, fault: fault)
            case .answered: try end(task, response: task.value.response)
            case nil: return
            }
            task.pending = nil
        } catch {
            // The files are of no more use, and their room may be what the store lacks.
            folder.remove(task.value.token)
            task.size = 0
            task.value.next = clock.now + seconds(Self.storeDelay)
        }
    }

    /// Makes the received part the finished file.
    func finishDownload(_ task: LiveTask) {
        guard let part = task.part else { return }
        do throws(SystemError) { try faults.sync(part.raw) } catch { return syncFailed(task, error) }
        stop(task)
        faults.afterStep(.partClosed)
        var value = task.value
        (value.state, value.size, value.next, value.end) = (.ending, task.size, 0, nil)
        saveLater(value, task)
        faults.afterStep(.endCommitted)
        if task.value.next <= clock.now { moveIntoPlace(task) }
    }

    /// Moves the part of a task to its container, and ends the task.
    func moveIntoPlace(_ task: LiveTask) {
        guard let place = container(task.place) else {
            return fail(task, TransferFault(URLErrorCode.cannotMoveFile, "there is no container for the file"))
        }
        let token = task.value.token
        do throws(SystemError) {
            if folder.partSize(token) == nil, try TransferFolder.finishedSize(token, in: place) == task.value.size {
                // An earlier life has moved it. Whether it has synced the folder is not known.
                try folder.syncFinished(in: place)
            } else {
                try folder.finish(token, in: place)
            }
        } catch {
            if error.code == ENOSPC || error.code == EDQUOT || Self.passing.contains(error.code) {
                task.value.next = clock.now + seconds(Self.storeDelay)
                return
            }
            return fail(task, TransferFault(URLErrorCode.cannotMoveFile, "the file cannot be moved: \(error)"))
        }
        do throws(ExtensionHostError) {
            try end(task, response: task.value.response, hasFile: true)
        } catch {
            task.value.next = clock.now + seconds(Self.storeDelay)
        }
    }

    /// Ends a task: its event and the loss of its row are one change.
    func end(
        _ task: LiveTask, response: TransferResponse? = nil, hasFile: Bool = false, fault: TransferFault? = nil,
        keepsPart: Bool = false
    ) throws(ExtensionHostError) {
        report(task, isLast: true)
        let session = task.session
        let completion = TransferCompletion(
            session: session.value.identifier, event: 0, task: task.value.number, kind: task.value.kind,
            file: hasFile ? TransferFolder.finishedPath(task.value.token) : nil, container: task.value.container,
            body: task.answer.isEmpty ? nil : task.answer, bytes: task.bytes,
            response: response ?? task.value.response, fault: fault)
        var description = description(task)
        description.state = .finished
        let event = StoredEvent(
            completion: completion, task: description, token: hasFile ? task.value.token : nil)
        let isLast = session.underWay == (task.value.isUnderWay ? 1 : 0) && !session.reachesReceiver
        var kept = task.value
        (kept.state, kept.end) = (.kept, clock.now + seconds(policy.resumeDataLife))
        let events = try change { () throws(SQLiteError) in
            var events = [(id: try store.insert(event, of: session.id), value: event)]
            if isLast { events.append((try store.insert(StoredEvent(), of: session.id), StoredEvent())) }
            if keepsPart {
                try store.update(kept, task.id, of: session.id)
            } else {
                try store.delete(task: task.id)
            }
            return events
        }
        faults.afterStep(.eventCommitted)
        session.events += events
        session.tasks -= 1
        if keepsPart {
            task.value = kept
        } else {
            drop(task)
        }
        deliver(session)
    }

    /// Forgets a task and deletes its part and body.
    func drop(_ task: LiveTask) {
        if task.value.state == .kept {
            guard (try? change { () throws(SQLiteError) in try store.delete(task: task.id) }) != nil else {
                task.value.end = clock.now + seconds(Self.storeDelay)
                return
            }
        }
        tasks[task.id] = nil
        task.leave()
        folder.remove(task.value.token)
    }

    // MARK: Progress

    /// Sends the progress of a task, at most ten times a second; the last always.
    func report(_ task: LiveTask, isLast: Bool = false) {
        let now = clock.now
        guard task.bytes != task.reported, task.session.connection != nil,
            isLast || now >= task.reportedAt + Self.progressInterval
        else { return }
        send(
            TransferProgress(
                session: task.session.value.identifier, task: task.value.number,
                added: max(0, task.bytes - task.reported), bytes: task.bytes, expected: task.value.expected),
            to: task.session)
        (task.reported, task.reportedAt) = (task.bytes, now)
    }
}

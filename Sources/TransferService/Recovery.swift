// Recovery: the start of the service after any end of it, and the removal of sessions.

internal import ExtensionPointKit
internal import LinuxDescriptors
internal import SQLite
internal import TransferMessages

extension TransferService {
    /// Loads the store, and makes it agree with the files.
    func recover() throws {
        let contents = try store.contents()
        for (id, value) in contents.sessions { sessions[id] = LiveSession(id, value) }
        for (id, owner, value) in contents.events { sessions[owner]?.events.append((id, value)) }
        let boot = policy.boot ?? bootIdentifier()
        for (id, owner, value) in contents.tasks {
            guard let session = sessions[owner] else {
                try store.change { () throws(SQLiteError) in try store.delete(task: id) }
                continue
            }
            let task = LiveTask(id, session, value)
            tasks[id] = task
            if value.state != .kept { session.tasks += 1 }
            // Without power, the file system may have kept a size whose bytes it has not.
            if let size = folder.partSize(value.token), contents.boot != boot, value.state != .ending {
                folder.cutPart(value.token, to: min(size, value.durable))
            }
            task.size = folder.partSize(value.token) ?? value.size ?? 0
            task.reported = task.size
        }
        if contents.boot != boot {
            try store.change { () throws(SQLiteError) in try store.setBoot(boot) }
        }
        for task in tasks.values.sorted(by: { $0.id < $1.id }) { try recover(task) }
        try folder.sweep(except: Set(tasks.values.map(\.value.token)))
        sweepFinished()
        for session in sessions.values { finishEvents(session) }
        advance()
    }

    private func recover(_ task: LiveTask) throws {
        var value = task.value
        switch value.state {
        case .kept where folder.partSize(value.token) == nil: drop(task)
        case .suspended where value.kind == .upload && !value.hasBody,
            .active where value.kind == .upload && !value.hasBody:
            fail(
                task,
                TransferFault(
                    URLErrorCode.fileDoesNotExist, "the file to upload was open only in a service that has ended"))
        case .ending:
            let place = container(task.session.value.place)
            let isMoved = place.map { TransferFolder.finishedSize(value.token, in: $0) == value.size } ?? false
            guard folder.partSize(value.token) == nil, !isMoved else { return }
            // Somebody has deleted the file.
            (value.state, value.validator, value.durable, value.size) = (.active, nil, 0, nil)
            task.size = 0
            try save(value, task)
        default: break
        }
    }

    /// Deletes the finished files of whose events nobody knows.
    private func sweepFinished() {
        var tokens: [String: Set<String>] = [:]
        for session in sessions.values {
            guard let place = container(session.value.place) else { continue }
            tokens[place, default: []].formUnion(session.events.compactMap(\.value.token))
        }
        for task in tasks.values where task.value.state == .ending {
            guard let place = container(task.session.value.place) else { continue }
            tokens[place, default: []].insert(task.value.token)
        }
        for (place, tokens) in tokens { TransferFolder.sweepFinished(in: place, except: tokens) }
    }

    /// Cancels what a session has, deletes its files, and forgets it.
    func remove(_ session: LiveSession) {
        let own = tasks.values.filter { $0.session === session }
        own.forEach(stop)
        guard
            (try? change({ () throws(SQLiteError) -> Void in
                for task in own { try store.delete(task: task.id) }
                for event in session.events { try store.delete(event: event.id) }
                try store.delete(session: session.id)
            })) != nil
        else { return }
        for task in own {
            tasks[task.id] = nil
            folder.remove(task.value.token)
        }
        if let place = container(session.value.place) {
            for token in own.map(\.value.token) + session.events.compactMap(\.value.token) {
                TransferFolder.removeFinished(token, in: place)
            }
        }
        let fault = TransferFault(URLErrorCode.sessionDisconnected, "\(session.value.app) was removed")
        send(TransferSessionLost(session: session.value.identifier, fault: fault), to: session)
        sessions[session.id] = nil
    }
}

// Recovery: the start of the service after any end of it, and the removal of sessions.

internal import ExtensionPointKit
internal import LinuxDescriptors
internal import SQLite
internal import TransferMessages

extension TransferService {
    /// Loads the store, and makes it agree with the files.
    func recover() throws {
        let contents = try store.contents()
        places = contents.places
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
    }

    private func recover(_ task: LiveTask) throws {
        var value = task.value
        switch value.state {
        case .kept where folder.partSize(value.token) == nil: drop(task)
        case .ending:
            let place = container(task.place)
            // Where the size cannot be read now, the move is tried as if the file were there.
            let isMoved =
                place.map { (path: String) -> Bool in
                    do throws(SystemError) {
                        return try TransferFolder.finishedSize(value.token, in: path) == value.size
                    } catch {
                        return true
                    }
                } ?? false
            guard folder.partSize(value.token) == nil, !isMoved else { return }
            // Somebody has deleted the file, or a loss of power has taken the part's entry.
            (value.state, value.validator, value.durable, value.size) = (.active, nil, 0, nil)
            task.size = 0
            try save(value, task)
        default: break
        }
    }

    /// Deletes the finished files of whose events nobody knows.
    private func sweepFinished() {
        var tokens: [String: Set<String>] = [:]
        for place in places { if let path = container(place) { tokens[path] = [] } }
        func keep(_ place: TransferPlace, _ token: String) {
            if let path = container(place) { tokens[path, default: []].insert(token) }
        }
        for session in sessions.values {
            for event in session.events {
                if let file = event.value.file(of: session.value.app) { keep(file.place, file.token) }
            }
        }
        for task in tasks.values where task.value.state == .ending { keep(task.place, task.value.token) }
        for (place, tokens) in tokens { TransferFolder.sweepFinished(in: place, except: tokens) }
    }

    /// Cancels what a session has, forgets it, and deletes its files.
    ///
    /// One change deletes the rows. The next start deletes files that no row names, so an end in between leaves nothing.
    func remove(_ session: LiveSession) {
        let own = tasks.values.filter { $0.session === session }
        own.forEach(stop)
        let added = copies.filter { $0.message.session === session }
        copies.removeAll { $0.message.session === session }
        for pending in added {
            pending.copy.cancel()
            pending.answer(.failure(ExtensionHostError(.contextFinished, "\(session.value.app) was removed")))
        }
        // Until the store takes it, nothing of the session begins.
        session.removal = clock.now + seconds(Self.storeDelay)
        guard
            (try? change({ () throws(SQLiteError) -> Void in
                for task in own { try store.delete(task: task.id) }
                for event in session.events { try store.delete(event: event.id) }
                try store.delete(session: session.id)
            })) != nil
        else { return }
        faults.afterStep(.sessionRemoved)
        for task in own {
            tasks[task.id] = nil
            folder.remove(task.value.token)
            if let path = container(task.place) { TransferFolder.removeFinished(task.value.token, in: path) }
        }
        for event in session.events {
            if let file = event.value.file(of: session.value.app), let path = container(file.place) {
                TransferFolder.removeFinished(file.token, in: path)
            }
        }
        let fault = TransferFault(URLErrorCode.sessionDisconnected, "\(session.value.app) was removed")
        send(TransferSessionLost(session: session.value.identifier, fault: fault), to: session)
        sessions[session.id] = nil
    }
}

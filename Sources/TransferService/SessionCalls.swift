// SessionCalls: the calls of extensions and apps.

internal import ExtensionPointKit
internal import Glibc
internal import LinuxDescriptors
internal import LinuxSystem
internal import PropertyListCoding
internal import SQLite
internal import TransferMessages

extension TransferService {
    // MARK: Sessions

    func open(_ message: OpenTransferSession, _ client: TransferClient, _ opened: inout LiveSession?)
        throws(ExtensionHostError) -> OpenTransferSession.Reply
    {
        let configuration = try check(message.configuration, client)
        if let group = configuration.container {
            guard client.groups.contains(group), container(.group(group)) != nil else {
                return refusal(URLErrorCode.sessionNeedsContainer, "\(group) is no app group of \(client.identifier)")
            }
        } else if client.side == .extension {
            return refusal(
                URLErrorCode.sessionNeedsContainer,
                "a background session of an extension needs sharedContainerIdentifier")
        } else if container(.app(client.app)) == nil {
            return refusal(URLErrorCode.sessionNeedsContainer, "\(client.app) has no container")
        }
        let known = session(client.app, configuration.identifier)
        guard known?.removal == nil else {
            throw ExtensionHostError(
                .stateUnavailable, "the session is just removed with its app", remedy: "Try again in a minute")
        }
        let session = if let known { known } else { try make(configuration, client) }
        if let user = session.connection?.client, user.number != client.number {
            guard session.accepts(client.side), !session.accepts(user.side) else {
                return refusal(
                    URLErrorCode.sessionInUse, "\(user.identifier) uses the session \(configuration.identifier)")
            }
            let fault = TransferFault(URLErrorCode.sessionDisconnected, "\(client.identifier) has got the session")
            send(TransferSessionLost(session: configuration.identifier, fault: fault), to: session)
        }
        var value = session.value
        // Tasks and events keep the container that they have begun with.
        value.configuration = configuration
        if client.side == .app, !client.isInBackground { value.wakes = 0 }
        try change { () throws(SQLiteError) in try store.update(value, session.id) }
        session.value = value
        // A client that opens the session again gets all that it has not acknowledged, for another object of its own.
        session.connection = LiveSession.Connection(client: client)
        opened = session
        let ended = session.events.filter { $0.value.isReadable(by: client) }
        return OpenTransferSession.Reply(
            tasks: descriptions(of: session) + ended.compactMap(\.value.task), fault: nil)
    }

    private func refusal(_ code: Int, _ text: String) -> OpenTransferSession.Reply {
        OpenTransferSession.Reply(tasks: [], fault: TransferFault(code, text))
    }

    private func make(_ configuration: TransferConfiguration, _ client: TransferClient) throws(ExtensionHostError)
        -> LiveSession
    {
        guard sessions.values.count(where: { $0.value.app == client.app }) < policy.sessions else {
            throw ExtensionHostError(
                .quotaExceeded, "\(client.app) has \(policy.sessions) background sessions",
                remedy: "Invalidate sessions that are done, and use their identifiers again")
        }
        let value = StoredSession(app: client.app, configuration: configuration)
        let session = LiveSession(
            try change { () throws(SQLiteError) in try store.insert(value) }, value)
        sessions[session.id] = session
        return session
    }

    private func check(_ configuration: TransferConfiguration, _ client: TransferClient) throws(ExtensionHostError)
        -> TransferConfiguration
    {
        guard client.side != .tool else {
            throw ExtensionHostError(.notPermitted, "a tool uses no session", remedy: "Use transfers.show")
        }
        guard (1...256).contains(configuration.identifier.utf8.count), configuration.headers.fault == nil else {
            throw ExtensionHostError(
                .invalidArgument,
                configuration.headers.fault?.message ?? "the identifier of a session has 1 to 256 bytes")
        }
        var checked = configuration
        func bounded(_ seconds: Double, _ range: ClosedRange<Double>, _ usual: Double) -> Double {
            seconds.isFinite && seconds > 0 ? min(max(seconds, range.lowerBound), range.upperBound) : usual
        }
        checked.requestTimeout = bounded(configuration.requestTimeout, 1...86_400, 60)
        checked.resourceTimeout = bounded(configuration.resourceTimeout, 1...31_536_000, 604_800)
        checked.connectionsPerHost = min(max(configuration.connectionsPerHost, 1), policy.attempts)
        return checked
    }

    /// The tasks of a session that have not ended.
    func descriptions(of session: LiveSession) -> [TransferTask] {
        tasks.values.filter { $0.session === session && $0.value.state != .kept }
            .sorted { $0.value.number < $1.value.number }.map(description)
    }

    func description(_ task: LiveTask) -> TransferTask {
        let value = task.value
        return TransferTask(
            number: value.number, kind: value.kind, request: value.request,
            state: value.state == .suspended ? .suspended : .running, bytes: task.bytes, expected: value.expected,
            response: value.response, label: value.label)
    }

    // MARK: Tasks

    /// Adds a task, and answers when it is stored. The file of an upload is copied first.
    func add(
        _ arguments: EncodedValue, _ client: TransferClient,
        _ answer: @escaping (Result<EncodedValue, any Error>) -> Void
    ) {
        do {
            let message = try decode(AddTransferTask.self, arguments)
            let added = try check(message, client)
            if let fault = added.fault {
                return answer(Result { try PointEncoder.encode(AddTransferTask.Reply(task: nil, fault: fault)) })
            }
            guard let file = message.file else { return answer(Result { try store(added, bodySize: nil) }) }
            do throws(SystemError) {
                let copy = try BodyCopy(file.descriptor, added.token, in: folder, faults)
                copies.append(PendingUpload(client: client, message: added, copy: copy, answer: answer))
                // A small file, and a clone, is there at once.
                stepCopy(at: copies.count - 1)
            } catch {
                refuse(error, answer)
            }
        } catch {
            answer(.failure(error))
        }
    }

    /// A task that may be added.
    struct AddedTask {
        var message: AddTransferTask
        var request: TransferRequest
        var session: LiveSession
        var token = ""
        /// The task whose part is continued.
        var kept: LiveTask?
        /// The reason why it may not be added.
        var fault: TransferFault?
    }

    private func check(_ message: AddTransferTask, _ client: TransferClient) throws(ExtensionHostError) -> AddedTask {
        let session = try session(message.session, client)
        try checkRoom(session)
        try checkLabel(message.label)
        var added = AddedTask(message: message, request: message.request, session: session)
        if let bytes = message.resumeData {
            guard let data = resumeData(bytes), data.app == client.app else {
                added.fault = TransferFault(URLErrorCode.unknown, "this is no resume data of \(client.app)")
                return added
            }
            added.request = data.request
            added.kept = tasks.values.first {
                $0.value.state == .kept && $0.value.token == data.token && $0.session.value.app == client.app
            }
        }
        added.fault = fault(message, added.request, client)
        do throws(SystemError) {
            added.token = if let kept = added.kept { kept.value.token } else { try makeToken() }
        } catch {
            throw ExtensionHostError(.internalError, "the system gave no random bytes", cause: "\(error)")
        }
        return added
    }

    /// Throws `quotaExceeded` if a session or its app has no room for another task.
    private func checkRoom(_ session: LiveSession) throws(ExtensionHostError) {
        let app = session.value.app
        let copied = copies.count { $0.message.session === session }
        guard session.tasks + copied < policy.tasks else {
            throw ExtensionHostError(
                .quotaExceeded, "the session \(session.value.identifier) has \(policy.tasks) tasks that have not ended",
                remedy: "Add tasks when others have ended")
        }
        let own = sessions.values.filter { $0.value.app == app }
        let unended = own.reduce(0) { $0 + $1.tasks } + copies.count { $0.message.session.value.app == app }
        // Each task has one event at its end, so this bounds the events.
        let ended = own.reduce(0) { $0 + $1.events.count { $0.value.completion != nil } }
        guard unended + ended < policy.tasksOfApp else {
            throw ExtensionHostError(
                .quotaExceeded,
                "\(app) has \(unended) tasks that have not ended, and \(ended) ends that nobody has acknowledged",
                remedy: "Make a session with a delegate for each identifier, so that the ends are delivered")
        }
    }

    private func checkLabel(_ label: String?) throws(ExtensionHostError) {
        guard (label?.utf8.count ?? 0) <= policy.labelSize else {
            throw ExtensionHostError(
                .payloadTooLarge, "the taskDescription exceeds \(policy.labelSize) bytes",
                remedy: "Store a name, and keep the rest in the container")
        }
    }

    /// Copies the next slice of one file.
    func stepCopies() {
        guard !copies.isEmpty else { return }
        copies.append(copies.removeFirst())
        stepCopy(at: copies.count - 1)
    }

    private func stepCopy(at index: Int) {
        let pending = copies[index]
        do throws(SystemError) {
            guard try pending.copy.step(policy.copySlice) else { return }
            copies.remove(at: index)
            faults.afterStep(.bodyStored)
        } catch {
            copies.remove(at: index)
            return refuse(error, pending.answer)
        }
        pending.answer(Result { try store(pending.message, bodySize: pending.copy.size) })
    }

    private func refuse(_ error: SystemError, _ answer: (Result<EncodedValue, any Error>) -> Void) {
        let fault =
            switch error.code {
            case ENOSPC, EDQUOT:
                TransferFault(URLErrorCode.cannotWriteFile, "there is no room for a copy of the file to upload")
            case EINVAL: TransferFault(URLErrorCode.fileDoesNotExist, "the file to upload is no regular file")
            case ENODATA:
                TransferFault(URLErrorCode.fileDoesNotExist, "the file to upload became shorter while it was copied")
            default: TransferFault(URLErrorCode.fileDoesNotExist, "the file to upload cannot be copied: \(error)")
            }
        answer(Result { try PointEncoder.encode(AddTransferTask.Reply(task: nil, fault: fault)) })
    }

    /// Stores a task that was checked, and whose body is on the disk.
    private func store(_ added: AddedTask, bodySize: Int?) throws -> EncodedValue {
        let (message, session) = (added.message, added.session)
        do throws(ExtensionHostError) {
            guard sessions[session.id] === session else {
                throw ExtensionHostError(.contextFinished, "the session was removed meanwhile")
            }
            let kept = added.kept
            var value =
                kept?.value
                ?? StoredTask(number: 0, kind: message.kind, request: added.request, token: added.token)
            (value.number, value.state, value.label) = (session.value.next, .suspended, message.label)
            (value.next, value.attempts, value.wasResumed) = (0, 0, false)
            value.end = clock.now + seconds(session.value.configuration.resourceTimeout)
            value.earliest = message.earliestBegin.flatMap { nanoseconds($0) }
            value.container = session.value.configuration.container
            if message.kind == .upload { value.expected = bodySize }
            var changed = session.value
            changed.next += 1
            let place = TransferPlace(group: value.container, of: session.value.app)
            let id = try change { () throws(SQLiteError) -> Int in
                if !places.contains(place) { try store.insert(place) }
                try store.update(changed, session.id)
                guard let kept else { return try store.insert(value, of: session.id) }
                try store.update(value, kept.id, of: session.id)
                return kept.id
            }
            faults.afterStep(.taskCommitted)
            places.insert(place)
            session.value = changed
            let task = kept ?? LiveTask(id, session, value)
            task.move(to: session)
            task.value = value
            task.size = folder.partSize(value.token) ?? 0
            task.reported = task.size
            tasks[id] = task
            session.tasks += 1
            return try encoded(AddTransferTask.Reply(task: value.number, fault: nil))
        } catch {
            if added.kept == nil { folder.remove(added.token) }
            throw error
        }
    }

    private func encoded(_ reply: AddTransferTask.Reply) throws(ExtensionHostError) -> EncodedValue {
        do { return try PointEncoder.encode(reply) } catch {
            throw ExtensionHostError(.internalError, "the reply cannot be encoded", cause: "\(error)")
        }
    }

    /// The reason why a task cannot be performed.
    private func fault(_ message: AddTransferTask, _ request: TransferRequest, _ client: TransferClient)
        -> TransferFault?
    {
        if let fault = request.fault { return fault }
        guard client.mayUseNetwork else {
            output.denyNetwork(to: client, url: request.url)
            return TransferFault(
                URLErrorCode.dataNotAllowed, "\(client.identifier) lacks com.apple.security.network.client")
        }
        switch message.kind {
        case .download where message.file == nil: return nil
        case .upload where message.file != nil && message.resumeData == nil: return nil
        default: return TransferFault(URLErrorCode.unknown, "an upload has a file, and a download has none")
        }
    }

    func resumeData(_ bytes: [UInt8]) -> ResumeData? {
        guard bytes.count <= 256 << 10, let plist = try? PropertyList(binary: bytes, limits: .file),
            let data = try? PointDecoder.decode(ResumeData.self, from: EncodedValue(plist: plist)),
            data.mark == ResumeData.mark
        else { return nil }
        return data
    }

    func resume(_ message: ResumeTransferTask, _ client: TransferClient) throws(ExtensionHostError) -> Nothing {
        guard let task = task(message.task, of: try session(message.session, client)) else { return Nothing() }
        guard task.value.state == .suspended else { return Nothing() }
        try checkLabel(message.label)
        var value = task.value
        let now = clock.now
        value.state = .active
        // The time for the resource begins when the task is first resumed.
        if !value.wasResumed { value.end = now + seconds(task.session.value.configuration.resourceTimeout) }
        value.wasResumed = true
        value.label = message.label ?? value.label
        if let earliest = message.earliestBegin { value.earliest = nanoseconds(earliest) }
        if message.isOpened == true {
            for session in sessions.values where session.value.app == client.app && session.value.wakes > 0 {
                var value = session.value
                value.wakes = 0
                try change { () throws(SQLiteError) in try store.update(value, session.id) }
                session.value = value
            }
        }
        let isInBackground = client.isInBackground && message.isOpened != true
        if isInBackground || task.session.value.configuration.isDiscretionary {
            value.allowed = now + seconds(policy.discretionaryDelay)
        }
        if policy.delaysAfterWakes, isInBackground {
            let wakes = sessions.values.filter { $0.value.app == client.app }.map(\.value.wakes).max() ?? 0
            value.next = max(value.next, now + seconds(60) * max(0, wakes - 2))
        }
        try save(value, task)
        return Nothing()
    }

    func suspend(_ message: SuspendTransferTask, _ client: TransferClient) throws(ExtensionHostError) -> Nothing {
        guard let task = task(message.task, of: try session(message.session, client)), task.value.state == .active
        else { return Nothing() }
        stop(task)
        var value = task.value
        value.state = .suspended
        try save(value, task)
        return Nothing()
    }

    func cancel(_ message: CancelTransferTask, _ client: TransferClient) throws(ExtensionHostError)
        -> CancelTransferTask.Reply
    {
        guard let task = task(message.task, of: try session(message.session, client)), task.value.state != .ending
        else { return CancelTransferTask.Reply(resumeData: nil) }
        return CancelTransferTask.Reply(resumeData: try cancel(task, producesResumeData: message.producesResumeData))
    }

    /// Cancels a task; returns resume data if it is wanted and the part can be continued.
    func cancel(_ task: LiveTask, producesResumeData: Bool) throws(ExtensionHostError) -> [UInt8]? {
        stop(task)
        var fault = TransferFault(URLErrorCode.cancelled, "cancelled")
        let app = task.session.value.app
        let kept = tasks.values.count { $0.value.state == .kept && $0.session.value.app == app }
        if producesResumeData, kept >= policy.keptParts {
            fault.message = "cancelled without resume data: \(app) has \(kept) parts for resume data already"
        } else if producesResumeData, task.value.validator != nil, task.size > 0 {
            let data = ResumeData(
                app: task.session.value.app, token: task.value.token, request: task.value.request)
            fault.resumeData = try? PointEncoder.encode(data).plist.encodeBinary()
        }
        try end(task, fault: fault, keepsPart: fault.resumeData != nil)
        return fault.resumeData
    }

    func acknowledge(_ message: AcknowledgeTransferEvent, _ client: TransferClient) throws(ExtensionHostError)
        -> Nothing
    {
        let session = try session(message.session, client)
        guard let index = session.events.firstIndex(where: { $0.id == message.event }) else { return Nothing() }
        let event = session.events[index]
        try change { () throws(SQLiteError) in try store.delete(event: event.id) }
        faults.afterStep(.acknowledgementCommitted)
        session.events.remove(at: index)
        if event.value.completion != nil { session.wakesAnew() }
        if let file = event.value.file(of: session.value.app), let path = container(file.place) {
            TransferFolder.removeFinished(file.token, in: path)
            faults.afterStep(.fileRemoved)
        }
        return Nothing()
    }

    func save(_ value: StoredTask, _ task: LiveTask) throws(ExtensionHostError) {
        try change { () throws(SQLiteError) in try store.update(value, task.id, of: task.session.id) }
        task.value = value
    }
}

/// An upload whose file is being copied.
struct PendingUpload {
    let client: TransferClient
    let message: TransferService.AddedTask
    let copy: BodyCopy
    let answer: (Result<EncodedValue, any Error>) -> Void
}

/// Seconds as nanoseconds.
func seconds(_ value: Double) -> Int { Int((value * 1e9).rounded()) }

/// Seconds since 1970 from a client, as nanoseconds; nil for a time that no clock has.
func nanoseconds(_ time: Double) -> Int? { time.isFinite && abs(time) < 9e9 ? seconds(time) : nil }

// SessionCalls: the calls of extensions and apps.

internal import ExtensionPointKit
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
        value.configuration = configuration
        // The files of tasks and events are in the container that they have begun with.
        if session.tasks > 0 || !session.events.isEmpty {
            value.configuration.container = session.value.configuration.container
        }
        if client.side == .app, !client.isInBackground { value.wakes = 0 }
        try change { () throws(SQLiteError) in try store.update(value, session.id) }
        session.value = value
        // A client that opens the session again gets only what it has not got.
        if session.connection?.client.number != client.number {
            session.connection = LiveSession.Connection(client: client)
        }
        opened = session
        return OpenTransferSession.Reply(
            tasks: descriptions(of: session) + session.events.compactMap(\.value.task), fault: nil)
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

    func add(_ message: AddTransferTask, _ client: TransferClient) throws(ExtensionHostError) -> AddTransferTask.Reply {
        let session = try session(message.session, client)
        guard session.tasks < policy.tasks else {
            throw ExtensionHostError(
                .quotaExceeded, "the session \(message.session) has \(policy.tasks) tasks that have not ended",
                remedy: "Add tasks when others have ended")
        }
        var request = message.request
        var kept: LiveTask?
        if let bytes = message.resumeData {
            guard let data = resumeData(bytes), data.app == client.app else {
                return AddTransferTask.Reply(
                    task: nil, fault: TransferFault(URLErrorCode.unknown, "this is no resume data of \(client.app)"))
            }
            request = data.request
            kept = tasks.values.first {
                $0.value.state == .kept && $0.value.token == data.token && $0.session.value.app == client.app
            }
        }
        if let fault = fault(message, request, client) { return AddTransferTask.Reply(task: nil, fault: fault) }
        let token: String
        do throws(SystemError) { token = try makeToken() } catch {
            throw ExtensionHostError(.internalError, "the system gave no random bytes", cause: "\(error)")
        }
        var value =
            kept?.value
            ?? StoredTask(number: 0, kind: message.kind, request: request, token: token)
        (value.number, value.state, value.label) = (session.value.next, .suspended, message.label)
        (value.end, value.next, value.attempts) = (nil, 0, 0)
        value.earliest = message.earliestBegin.flatMap { nanoseconds($0) }
        if let file = message.file {
            value.hasBody = folder.keepBody(value.token, file.descriptor.raw)
            faults.afterStep(.bodyStored)
        }
        var changed = session.value
        changed.next += 1
        let id: Int
        do throws(ExtensionHostError) {
            id = try change { () throws(SQLiteError) in
                try store.update(changed, session.id)
                guard let kept else { return try store.insert(value, of: session.id) }
                try store.update(value, kept.id, of: session.id)
                return kept.id
            }
        } catch {
            if kept == nil { folder.remove(value.token) }
            throw error
        }
        faults.afterStep(.taskCommitted)
        session.value = changed
        let task = kept ?? LiveTask(id, session, value)
        // A stored body needs no descriptor until its attempt.
        let file = message.file?.descriptor
        (task.value, task.session, task.body) = (value, session, value.hasBody ? nil : file)
        task.size = folder.partSize(value.token) ?? 0
        task.reported = task.size
        if value.kind == .upload { task.value.expected = file.flatMap { try? FileStatus(of: $0.raw).size } }
        tasks[id] = task
        session.tasks += 1
        return AddTransferTask.Reply(task: value.number, fault: nil)
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
        var value = task.value
        let now = clock.now
        value.state = .active
        value.end = value.end ?? now + seconds(task.session.value.configuration.resourceTimeout)
        value.label = message.label ?? value.label
        if let earliest = message.earliestBegin { value.earliest = nanoseconds(earliest) }
        if client.isInBackground || task.session.value.configuration.isDiscretionary {
            value.allowed = now + seconds(policy.discretionaryDelay)
        }
        if policy.delaysAfterWakes, client.isInBackground {
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
        if producesResumeData, task.value.validator != nil, task.size > 0 {
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
        if let token = event.value.token, let place = container(session.value.place) {
            TransferFolder.removeFinished(token, in: place)
            faults.afterStep(.fileRemoved)
        }
        return Nothing()
    }

    func save(_ value: StoredTask, _ task: LiveTask) throws(ExtensionHostError) {
        try change { () throws(SQLiteError) in try store.update(value, task.id, of: task.session.id) }
        task.value = value
    }
}

/// Seconds as nanoseconds.
func seconds(_ value: Double) -> Int { Int((value * 1e9).rounded()) }

/// Seconds since 1970 from a client, as nanoseconds; nil for a time that no clock has.
func nanoseconds(_ time: Double) -> Int? { time.isFinite && abs(time) < 9e9 ? seconds(time) : nil }

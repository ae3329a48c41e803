// TransferService: the sessions and tasks of background transfers.

public import ExtensionPointKit
internal import LinuxDescriptors
internal import SQLite
internal import TransferMessages

/// The service `org.exthost.transfers`, without a wire, a clock or a network of its own.
///
/// It belongs to one thread, on which all its functions are called. It blocks that thread only for the disk.
/// The program around it calls `step` when the engine's descriptor is readable and at `deadline`.
public final class TransferService {
    let store: TransferStore
    let folder: TransferFolder
    let container: (TransferPlace) -> String?
    let clock: any TransferClock
    let engine: any TransferEngine
    unowned let output: any TransferOutput
    let policy: TransferPolicy
    let faults: TransferFaults

    var sessions: [Int: LiveSession] = [:]
    /// The containers that have, or had, finished files.
    var places: Set<TransferPlace> = []
    /// The uploads whose files are copied, and whose clients wait for the answer.
    var copies: [PendingUpload] = []
    /// The tasks that have not ended, and the parts that are kept for resume data.
    var tasks: [Int: LiveTask] = [:]

    /// Opens the store, and brings its tasks into a state in which they can go on. They do with the first `step`, which
    /// the program calls when it is ready for wakes.
    ///
    /// - Parameters:
    ///   - path: the folder of the store and of parts. It is made; its parent must be on the containers' file system.
    ///   - container: returns the path of a place; nil if there is none.
    ///   - clock: the time.
    ///   - engine: performs the requests.
    ///   - output: the program around the service. It must outlive the service.
    ///   - policy: the limits.
    ///   - faults: what a test causes.
    /// - Throws: `ExtensionHostError` `stateUnavailable`, with the cause: no room, no right, another service, damage.
    public init(
        folder path: String, container: @escaping (TransferPlace) -> String?, clock: any TransferClock,
        engine: any TransferEngine, output: any TransferOutput, policy: TransferPolicy = TransferPolicy(),
        faults: TransferFaults = TransferFaults()
    ) throws(ExtensionHostError) {
        do {
            folder = try TransferFolder(path: path, faults: faults)
            store = try TransferStore(folder: path)
        } catch {
            throw ExtensionHostError(
                .stateUnavailable, "the store of background transfers cannot be opened",
                remedy: "Free some space, or move \(path) away", cause: "\(error)")
        }
        (self.container, self.clock, self.engine) = (container, clock, engine)
        (self.output, self.policy, self.faults) = (output, policy, faults)
        do {
            try recover()
        } catch {
            throw ExtensionHostError(
                .stateUnavailable, "the store of background transfers cannot be read",
                remedy: "Move \(path) away", cause: "\(error)")
        }
    }

    /// A descriptor that is readable when `step` has work; nil: there is none.
    public var descriptor: Int32? { engine.descriptor }

    /// Whether nothing is under way and no client is there: the program may end. What waits is found at the next start:
    /// events, suspended tasks, and parts for resume data.
    public var isIdle: Bool {
        copies.isEmpty
            && sessions.values.allSatisfy {
                $0.connection == nil && $0.underWay == 0 && !$0.isWaking && $0.wakeDue == nil && $0.removal == nil
            }
    }

    /// Whether nothing of an app is under way: no task but suspended ones, no event that may still reach somebody, no
    /// wake.
    ///
    /// - Parameter client: the identifier of the app, or of an extension of it.
    public func hasNothing(of client: String) -> Bool {
        // The app's identifier is the longest of those with which the extension's may begin.
        let apps = Set(sessions.values.map(\.value.app)).filter { client == $0 || client.hasPrefix($0 + ".") }
        let app = apps.max { $0.utf8.count < $1.utf8.count }
        return sessions.values.filter { $0.value.app == app }.allSatisfy {
            // Events for which nobody is woken wait for the next session, however long; so do those of a failed wake,
            // which is tried again.
            let isForNobody =
                !$0.value.configuration.sendsLaunchEvents || $0.value.receiver == .extension || $0.wakeDue != nil
            return $0.underWay == 0 && !$0.isWaking && (isForNobody || ($0.lastCompletion ?? 0) <= $0.value.wokenFor)
        }
    }

    /// The next time at which `step` has work, in nanoseconds since 1970; nil: never.
    public var deadline: Int? {
        guard copies.isEmpty else { return clock.now }
        var times = [engine.deadline] + sessions.values.flatMap { [$0.removal, $0.wakeDue] }
        for task in tasks.values where task.session.removal == nil {
            switch task.value.state {
            case _ where task.pending != nil: times.append(task.value.next)
            case .active:
                times.append(task.value.end)
                if !task.isRunning, !task.isCrowded { times.append(task.value.due) }
            case .kept, .suspended: times.append(task.value.end)
            case .ending: times.append(task.value.next)
            }
        }
        return times.compactMap(\.self).min()
    }

    /// Performs what can be performed now.
    public func step() {
        engine.step()
        stepCopies()
        advance()
    }

    /// Ends what is late, begins what is due, and wakes the apps of sessions whose tasks have all ended.
    func advance() {
        let now = clock.now
        for session in sessions.values where session.removal.map({ $0 <= now }) ?? false { remove(session) }
        for task in tasks.values.sorted(by: { $0.id < $1.id }) where task.session.removal == nil {
            let isLate = task.value.end.map { $0 <= now } ?? false
            switch task.value.state {
            case _ where task.pending != nil: if task.value.next <= now { endPending(task) }
            // The file is whole, whatever time it has taken.
            case .ending: if task.value.next <= now { moveIntoPlace(task) }
            // A task that nobody resumes ends, too. Otherwise it would stay for ever.
            case .active where isLate, .suspended where isLate:
                fail(task, TransferFault(URLErrorCode.timedOut, "the time for the resource is over"))
            case .kept where isLate: drop(task)
            case .active, .kept, .suspended: break
            }
        }
        beginDue(now)
        for session in sessions.values.sorted(by: { $0.id < $1.id }) { settle(session) }
    }

    // MARK: Calls

    /// Performs a call of a client.
    ///
    /// - Parameters:
    ///   - name: the name of the call.
    ///   - arguments: its arguments.
    ///   - client: the client that has called.
    ///   - answer: called once, with the reply or an `ExtensionHostError`: before this function returns, or for an upload
    ///     of a large file by a later `step`, when the file is copied.
    public func call(
        _ name: String, _ arguments: EncodedValue, from client: TransferClient,
        answer: @escaping (Result<EncodedValue, any Error>) -> Void
    ) {
        if name == AddTransferTask.name {
            add(arguments, client, answer)
            return advance()
        }
        var opened: LiveSession?
        answer(
            Result {
                switch name {
                case OpenTransferSession.name:
                    try reply(OpenTransferSession.self, arguments) { try open($0, client, &opened) }
                case ResumeTransferTask.name: try reply(ResumeTransferTask.self, arguments) { try resume($0, client) }
                case SuspendTransferTask.name:
                    try reply(SuspendTransferTask.self, arguments) { try suspend($0, client) }
                case CancelTransferTask.name: try reply(CancelTransferTask.self, arguments) { try cancel($0, client) }
                case ListTransferTasks.name:
                    try reply(ListTransferTasks.self, arguments) {
                        ListTransferTasks.Reply(descriptions(of: try session($0.session, client)))
                    }
                case AcknowledgeTransferEvent.name:
                    try reply(AcknowledgeTransferEvent.self, arguments) { try acknowledge($0, client) }
                case CloseTransferSession.name:
                    try reply(CloseTransferSession.self, arguments) {
                        disconnect(try session($0.session, client))
                        return Nothing()
                    }
                default: try callTool(name, arguments, client)
                }
            })
        if let opened { deliver(opened) }
        advance()
    }

    func reply<Message: PointMessage>(
        _ type: Message.Type, _ arguments: EncodedValue, _ body: (Message) throws -> Message.Reply
    ) throws -> EncodedValue {
        try PointEncoder.encode(try body(try decode(type, arguments)))
    }

    func decode<Message: PointMessage>(_ type: Message.Type, _ arguments: EncodedValue) throws(ExtensionHostError)
        -> Message
    {
        do {
            return try PointDecoder.decode(type, from: arguments)
        } catch {
            throw ExtensionHostError(.invalidArgument, "the arguments of \(Message.name) do not fit", cause: "\(error)")
        }
    }

    /// Ends the use of all sessions by a connection that is gone. Its transfers go on.
    public func clientGone(_ number: Int) {
        for pending in copies where pending.client.number == number { pending.copy.cancel() }
        copies.removeAll { $0.client.number == number }
        for session in sessions.values.sorted(by: { $0.id < $1.id }) where session.connection?.client.number == number {
            disconnect(session)
        }
        advance()
    }

    /// Ends all attempts, and answers the calls that wait. All transfers go on in the next service on this folder.
    ///
    /// The store is closed with the last reference to the service. The engine has one for each attempt.
    public func close() {
        tasks.values.forEach(stop)
        for pending in copies {
            pending.copy.cancel()
            pending.answer(.failure(ExtensionHostError(.serviceUnavailable, "the service has ended")))
        }
        copies = []
    }

    /// Cancels the transfers of an app that was removed, and deletes what they have.
    ///
    /// - Parameter app: the identifier of the app.
    public func appRemoved(_ app: String) {
        for session in sessions.values.sorted(by: { $0.id < $1.id }) where session.value.app == app {
            remove(session)
        }
        advance()
    }

    /// Returns the session of a client that has opened it.
    func session(_ identifier: String, _ client: TransferClient) throws(ExtensionHostError) -> LiveSession {
        guard let session = session(client.app, identifier), session.connection?.client.number == client.number else {
            throw ExtensionHostError(
                .notPermitted, "this process does not use the session \(identifier)",
                remedy: "Open the session first; one process uses it at a time")
        }
        return session
    }

    func session(_ app: String, _ identifier: String) -> LiveSession? {
        sessions.values.first { $0.value.app == app && $0.value.identifier == identifier }
    }

    /// Returns a task of a session; nil if it has ended.
    func task(_ number: Int, of session: LiveSession) -> LiveTask? {
        tasks.values.first {
            $0.session === session && $0.value.number == number && $0.value.state != .kept
        }
    }

    /// Makes changes of the store as one.
    ///
    /// - Throws: `ExtensionHostError` `stateUnavailable`.
    func change<Result>(_ body: () throws(SQLiteError) -> Result) throws(ExtensionHostError) -> Result {
        do {
            return try store.change(body)
        } catch {
            throw ExtensionHostError(
                .stateUnavailable, "the transfer cannot be stored", remedy: "Free some space", cause: "\(error)")
        }
    }

    // MARK: Events

    /// Sends the events that the session's client has not got yet.
    func deliver(_ session: LiveSession) {
        guard session.reachesReceiver, let connection = session.connection else { return }
        for event in session.events where event.id > connection.sentThrough {
            session.connection?.sentThrough = event.id
            // It waits for a client that has the group of its file.
            guard event.value.isReadable(by: connection.client) else { continue }
            if var completion = event.value.completion {
                completion.event = event.id
                send(completion, to: session)
            } else {
                send(TransferEventsFinished(session: session.value.identifier, event: event.id), to: session)
            }
            faults.afterStep(.eventSent)
        }
    }

    func send(_ message: some PointMessage, to session: LiveSession) {
        if let client = session.connection?.client { output.send(message, to: client.number) }
    }

    /// Ends a client's use of a session. Events that it has not acknowledged wait for the next one.
    func disconnect(_ session: LiveSession) {
        session.connection = nil
        finishEvents(session)
    }

    /// Adds the last event of a session that has no task under way, if other events wait for a client.
    ///
    /// A suspended task is not under way (BT-13, BT-14): nobody transfers it, and its author may never resume it.
    func finishEvents(_ session: LiveSession) {
        guard session.underWay == 0, !session.reachesReceiver, !session.events.isEmpty,
            session.events.last?.value.completion != nil
        else { return }
        let value = StoredEvent()
        // Without room, the next client gets the other events all the same.
        guard let id = try? change({ () throws(SQLiteError) in try store.insert(value, of: session.id) }) else {
            return
        }
        session.events.append((id, value))
        faults.afterStep(.eventCommitted)
    }

    /// Wakes the app of a session if its time has come, or forgets a session that has nothing.
    func settle(_ session: LiveSession) {
        guard session.underWay == 0, session.removal == nil, session.connection == nil || !session.reachesReceiver
        else { return session.wakeDue = nil }
        guard !session.events.isEmpty else {
            session.wakesAnew()
            if session.connection == nil, session.tasks == 0, !tasks.values.contains(where: { $0.session === session })
            {
                remove(session)
                // If the store has not taken it, this is tried again, and a client may open the session meanwhile.
                session.removal = nil
            }
            return
        }
        guard session.value.configuration.sendsLaunchEvents, session.value.receiver != .extension,
            let last = session.lastCompletion, last > session.value.wokenFor
        else { return session.wakesAnew() }
        guard !session.isWaking else { return }
        // An app that fails has used the session meanwhile, and waits for its next turn all the same.
        if session.wakeFailures > 0, session.wakeDue == nil { delayWake(session) }
        if session.wakeDue.map({ $0 <= clock.now }) ?? true { wake(session) }
    }

    private func delayWake(_ session: LiveSession) {
        session.wakeDue = clock.now + seconds(policy.wakeDelay) << max(0, session.wakeFailures - 1)
    }

    /// Wakes the app of a session for the events that wait.
    func wake(_ session: LiveSession) {
        guard !session.isWaking, let last = session.events.last?.id else { return }
        session.isWaking = true
        session.wakeDue = nil
        output.wake(app: session.value.app, session: session.value.identifier) { [weak self, weak session] result in
            guard let self, let session, sessions[session.id] === session else { return }
            session.isWaking = false
            if result == .later, session.wakeFailures < policy.wakeRetries {
                session.wakeFailures += 1
                return delayWake(session)
            }
            session.wakesAnew()
            session.value.wokenFor = last
            if result != .noApp { session.value.wakes += 1 }
            try? change { () throws(SQLiteError) in try self.store.update(session.value, session.id) }
            advance()
        }
    }
}

/// A session in memory.
final class LiveSession {
    /// The client that uses the session.
    struct Connection {
        var client: TransferClient
        /// The last event that was sent.
        var sentThrough = 0
    }

    let id: Int
    var value: StoredSession
    /// The events that were not acknowledged, in order.
    var events: [(id: Int, value: StoredEvent)] = []
    /// The last end of a task that was not acknowledged.
    var lastCompletion: Int? { events.last { $0.value.completion != nil }?.id }
    /// The number of tasks that have not ended.
    var tasks = 0
    /// The number of these that are not suspended.
    var underWay = 0
    /// The time at which the removal of the session is tried again; nil: it is not removed.
    var removal: Int?
    var connection: Connection?
    var isWaking = false
    /// The time at which a wake that has failed is tried again; nil: it has not failed.
    var wakeDue: Int?
    /// The number of wakes that have failed since an event was last acknowledged.
    var wakeFailures = 0

    init(_ id: Int, _ value: StoredSession) { (self.id, self.value) = (id, value) }

    /// Forgets the wakes that have failed.
    func wakesAnew() { (wakeDue, wakeFailures) = (nil, 0) }

    /// Whether the session's client may get its events.
    var reachesReceiver: Bool { connection.map { accepts($0.client.side) } ?? false }

    func accepts(_ side: TransferClient.Side) -> Bool {
        switch value.receiver {
        case .app: side == .app
        case .extension: side == .extension
        case .any, .unrecognized: true
        }
    }
}

/// A task in memory.
final class LiveTask {
    let id: Int
    private(set) var session: LiveSession
    var value: StoredTask {
        didSet { session.underWay += (value.isUnderWay ? 1 : 0) - (oldValue.isUnderWay ? 1 : 0) }
    }

    // While an attempt runs.
    var isRunning = false
    /// The open part of a download.
    var part: SharedDescriptor?
    /// The size of the part.
    var size = 0
    /// The size at which the attempt has begun, and the offset that it has asked for.
    var begunAt = 0
    var asked = 0
    /// The open body of an upload.
    var body: SharedDescriptor?
    /// The bytes of the body that were sent.
    var sent = 0
    /// The beginning of an upload's answer.
    var answer: [UInt8] = []

    /// The end of the task, if the store could not take it yet.
    var pending: TransferEnding?
    /// Whether the task waits for another attempt to end.
    var isCrowded = false
    /// The last progress that was sent, and its time.
    var reported = 0
    var reportedAt = Int.min

    init(_ id: Int, _ session: LiveSession, _ value: StoredTask) {
        (self.id, self.session, self.value) = (id, session, value)
        if value.isUnderWay { session.underWay += 1 }
    }

    /// Gives a task that is not under way to another session.
    func move(to session: LiveSession) { self.session = session }

    /// Ends the session's count of the task.
    func leave() { if value.isUnderWay { session.underWay -= 1 } }

    var place: TransferPlace { TransferPlace(group: value.container, of: session.value.app) }

    /// Whether the author or the session asks for a range.
    var hasOwnRange: Bool {
        value.request.headers.sent(with: session.value.configuration.headers).contains {
            $0.name.lowercased() == "range"
        }
    }

    /// The bytes that were received or sent.
    var bytes: Int { value.kind == .upload ? sent : size }
}

/// The end of a task that is still to be stored.
enum TransferEnding {
    case fault(TransferFault)
    /// The server has answered the upload.
    case answered
}

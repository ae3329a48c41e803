// TransferServer: the service of background transfers on a thread of its own, with its clients.

import ExtensionFoundation
import ExtensionItems
import ExtensionPointKit
import ExtensionWire
import Glibc
import LinuxDescriptors
import Locks
import ServiceProgramKit
import TransferMessages
import TransferService

/// The service with its clients. `accept` may be called on any thread.
final class TransferServer: @unchecked Sendable {
    // Unchecked: everything but the inbox and the number of clients belongs to the thread of `run`.

    /// A client, and the events that wait for it. One is under way at a time, so they reach it in order.
    private struct Client {
        let identity: TransferClient
        let connection: ServiceConnection
        var events: [(name: String, value: EncodedValue)] = []
        var isSending = false
    }

    /// Events of progress are dropped for a client that takes none any more.
    private static let progressLimit = 256
    /// The maximum of events that wait for a client: twice the ends that an app may leave unacknowledged.
    private static let eventsLimit = 4096
    /// The time without a client and without work after which the program ends.
    private static let restDelay = 60_000_000_000

    private let service: TransferService
    private let output = Output()
    private let clock = ProgramTime()
    private let script: AnswerScript?
    private var clients: [Int: Client] = [:]
    private let inbox = Mutex<[@Sendable () -> Void]>([])
    private let lastClient = Mutex(0)
    private let wakeDescriptor: WakeDescriptor
    private let activity = Activity.process
    private var program: ServiceProgram?
    /// The tools that wait until nothing of an app is left.
    private var awaiting: [(call: IncomingCall, client: String)] = []
    /// The time since which there is neither a client nor work.
    private var restsSince: Int?
    /// The timer on a virtual clock, with its time.
    private var timer: (due: Int, timer: ExtensionTimer)?

    /// - Parameter isScripted: whether tools set the answers, and no network is used.
    /// - Throws: `stateUnavailable`; `invalidArgument` without the folder of containers.
    init(isScripted: Bool) throws {
        guard let all = getenv(ContainerNames.allVariable).map({ String(cString: $0) }) else {
            throw ExtensionHostError(
                .invalidArgument, "this program has no folder of containers",
                remedy: "exthostd launches it; write Containers into the property list of its service")
        }
        wakeDescriptor = try WakeDescriptor()
        let engine: any TransferEngine
        if isScripted {
            let script = AnswerScript()
            self.script = script
            engine = ScriptedEngine(clock: clock) { script.answer(to: $0) }
        } else {
            script = nil
            engine = try CurlEngine(clock: clock)
        }
        service = try TransferService(
            folder: all + "/Transfers", container: { Self.container($0, all) }, clock: clock, engine: engine,
            output: output)
        output.server = self
    }

    /// Returns the folder of a place; nil if there is none.
    private static func container(_ place: TransferPlace, _ all: String) -> String? {
        let path =
            switch place {
            case .group(let group): "\(all)/\(ContainerNames.groups)/\(group)"
            case .app(let app): "\(all)/\(ContainerNames.applications)/\(app)"
            }
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? path : nil
    }

    // MARK: Clients

    /// Accepts a client, whom the daemon has identified.
    func accept(_ connection: ServiceConnection) throws(ExtensionHostError) -> PointHandlers {
        guard let record = connection.client else {
            throw ExtensionHostError(.protocolViolation, "the daemon does not name the client")
        }
        let number = lastClient.withLock { number in
            number += 1
            return number
        }
        let side: TransferClient.Side =
            switch record.role {
            case .extension: .extension
            case .app: .app
            case .host, .control, .service: .tool
            }
        let identifier = record.identifier ?? "a tool"
        let identity = TransferClient(
            number: number, identifier: identifier, app: record.app ?? identifier, side: side,
            groups: Set(record.groups), mayUseNetwork: record.isNetworkClient,
            isInBackground: record.isInBackground)
        post { [self] in clients[number] = Client(identity: identity, connection: connection) }
        connection.whenEnded { [weak self] _ in
            guard let self else { return }
            post { [self] in
                clients[number] = nil
                service.clientGone(number)
            }
        }
        var handlers = PointHandlers()
        // Calls are performed in the order in which they come.
        handlers.direct = { [weak self] call in
            guard let self else { return }
            post { [self] in perform(call, of: identity) }
        }
        return handlers
    }

    /// Deletes the transfers of an app that was removed. Any thread may call.
    func appRemoved(_ app: String) {
        post { [self] in service.appRemoved(app) }
    }

    private func perform(_ call: IncomingCall, of client: TransferClient) {
        switch call.name {
        case AnswerTransfers.name:
            call.answer(Result { try PointEncoder.encode(try setAnswers(call, client)) })
        case AwaitTransfers.name:
            do {
                guard client.side == .tool else {
                    throw ExtensionHostError(.notPermitted, "\(call.name) is a call of tools")
                }
                awaiting.append((call, try call.decode(AwaitTransfers.self).client))
            } catch {
                call.answer(.failure(error))
            }
        default: service.call(call.name, call.arguments, from: client) { call.answer($0) }
        }
    }

    /// Answers the tools that wait until nothing of an app is left.
    private func answerWaiting() {
        let due = awaiting.filter { !$0.call.isCancelled && service.hasNothing(of: $0.client) }
        awaiting.removeAll { waiting in waiting.call.isCancelled || due.contains { $0.call === waiting.call } }
        for waiting in due { waiting.call.answer(Result { try PointEncoder.encode(Nothing()) }) }
    }

    private func setAnswers(_ call: IncomingCall, _ client: TransferClient) throws -> Nothing {
        guard let script, client.side == .tool else {
            throw ExtensionHostError(
                .notPermitted, "the answers of this service are those of servers",
                remedy: "Start the program with --scripted, and set the answers by a tool")
        }
        script.set(try call.decode(AnswerTransfers.self).answers)
        return Nothing()
    }

    // MARK: The thread

    /// Starts the thread of the service.
    func start(_ program: ServiceProgram) throws {
        // A client's call may have come already, and may need the program.
        activity.enter()
        inbox.withLock { $0.insert({ [self] in self.program = program }, at: 0) }
        wakeDescriptor.signal()
        try startThread(named: "transfers") { self.run() }
    }

    /// Lets the thread perform something. A fence waits for it.
    fileprivate func post(_ body: @escaping @Sendable () -> Void) {
        activity.enter()
        inbox.withLock { $0.append(body) }
        wakeDescriptor.signal()
    }

    private func run() {
        while true {
            var entries = [pollfd(fd: wakeDescriptor.raw, events: Int16(POLLIN), revents: 0)]
            if let descriptor = service.descriptor {
                entries.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
            }
            _ = poll(&entries, nfds_t(entries.count), wait())
            wakeDescriptor.drain()
            let work = inbox.withLock { inbox in
                defer { inbox = [] }
                return inbox
            }
            for body in work { body() }
            service.step()
            answerWaiting()
            rest()
            for _ in work { activity.leave() }
        }
    }

    /// Returns the milliseconds until there is something to do; −1 for ever. On a virtual clock a timer posts instead.
    private func wait() -> Int32 {
        let due = [service.deadline, restsSince.map { $0 + Self.restDelay }].compactMap(\.self).min()
        let now = clock.now
        guard ExtensionTime.shared.now != nil else {
            guard let due else { return -1 }
            // Rounded up: a thread that wakes too early would turn until then.
            return Int32(clamping: max(0, due - now + 999_999) / 1_000_000)
        }
        if let due, due <= now {
            post {}
            return -1
        }
        if due != timer?.due {
            timer = due.map { due in
                (
                    due,
                    ExtensionClock().timer(after: .nanoseconds(max(0, due - now))) { [weak self] in
                        self?.post { [weak self] in self?.timer = nil }
                    }
                )
            }
        }
        return -1
    }

    /// Tells the daemon that nothing is left to do, some time after that.
    private func rest() {
        guard clients.isEmpty, service.isIdle else {
            restsSince = nil
            return
        }
        let now = clock.now
        let since = restsSince ?? now
        restsSince = since
        guard now >= since + Self.restDelay else { return }
        program?.rest()
        restsSince = now
    }

    // MARK: Events

    fileprivate func send<Event: PointMessage>(_ event: Event, to number: Int) {
        guard let client = clients[number], let value = try? PointEncoder.encode(event) else { return }
        if Event.self == TransferProgress.self, client.events.count >= Self.progressLimit { return }
        clients[number]?.events.append((Event.name, value))
        // A client that opens its session again and again, and takes no event.
        guard client.events.count < Self.eventsLimit else { return client.connection.close() }
        sendNext(to: number)
    }

    private func sendNext(to number: Int) {
        guard let client = clients[number], !client.isSending, let event = client.events.first else { return }
        clients[number]?.isSending = true
        clients[number]?.events.removeFirst()
        client.connection.send(event.name, event.value, isRepeatable: true) { [weak self] _ in
            // A client that could not take it has gone, and gets it another time.
            self?.post { [weak self] in
                self?.clients[number]?.isSending = false
                self?.sendNext(to: number)
            }
        }
    }

    fileprivate func wake(app: String, session: String, completion: @escaping (TransferWakeResult) -> Void) {
        let completion = Completion(completion)
        guard let program else { return post { completion.body(.later) } }
        // A fence waits until the daemon has the question, not for the app.
        activity.enter()
        Task { [weak self, activity] in
            let result: TransferWakeResult
            do {
                try await program.wake(app: app, session: session) { $0 ? activity.leave() : activity.enter() }
                result = .handled
            } catch {
                result = Self.result(of: error)
                StandardStreams.writeError("exthost-transferd: \(app) did not get the events of \(session): \(error)\n")
            }
            self?.post { completion.body(result) }
            activity.leave()
        }
    }

    private static func result(of error: any Error) -> TransferWakeResult {
        switch (error as? ExtensionHostError)?.code {
        case .timedOut: .expired
        case .noSuchExtension: .noApp
        default: .later
        }
    }

    /// A function of the service, which is called on its thread.
    private struct Completion: @unchecked Sendable {
        let body: (TransferWakeResult) -> Void
        init(_ body: @escaping (TransferWakeResult) -> Void) { self.body = body }
    }
}

/// The way from the service to its program.
private final class Output: TransferOutput {
    unowned(unsafe) var server: TransferServer!

    func send(_ event: some PointMessage, to client: Int) { server.send(event, to: client) }

    func wake(app: String, session: String, completion: @escaping (TransferWakeResult) -> Void) {
        server.wake(app: app, session: session, completion: completion)
    }

    func denyNetwork(to client: TransferClient, url: String) {
        StandardStreams.writeError(
            "exthost-transferd: \(client.identifier) may not transfer \(url): it lacks the entitlement com.apple.security.network.client\n"
        )
    }
}

/// The daemon's time: the system's, or a test's.
private final class ProgramTime: TransferClock {
    private let system = SystemTransferClock()
    var now: Int { ExtensionTime.shared.now.map(Int.init) ?? system.now }
}

/// The answers that tools have set, in place of servers.
private final class AnswerScript {
    private var answers: [TransferAnswer] = []

    func set(_ answers: [TransferAnswer]) { self.answers = answers }

    func answer(to attempt: TransferAttempt) -> ScriptedEngine.Answer {
        guard let index = answers.firstIndex(where: { $0.url == attempt.request.url && $0.times != 0 }) else {
            var none = ScriptedEngine.Answer(nil)
            none.fault = TransferEngineFault(
                code: -1003, message: "no answer is set for \(attempt.request.url)", isTransient: false)
            return none
        }
        let scripted = answers[index]
        if let times = scripted.times { answers[index].times = times - 1 }
        var answer: ScriptedEngine.Answer
        if scripted.tag != nil, scripted.status == 200 {
            answer = .file(scripted.body, tag: scripted.tag, for: attempt, cut: scripted.cut)
            answer.headers += scripted.headers
        } else {
            answer = ScriptedEngine.Answer(
                scripted.status, headers: scripted.headers, body: scripted.body, cut: scripted.cut)
        }
        (answer.delay, answer.duration) = (scripted.delay, scripted.duration)
        return answer
    }
}

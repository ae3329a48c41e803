// PageHostProcess: one process of exthost-pagehost, and the conversation with it.

internal import Glibc
internal import LinuxDescriptors
internal import LinuxSystem
internal import Locks
internal import PageMessages

/// A page host. It ends with the last reference to this object, and at the latest with this process.
///
/// Questions are answered one after the other. Any task may ask.
final class PageHostProcess: Sendable {
    private let conversation: PageConversation

    /// Starts the process.
    ///
    /// - Parameter layers: the layers that confine it.
    /// - Throws: `SystemError` if there are no descriptors or threads.
    init(_ programs: PageHostPrograms, _ kind: PageEngineKind, _ layers: ConfinementLayers) throws(SystemError) {
        let conversation = PageConversation(
            programs: programs, kind: kind, layers: layers,
            wake: SharedDescriptor(owning: try WakeDescriptor().release()))
        self.conversation = conversation
        // The kernel ends the process with the thread that started it.
        try startThread(named: "exthost-page") { conversation.run() }
    }

    deinit { conversation.close(.closed) }

    /// Asks, and waits for the answer. The cancellation of the task ends the page host.
    ///
    /// - Parameter limit: the time for the answer, from the end of the earlier questions on.
    /// - Throws: `PageHostEnd`; each later question throws the same.
    func ask(_ command: PageCommand, limit: Duration) async throws -> PageAnswer {
        let frame = try PageFrame.encode(command)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                conversation.add(
                    PageConversation.Question(frame: frame, limit: limit) { continuation.resume(with: $0) })
            }
        } onCancel: {
            conversation.close(.cancelled)
        }
    }

    /// Ends the page host, and returns when none of its processes is left.
    func close() async {
        await withCheckedContinuation { continuation in
            conversation.whenEnded { continuation.resume() }
            conversation.close(.closed)
        }
    }

    var kind: PageEngineKind { conversation.kind }

    /// The pid of the page host's init as this process sees it; nil before the start and after the end.
    var pid: Int32? { conversation.pid }
}

/// The state that the thread of a page host shares with those who ask.
final class PageConversation: Sendable {
    struct Question: Sendable {
        let frame: [UInt8]
        let limit: Duration
        let answer: @Sendable (Result<PageAnswer, any Error>) -> Void
    }

    private struct State {
        var questions: [Question] = []
        /// The reason to end, or of the end.
        var end: PageHostEnd?
        var isOver = false
        var pid: Int32?
        var waiting: [@Sendable () -> Void] = []
    }

    /// The memory of all processes together, in bytes.
    private static let mostMemory = 1 << 30
    private static let temporaryBytes = 256 << 20
    /// The threads of all processes together. A browser has some 200.
    private static let mostTasks = 1024
    /// The time between two looks at the memory, in milliseconds.
    private static let pause: Int32 = 40

    /// The time for the end of a process that has closed its socket, in milliseconds.
    private static let farewell: Int32 = 1000
    /// The settings of fontconfig and its cache. Without them an engine knows no kinds of fonts, as `monospace`, and
    /// reads every font of the system for each page.
    private static let fonts = ["/etc/fonts", "/var/cache/fontconfig"]

    let programs: PageHostPrograms
    let kind: PageEngineKind
    let layers: ConfinementLayers
    let wake: SharedDescriptor
    private let state = Mutex(State())

    init(programs: PageHostPrograms, kind: PageEngineKind, layers: ConfinementLayers, wake: SharedDescriptor) {
        (self.programs, self.kind, self.layers, self.wake) = (programs, kind, layers, wake)
    }

    var pid: Int32? { state.withLock { $0.pid } }

    func add(_ question: Question) {
        let end = state.withLock { state -> PageHostEnd? in
            if state.end == nil { state.questions.append(question) }
            return state.end
        }
        if let end { question.answer(.failure(end)) } else { signal() }
    }

    func close(_ end: PageHostEnd) {
        state.withLock { if $0.end == nil { $0.end = end } }
        signal()
    }

    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.waiting.append(body) }
            return state.isOver
        }
        if isOver { body() }
    }

    private func signal() {
        var one: UInt64 = 1
        _ = write(wake.raw, &one, 8)
    }

    // MARK: The thread

    /// Starts the process, exchanges messages and ends the process. Blocks its thread.
    func run() {
        var open: Question?
        let end = talk(&open)
        let (questions, waiting) = state.withLock { state in
            if state.end == nil { state.end = end }
            (state.isOver, state.pid) = (true, nil)
            defer { (state.questions, state.waiting) = ([], []) }
            return (state.questions, state.waiting)
        }
        for question in [open].compactMap({ $0 }) + questions { question.answer(.failure(end)) }
        for body in waiting { body() }
    }

    /// - Parameter open: the question without an answer at the end.
    private func talk(_ open: inout Question?) -> PageHostEnd {
        do {
            var ends: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
                return .notStarted("\(SystemError("socketpair"))")
            }
            let near = OwnedDescriptor(owning: ends[0])
            let process = try start(OwnedDescriptor(owning: ends[1]))
            return talk(near.raw, process, &open)
        } catch {
            return .notStarted("\(error)")
        }
    }

    private func talk(_ socket: Int32, _ process: borrowing SpawnedProcess, _ open: inout Question?) -> PageHostEnd {
        state.withLock { $0.pid = process.pid }
        let end = exchange(socket, process, &open)
        // The pidfd is readable when every process is gone.
        var entry = pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0)
        // A process that closes its socket ends, as a rule. Its status is its own then, and not that of the kill.
        if case .ended = end { while poll(&entry, 1, Self.farewell) < 0, errno == EINTR {} }
        _ = try? process.signalTree(SIGKILL)
        while poll(&entry, 1, -1) < 0, errno == EINTR {}
        let ending = try? process.reap()
        if case .ended = end { return .ended(ending?.status ?? .unknown) }
        return end
    }

    /// Starts the process, which gets the socket.
    private func start(_ socket: consuming OwnedDescriptor) throws -> SpawnedProcess {
        var attributes = SpawnAttributes(
            executable: programs.program, arguments: [kind.rawValue],
            environment: ["TZ=UTC", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"], workingDirectory: "/")
        attributes.descriptors = [.init(parent: socket.raw, child: 3)]
        // Not the address space: JavaScript engines reserve far more than they use.
        attributes.limits = [
            (RLIMIT_NOFILE.rawValue, 1024), (RLIMIT_FSIZE.rawValue, UInt64(Self.temporaryBytes)),
            (RLIMIT_CORE.rawValue, 0),
        ].map { .init(resource: Int32($0.0), soft: $0.1, hard: $0.1) }
        attributes.enclosure =
            layers.namespaces
            ? .processNamespace(initProgram: programs.initProgram) : .guardian(program: programs.initProgram)
        var confinement = Confinement(
            layers: layers, readable: [try ViewFile(programs.program)] + Self.fonts.compactMap { try? ViewFile($0) })
        confinement.temporaryBytes = Self.temporaryBytes
        attributes.confinement = confinement
        return try spawn(attributes)
    }

    /// Exchanges questions and answers until one side ends it.
    private func exchange(_ socket: Int32, _ process: borrowing SpawnedProcess, _ open: inout Question?) -> PageHostEnd
    {
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        var output: ArraySlice<UInt8> = []
        var input: [UInt8] = []
        var deadline = ContinuousClock.now
        var nextLook = deadline
        while true {
            if open == nil {
                let (question, end) = state.withLock { state in
                    (state.questions.isEmpty || state.end != nil ? nil : state.questions.removeFirst(), state.end)
                }
                if let end { return end }
                if let question {
                    (open, output) = (question, question.frame[...])
                    deadline = ContinuousClock.now + question.limit
                }
            } else if let end = state.withLock({ $0.end }) {
                return end
            }
            var entries = [
                pollfd(
                    fd: socket, events: Int16(open == nil ? 0 : POLLIN) | Int16(output.isEmpty ? 0 : POLLOUT),
                    revents: 0),
                pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&entries, 3, Self.pause) < 0, errno != EINTR { return .notStarted("\(SystemError("poll"))") }
            if entries[2].revents != 0 {
                var count: UInt64 = 0
                _ = read(wake.raw, &count, 8)
            }
            if entries[0].revents & Int16(POLLOUT) != 0, let end = Self.send(&output, to: socket) { return end }
            if entries[0].revents & Int16(POLLIN) != 0 {
                do throws(PageHostEnd) {
                    if let answer = try Self.receive(&input, from: socket) {
                        let question = open
                        open = nil
                        question?.answer(.success(answer))
                    }
                } catch {
                    return error
                }
            } else if entries[0].revents != 0 || entries[1].revents != 0 {
                if entries[0].revents & Int16(POLLOUT) == 0 { return .ended(.unknown) }
            }
            let now = ContinuousClock.now
            if open != nil, now >= deadline { return .timedOut }
            if now >= nextLook {
                var usage = TreeUsage(root: process.pid, isEnclosed: true, countsDescriptors: false)
                if usage.memory > Self.mostMemory { usage.countSharedOnce() }
                if usage.memory > Self.mostMemory { return .memory }
                if usage.tasks > Self.mostTasks { return .tasks }
                nextLook = now + .milliseconds(Int(Self.pause))
            }
        }
    }

    private static func send(_ output: inout ArraySlice<UInt8>, to socket: Int32) -> PageHostEnd? {
        let count = output.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count < 0 { return [EAGAIN, EINTR].contains(errno) ? nil : .ended(.unknown) }
        output = output.dropFirst(count)
        return nil
    }

    /// Reads what has come. Returns an answer that is complete.
    private static func receive(
        _ input: inout [UInt8], from socket: Int32
    ) throws(PageHostEnd) -> PageAnswer? {
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        let count = recv(socket, &chunk, chunk.count, 0)
        if count < 0 {
            if [EAGAIN, EINTR].contains(errno) { return nil }
            throw .ended(.unknown)
        }
        guard count > 0 else { throw .ended(.unknown) }
        input += chunk[..<count]
        guard input.count >= PageFrame.header else { return nil }
        guard let length = PageFrame.length(input), input.count <= PageFrame.header + length else { throw .violation }
        guard input.count == PageFrame.header + length else { return nil }
        defer { input = [] }
        guard let answer = try? PageFrame.decode(PageAnswer.self, from: Array(input[PageFrame.header...])) else {
            throw .violation
        }
        return answer
    }
}

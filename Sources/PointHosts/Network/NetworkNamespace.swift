// NetworkNamespace: a network of a host's own: a TUN device, listening sockets and programs, by exthost-netns.

package import ExtensionProtocol
internal import Glibc
package import LinuxDescriptors
internal import LinuxSystem
internal import Locks

/// A network namespace without any way out. It ends with the last reference to this object, and at the latest with this
/// process; all programs in it end, too. Safe to use from any thread.
package final class NetworkNamespace: Sendable {
    private let conversation: NamespaceConversation

    /// Returns the path of `exthost-netns`.
    ///
    /// - Throws: `helperMissing` with the places that were searched.
    package static func program() throws(ExtensionHostError) -> String {
        try HelperProgram(name: "exthost-netns", variable: "EXTHOST_NETNS", task: "makes networks for hosts").locate()
    }

    /// Makes the namespace, with loopback and an empty `/etc/resolv.conf`.
    ///
    /// - Throws: `ExtensionHostError` `helperMissing` if the program or the kernel cannot, with cause and remedy;
    ///   `SystemError` if there are no descriptors or threads.
    package init() async throws {
        let conversation = NamespaceConversation(try Self.program(), try SocketPair(blocking: true))
        self.conversation = conversation
        // The kernel ends the helper with the thread that started it.
        try startThread(named: "exthost-netns") { conversation.run() }
        _ = try await conversation.ready.value.get()
    }

    deinit { conversation.close() }

    /// Makes a socket that listens, or receives datagrams, in the namespace. It does not block.
    ///
    /// - Parameters:
    ///   - isStream: whether it is a TCP socket.
    ///   - address: an address of IPv4 or IPv6.
    ///   - port: the port; 0: any.
    package func listen(
        isStream: Bool, _ address: String, port: Int
    ) async throws -> (socket: SharedDescriptor, port: Int) {
        let answer = try await conversation.ask(["listen", isStream ? "tcp" : "udp", address, "\(port)"])
        guard let socket = answer.descriptors.first, let number = answer.text.flatMap({ Int($0) }) else {
            throw Self.violation
        }
        return (socket, number)
    }

    /// Makes the TUN device, which is up. Reads and writes of the descriptor are IP packets; they block.
    ///
    /// - Throws: `ExtensionHostError` `helperMissing` if `/dev/net/tun` cannot be used, with cause and remedy.
    package func makeDevice(named name: String = "", mtu: Int) async throws -> (device: SharedDescriptor, name: String)
    {
        let answer = try await conversation.ask(["tun", name, "\(mtu)"])
        guard let device = answer.descriptors.first, let name = answer.text else { throw Self.violation }
        return (device, name)
    }

    /// Replaces all settings.
    ///
    /// - Parameter settings: pairs of the keys `mtu`, `address`, `route`, `exclude`, `nameserver`, `search` and values,
    ///   as the head of `exthost-netns` describes them.
    /// - Throws: `ExtensionHostError` `invalidArgument` for settings that the kernel refuses. None is then in force.
    package func apply(_ settings: [(key: String, value: String)]) async throws {
        _ = try await conversation.ask(["apply"] + settings.flatMap { [$0.key, $0.value] })
    }

    /// A program in the namespace.
    package struct RunningProgram: Sendable {
        fileprivate let number: Int
        private let conversation: NamespaceConversation
        private let end: Promise<Int32>

        fileprivate init(_ number: Int, _ conversation: NamespaceConversation, _ end: Promise<Int32>) {
            (self.number, self.conversation, self.end) = (number, conversation, end)
        }

        /// The wait status of the program, once it has ended; that of SIGKILL if the namespace has.
        package var status: Int32 { get async { await end.value } }

        /// Sends the program a signal.
        package func signal(_ signal: Int32) async {
            _ = try? await conversation.ask(["signal", "\(number)", "\(signal)"])
        }
    }

    /// Runs a program in the namespace, with the caller's rights on files and no capabilities.
    ///
    /// - Parameters:
    ///   - arguments: the program, searched in the environment's PATH, and its arguments.
    ///   - environment: the environment, as `KEY=VALUE`.
    ///   - folder: the working directory.
    ///   - streams: its standard descriptors 0, 1 and 2.
    /// - Throws: `ExtensionHostError` `launchFailed` if it cannot be executed.
    package func run(
        _ arguments: [String], environment: [String], in folder: String, streams: [Int32] = [0, 1, 2]
    ) async throws -> RunningProgram {
        var bytes: [UInt8] = []
        for text in ["\(arguments.count)"] + arguments + environment {
            guard !text.utf8.contains(0) else {
                throw ExtensionHostError(.invalidArgument, "an argument or a variable has a zero byte")
            }
            bytes += Array(text.utf8) + [0]
        }
        let strings = SharedDescriptor(try SealedMemory.make(bytes, name: "arguments"))
        var descriptors = [strings]
        for stream in streams { descriptors.append(SharedDescriptor(owning: fcntl(stream, F_DUPFD_CLOEXEC, 3))) }
        let end = Promise<Int32>()
        let answer = try await conversation.ask(["run", folder], descriptors, end: end)
        return RunningProgram(answer.number, conversation, end)
    }

    /// Ends the namespace and its programs. Returns when none of them is left.
    package func close() async {
        conversation.close()
        await conversation.ended.value
    }

    /// The helper's pid; nil after its end.
    package var pid: Int32? { conversation.pid }

    fileprivate static let violation = ExtensionHostError(
        .helperMissing, "exthost-netns gave an answer that it does not give",
        remedy: "Install it again, of this version")
}

/// A value that is set once, and for which any number of tasks wait.
final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: [CheckedContinuation<Value, Never>] = []
    }

    private let state = Mutex(State())

    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state in
                    if state.value == nil { state.waiting.append(continuation) }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }

    func set(_ value: Value) {
        let waiting = state.withLock { state in
            guard state.value == nil else { return [CheckedContinuation<Value, Never>]() }
            state.value = value
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }
}

/// The helper's process, and the packets between it and this host.
private final class NamespaceConversation: Sendable {
    struct Answer: Sendable {
        let number: Int
        let text: String?
        let descriptors: [SharedDescriptor]
    }

    private struct State {
        var lastNumber = 0
        var questions: [Int: Promise<Result<Answer, any Error>>] = [:]
        /// The programs that run, or are about to.
        var programs: [Int: Promise<Int32>] = [:]
        var isOver = false
        var pid: Int32?
    }

    private static let mostBytes = 64 << 10
    /// The most strings of a packet.
    private static let mostStrings = 4096
    private static let steps: [String: ExtensionHostError.Code] = [
        "settings": .invalidArgument, "program": .launchFailed, "request": .invalidArgument, "socket": .invalidArgument,
    ]
    private static let over = ExtensionHostError(.helperMissing, "exthost-netns has ended, and its network with it")

    private let program: String
    private let socket: Socket
    private let far: Mutex<SharedDescriptor?>
    private let state = Mutex(State())
    let ready = Promise<Result<Answer, any Error>>()
    let ended = Promise<Void>()

    init(_ program: String, _ pair: consuming SocketPair) {
        self.program = program
        far = Mutex(SharedDescriptor(pair.second.release()))
        socket = pair.first
        state.withLock { $0.questions[0] = ready }
    }

    var pid: Int32? { state.withLock { $0.pid } }

    /// Asks, and waits for the answer.
    ///
    /// - Parameter end: of a program: set at its end.
    func ask(
        _ strings: [String], _ descriptors: [SharedDescriptor] = [], end: Promise<Int32>? = nil
    ) async throws -> Answer {
        let promise = Promise<Result<Answer, any Error>>()
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.lastNumber += 1
            state.questions[state.lastNumber] = promise
            if let end { state.programs[state.lastNumber] = end }
            return state.lastNumber
        }
        guard let number else { throw Self.over }
        var bytes: [UInt8] = []
        for text in ["\(number)"] + strings { bytes += Array(text.utf8) + [0] }
        let count = bytes.count { $0 == 0 }
        do {
            guard bytes.count <= Self.mostBytes, count == strings.count + 1, count <= Self.mostStrings else {
                throw ExtensionHostError(.payloadTooLarge, "the settings of the network are too large")
            }
            try socket.send(bytes, descriptors: descriptors, waiting: true)
        } catch {
            state.withLock { state in (state.questions[number], state.programs[number]) = (nil, nil) }
            throw error
        }
        return try await promise.value.get()
    }

    func close() { _ = shutdown(socket.raw, Int32(SHUT_RDWR)) }

    // MARK: The thread

    func run() {
        var problem: any Error = Self.over
        do {
            let process = try start()
            serve(process)
        } catch {
            problem = error
        }
        let (questions, programs) = state.withLock { state in
            (state.isOver, state.pid) = (true, nil)
            defer { (state.questions, state.programs) = ([:], [:]) }
            return (state.questions.values, state.programs.values)
        }
        for question in questions { question.set(.failure(problem)) }
        for program in programs { program.set(SIGKILL) }
        ended.set(())
    }

    /// Starts the helper. Afterwards only the helper holds its end of the socket.
    private func start() throws -> SpawnedProcess {
        let end = far.withLock { far in
            defer { far = nil }
            return far
        }
        var attributes = SpawnAttributes(executable: program, arguments: ["3"])
        attributes.standardError = .descriptor(2)
        attributes.descriptors = [.init(parent: end?.raw ?? -1, child: 3)]
        do { return try spawn(attributes) } catch {
            throw ExtensionHostError(
                .helperMissing, "\(program) cannot be executed: \(error)", remedy: "Install it again, for this machine")
        }
    }

    private func serve(_ process: borrowing SpawnedProcess) {
        let pid = process.pid
        state.withLock { $0.pid = pid }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.mostBytes, alignment: 8)
        defer { buffer.deallocate() }
        while case .packet(let count, let descriptors)? = try? socket.receive(into: buffer, waiting: true) {
            guard take(Array(buffer[..<count]), descriptors) else { break }
        }
        // The end of the socket ends the namespace, and the helper ends after the last of its processes. A helper that
        // was killed would end before them.
        close()
        for signal in [SIGTERM, SIGKILL] {
            if Self.waitsForEnd(process.pidfd.raw, Self.endLimit) { break }
            _ = try? process.signalTree(signal)
        }
        _ = Self.waitsForEnd(process.pidfd.raw, nil)
        _ = try? process.reap()
    }

    /// The time in which the helper ends by itself, and again after SIGTERM.
    private static let endLimit = Duration.seconds(5)

    /// Waits for the end of a process; false if the limit comes first. Nil: there is none.
    private static func waitsForEnd(_ pidfd: Int32, _ limit: Duration?) -> Bool {
        let end = limit.map { ContinuousClock.now + $0 }
        var entry = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
        while true {
            let rest = end.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
            let count = poll(&entry, 1, rest.map { Int32($0 / .milliseconds(1)) + 1 } ?? -1)
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }

    /// - Returns: false for a packet that the helper does not send.
    private func take(_ bytes: [UInt8], _ descriptors: [SharedDescriptor]) -> Bool {
        guard bytes.last == 0 else { return false }
        let strings = bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard strings.count >= 3, let number = Int(strings[0]) else { return false }
        if strings[1] == "exited" {
            guard let status = UInt32(strings[2]) else { return false }
            state.withLock { $0.programs.removeValue(forKey: number) }?.set(Int32(truncatingIfNeeded: status))
            return true
        }
        guard let question = state.withLock({ $0.questions.removeValue(forKey: number) }) else { return false }
        if strings[1] == "ok" {
            question.set(.success(Answer(number: number, text: strings[2], descriptors: descriptors)))
            return true
        }
        guard strings[1] == "error", strings.count == 6, let code = Int32(strings[3]) else { return false }
        _ = state.withLock { $0.programs.removeValue(forKey: number) }
        question.set(
            .failure(
                ExtensionHostError(
                    Self.steps[strings[2]] ?? .helperMissing, "\(strings[4]): \(String(cString: strerror(code)))",
                    remedy: strings[5].isEmpty ? nil : strings[5])))
        return true
    }
}

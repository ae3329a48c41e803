// InProcessService: the service of background transfers in this process, with scripted answers.

import BackgroundTransfers
import Foundation
import LinuxSystem
import Locks
import TransferMessages
import TransferService

/// A clock that a test moves.
final class TestClock: TransferClock {
    var now = 1_767_225_600 * 1_000_000_000
}

/// A service on a queue of its own. It belongs to that queue, so it is not checked.
final class InProcessService: TransferOutput, @unchecked Sendable {
    static let app = "org.example.app"
    static let group = "group.example"
    static let otherGroup = "group.other"

    private let root: TemporaryDirectory
    private let queue = DispatchQueue(label: "service")
    private let clock = TestClock()
    private var service: TransferService?
    private var receivers: [Int: @Sendable (ServicePortEvent) -> Void] = [:]
    private var failing: String?
    private var wakes: [(session: String, completion: (TransferWakeResult) -> Void)] = []
    private var script: (TransferAttempt) -> ScriptedEngine.Answer

    init(_ script: @escaping (TransferAttempt) -> ScriptedEngine.Answer) throws {
        self.script = script
        root = try TemporaryDirectory(prefix: "exthost-client")
        let folders: [TransferPlace: String] = [
            .group(Self.group): root.path + "/group", .group(Self.otherGroup): root.path + "/other",
        ]
        for folder in folders.values {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        }
        service = try TransferService(
            folder: root.path + "/transfers", container: { folders[$0] }, clock: clock,
            engine: ScriptedEngine(clock: clock) { [unowned self] in self.script($0) }, output: self)
    }

    deinit { try? root.remove() }

    var container: URL { URL(fileURLWithPath: root.path + "/group") }
    var otherContainer: URL { URL(fileURLWithPath: root.path + "/other") }

    /// Connects this process as an extension or an app, in place of what it was.
    @discardableResult
    func connect(
        _ side: TransferClient.Side, number: Int, mayUseNetwork: Bool = true,
        containers: Set<String> = [group, otherGroup]
    ) -> Port {
        let identifier = side == .extension ? Self.app + ".share" : Self.app
        let client = TransferClient(
            number: number, identifier: identifier, app: Self.app, side: side, groups: [Self.group, Self.otherGroup],
            mayUseNetwork: mayUseNetwork)
        let port = Port(self, client)
        let (container, other) = (container, otherContainer)
        BackgroundTransferService.connect(port) { name in
            guard let name, containers.contains(name) else { return nil }
            return name == Self.group ? container : other
        }
        return port
    }

    func perform(_ body: @escaping @Sendable (TransferService) -> Void) {
        queue.async { [self] in
            guard let service else { return }
            body(service)
            for _ in 0..<1_000 {
                service.step()
                guard let next = service.deadline, next <= clock.now else { break }
            }
        }
    }

    func receive(_ number: Int, _ receiver: @escaping @Sendable (ServicePortEvent) -> Void) {
        queue.async { [self] in receivers[number] = receiver }
    }

    /// Ends a connection, as at the end of a process.
    func end(_ number: Int) {
        queue.sync { receivers[number] = nil }
        perform { $0.clientGone(number) }
    }

    /// Breaks a connection, while the process lives.
    func lose(_ number: Int) {
        let receiver = queue.sync { receivers.removeValue(forKey: number) }
        receiver?(.lost)
        perform { $0.clientGone(number) }
    }

    /// Lets the next call of this name fail.
    func failNext(_ name: String) { queue.sync { failing = name } }

    /// The failure of a call, if there is to be one; on the service's queue.
    func takeFailure(of name: String) -> ExtensionHostError? {
        guard failing == name else { return nil }
        failing = nil
        return ExtensionHostError(.stateUnavailable, "the transfer cannot be stored")
    }

    func advance(_ seconds: Double) {
        queue.sync { clock.now += Int(seconds * 1e9) }
        perform { _ in }
    }

    /// The sessions for which the app was woken.
    var woken: [String] { queue.sync { wakes.map(\.session) } }

    /// The files, without the database.
    var files: [String] {
        queue.sync {
            (FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? [])
                .filter { $0.hasSuffix(".part") || $0.hasSuffix(".body") || $0.hasSuffix(".download") }
        }
    }

    func send<Event: PointMessage>(_ event: Event, to client: Int) {
        guard let value = try? PointEncoder.encode(event) else { return }
        receivers[client]?(.event(name: Event.name, value: value))
    }
    func wake(app: String, session: String, completion: @escaping (TransferWakeResult) -> Void) {
        wakes.append((session, completion))
    }
    func denyNetwork(to client: TransferClient, url: String) {}
}

/// The connection of a client.
final class Port: TransferPort, @unchecked Sendable {
    /// Weak, since this process keeps its last port for ever. It is set once.
    private weak var service: InProcessService?
    private let client: TransferClient

    init(_ service: InProcessService, _ client: TransferClient) { (self.service, self.client) = (service, client) }

    func call<Message: PointMessage>(
        _ message: Message, completion: @escaping @Sendable (Result<Message.Reply, any Error>) -> Void
    ) {
        let client = client
        guard let service, let arguments = try? PointEncoder.encode(message) else {
            return completion(.failure(ExtensionHostError(.connectionLost, "the service is gone")))
        }
        service.perform { running in
            if let failure = service.takeFailure(of: Message.name) { return completion(.failure(failure)) }
            running.call(Message.name, arguments, from: client) { answer in
                completion(
                    answer.flatMap { reply in Result { try PointDecoder.decode(Message.Reply.self, from: reply) } })
            }
        }
    }

    func receive(_ receiver: @escaping @Sendable (ServicePortEvent) -> Void) {
        service?.receive(client.number, receiver)
    }
}

/// A delegate that reports each event as text.
final class Recorder: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, Sendable {
    private let events: AsyncStream<String>
    private let add: AsyncStream<String>.Continuation
    private let seen = Mutex<[String]>([])

    override init() { (events, add) = AsyncStream.makeStream() }

    /// Returns the events up to the one with this beginning.
    func events(through beginning: String) async -> [String] {
        for await event in events where event.hasPrefix(beginning) { break }
        return seen.withLock { $0 }
    }

    /// The events so far.
    var all: [String] { seen.withLock { $0 } }

    private func note(_ text: String) {
        seen.withLock { $0.append(text) }
        add.yield(text)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        note("invalid \((error as NSError?)?.code ?? 0)")
    }
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { note("finished") }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let error = error as NSError?
        if let error { precondition(error.domain == NSURLErrorDomain) }
        note("completed \(error?.code ?? (task.response as? HTTPURLResponse)?.statusCode ?? 0)")
    }
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) { note("sent \(totalBytesSent)/\(totalBytesExpectedToSend)") }
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note("data \(String(decoding: data, as: UTF8.self))")
    }
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        note(
            "file \((try? Data(contentsOf: location)).map { String(decoding: $0.prefix(20), as: UTF8.self) } ?? "none")"
        )
    }
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) { note("wrote \(totalBytesWritten)/\(totalBytesExpectedToWrite)") }
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) { note("at \(fileOffset)/\(expectedTotalBytes)") }
}

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

    private let root: TemporaryDirectory
    private let queue = DispatchQueue(label: "service")
    private let clock = TestClock()
    private var service: TransferService?
    private var receivers: [Int: @Sendable (ServicePortEvent) -> Void] = [:]
    private var wakes: [(session: String, completion: (TransferWakeResult) -> Void)] = []
    private var script: (TransferAttempt) -> ScriptedEngine.Answer

    init(_ script: @escaping (TransferAttempt) -> ScriptedEngine.Answer) throws {
        self.script = script
        root = try TemporaryDirectory(prefix: "exthost-client")
        let container = root.path + "/group"
        try FileManager.default.createDirectory(atPath: container, withIntermediateDirectories: false)
        service = try TransferService(
            folder: root.path + "/transfers", container: { $0 == .group(Self.group) ? container : nil }, clock: clock,
            engine: ScriptedEngine(clock: clock) { [unowned self] in self.script($0) }, output: self)
    }

    deinit { try? root.remove() }

    var container: URL { URL(fileURLWithPath: root.path + "/group") }

    /// Connects this process as an extension or an app, in place of what it was.
    @discardableResult
    func connect(_ side: TransferClient.Side, number: Int, mayUseNetwork: Bool = true) -> Port {
        let identifier = side == .extension ? Self.app + ".share" : Self.app
        let client = TransferClient(
            number: number, identifier: identifier, app: Self.app, side: side, groups: [Self.group],
            mayUseNetwork: mayUseNetwork)
        let port = Port(self, client)
        let container = container
        BackgroundTransferService.connect(port) { $0 == Self.group ? container : nil }
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

    func send(_ event: EncodedValue, name: String, to client: Int) {
        receivers[client]?(.event(name: name, value: event))
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

    func call(
        _ name: String, _ arguments: EncodedValue,
        completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
    ) {
        let client = client
        guard let service else {
            return completion(.failure(ExtensionHostError(.connectionLost, "the service is gone")))
        }
        service.perform { $0.call(name, arguments, from: client, answer: completion) }
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

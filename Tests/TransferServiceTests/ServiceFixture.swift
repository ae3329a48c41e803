// ServiceFixture: a service in a folder of its own, with a virtual clock, scripted answers, and clients.

import ExtensionPointKit
import Foundation
import LinuxSystem
import TransferMessages

@testable import TransferService

final class VirtualClock: TransferClock {
    /// 2026-01-01.
    static let start = 1_767_225_600
    var now = VirtualClock.start * 1_000_000_000
    func advance(_ seconds: Double) { now += Int(seconds * 1e9) }
}

/// The program around a service, which stores what it is asked for.
final class RecordingOutput: TransferOutput {
    struct Sent {
        var name: String
        var value: EncodedValue
        var client: Int
    }
    struct Wake {
        var app, session: String
        var completion: (TransferWakeResult) -> Void
    }

    var sent: [Sent] = []
    var wakes: [Wake] = []
    var denied: [String] = []

    func send<Event: PointMessage>(_ event: Event, to client: Int) {
        guard let value = try? PointEncoder.encode(event) else { return }
        sent.append(Sent(name: Event.name, value: value, client: client))
    }
    func wake(app: String, session: String, completion: @escaping (TransferWakeResult) -> Void) {
        wakes.append(Wake(app: app, session: session, completion: completion))
    }
    func denyNetwork(to client: TransferClient, url: String) { denied.append("\(client.identifier) \(url)") }

    func events<Message: PointMessage>(_ type: Message.Type, to client: Int? = nil) throws -> [Message] {
        try sent.filter { $0.name == Message.name && $0.client == client ?? $0.client }
            .map { try PointDecoder.decode(type, from: $0.value) }
    }
}

/// A folder, and the life of a service in it.
final class ServiceFixture {
    let root: TemporaryDirectory
    let clock = VirtualClock()
    let output = RecordingOutput()
    var policy = TransferPolicy()
    var faults = TransferFaults()
    var script: (TransferAttempt) -> ScriptedEngine.Answer = { _ in .init(200, body: Array("hello".utf8)) }
    private(set) var engine: ScriptedEngine!
    private(set) var service: TransferService!

    static let app = "org.example.app"
    static let group = "group.example"
    let share = ServiceFixture.client(1, "org.example.app.share", .extension)
    let main = ServiceFixture.client(2, "org.example.app", .app)
    let tool = ServiceFixture.client(99, "exthostctl", .tool)

    static func client(
        _ number: Int, _ identifier: String, _ side: TransferClient.Side, app: String = app,
        groups: Set<String> = [group]
    ) -> TransferClient {
        TransferClient(
            number: number, identifier: identifier, app: app, side: side, groups: groups, mayUseNetwork: true)
    }

    /// Other groups, whose containers are folders of their names.
    static let otherGroup = "group.other"

    init(root: TemporaryDirectory? = nil) throws {
        self.root = try root ?? TemporaryDirectory(prefix: "exthost-transfers")
        try FileManager.default.createDirectory(atPath: container, withIntermediateDirectories: true)
        policy.boot = "first"
    }

    deinit {
        service = nil
        try? root.remove()
    }

    var container: String { root.path + "/group" }
    var folder: String { root.path + "/transfers" }

    /// Ends the service, if there is one, and starts another in the same folder.
    func start() throws {
        service = nil
        engine = ScriptedEngine(clock: clock) { [unowned self] in script($0) }
        engine.pieceSize = 700
        let (container, other) = (container, root.path + "/other")
        service = try TransferService(
            folder: folder,
            container: {
                switch $0 {
                case .group(Self.group), .app(Self.app): container
                case .group(Self.otherGroup): other
                default: nil
                }
            },
            clock: clock, engine: engine, output: output, policy: policy, faults: faults)
        service.step()
    }

    /// Ends the service, and forgets the faults, whose functions may know this fixture.
    func end() { (service, faults) = (nil, TransferFaults()) }

    @discardableResult
    func call<Message: PointMessage>(_ message: Message, _ client: TransferClient) throws -> Message.Reply {
        var answer: Result<EncodedValue, any Error>?
        service.call(Message.name, try PointEncoder.encode(message), from: client) { answer = $0 }
        // The file of an upload may be copied in slices.
        for _ in 0..<10_000 where answer == nil { service.step() }
        guard let answer else { throw ExtensionHostError(.internalError, "the service has not answered") }
        return try PointDecoder.decode(Message.Reply.self, from: try answer.get())
    }

    @discardableResult
    func open(
        _ client: TransferClient, _ identifier: String = "s", container: String? = ServiceFixture.group,
        _ change: (inout TransferConfiguration) -> Void = { _ in }
    ) throws -> OpenTransferSession.Reply {
        var configuration = TransferConfiguration(identifier: identifier, container: container)
        change(&configuration)
        return try call(OpenTransferSession(configuration), client)
    }

    /// Adds a download and lets it run; returns its number.
    @discardableResult
    func download(_ client: TransferClient, _ url: String = "https://example.org/a", session: String = "s") throws
        -> Int
    {
        let reply = try call(
            AddTransferTask(session: session, kind: .download, request: TransferRequest(url: url)), client)
        guard let task = reply.task else {
            throw ExtensionHostError(.internalError, "refused: \(reply.fault?.message ?? "")")
        }
        try call(ResumeTransferTask(session: session, task: task), client)
        return task
    }

    /// Lets the service work, and its clock jump to the next deadline, until nothing is due within `seconds`.
    func run(_ seconds: Double = 0) {
        let end = clock.now + Int(seconds * 1e9)
        for _ in 0..<10_000 {
            service.step()
            guard let next = service.deadline, next <= end else { break }
            clock.now = max(clock.now, next)
        }
        clock.now = max(clock.now, end)
        service.step()
    }

    func contents(_ file: String?, in container: String? = nil) -> [UInt8]? {
        file.flatMap { FileManager.default.contents(atPath: (container ?? self.container) + "/" + $0) }
            .map { [UInt8]($0) }
    }

    /// The files of the service and of its container, without the database.
    func files() -> [String] {
        let found = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return found.filter {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: root.path + "/" + $0, isDirectory: &isFolder)
            return !isFolder.boolValue && !$0.contains("transfers.sqlite")
        }.sorted()
    }

    /// Confirms all events that a client has got.
    func acknowledge(_ client: TransferClient, session: String = "s") throws {
        let events =
            try output.events(TransferCompletion.self, to: client.number).map(\.event)
            + output.events(TransferEventsFinished.self, to: client.number).map(\.event)
        for event in events.sorted() { try call(AcknowledgeTransferEvent(session: session, event: event), client) }
    }
}

/// Bytes that differ between versions at every place.
func fileBytes(_ count: Int, version: Int = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ version &* 97 &+ 1) }
}

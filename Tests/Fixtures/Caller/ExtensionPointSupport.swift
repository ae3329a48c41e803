// The framework of the extension point that CallTests uses, and its extension.

import CallVocabulary
import ExtensionFoundation
import ExtensionPointKit
import Foundation
import PointFrameworkKit

final class Caller: NSObject, NSExtensionRequestHandling {
    private(set) var context: NSExtensionContext?
    private(set) var queue = ""

    func beginRequest(with context: NSExtensionContext) {
        self.context = context
        queue = queueLabel()
    }
}

/// The context of this extension point.
final class CallerContext: NSExtensionContext, @unchecked Sendable {
    override func completeRequest(
        returningItems items: [Any]?, completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        guard Bundle.main.object(forInfoDictionaryKey: "TestStays") == nil else { return }
        super.completeRequest(returningItems: items, completionHandler: completionHandler)
    }
}

/// The label of the current queue. Swift's Dispatch leaves the function out on Linux.
private func queueLabel() -> String {
    typealias GetLabel = @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>
    guard let symbol = dlsym(nil, "dispatch_queue_get_label") else { return "unknown" }
    return String(cString: unsafeBitCast(symbol, to: GetLabel.self)(nil))
}

final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    /// What one request has seen.
    private final class Record: Sendable {
        private let lock = NSLock()
        // Behind the lock.
        nonisolated(unsafe) private var state = (history: History.Reply(), waits: [@Sendable () -> Void]())
        nonisolated(unsafe) private var paths: [String] = []

        /// Adds a path, and returns those at which there is a file.
        func add(_ path: String) -> [String] {
            lock.withLock {
                paths.append(path)
                return paths.filter(FileManager.default.fileExists)
            }
        }

        var history: History.Reply { lock.withLock { state.history } }

        func change(_ body: (inout History.Reply) -> Void) { lock.withLock { body(&state.history) } }

        func wait(_ body: @escaping @Sendable () -> Void) {
            lock.withLock {
                state.history.waiting += 1
                state.waits.append(body)
            }
        }

        func release() {
            let waits = lock.withLock { state.waits }
            for wait in waits { wait() }
        }
    }

    init() {}

    var contextClass: NSExtensionContext.Type { CallerContext.self }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        let record = session.state(Record.self) { Record() }
        switch call.name {
        case Echo.name:
            let echo = try call.decode(Echo.self)
            record.change { $0.texts.append(echo.text) }
            return try PointEncoder.encode(Echo.Reply(echo))
        case End.name: return try await end(try call.decode(End.self).way, call, session, record)
        case Count.name: return try await count(try call.decode(Count.self), call, record)
        case Ask.name:
            if try call.decode(Ask.self).name == Unlisted.name {
                return try PointEncoder.encode(try await session.call(Unlisted()))
            }
            return try PointEncoder.encode(try await session.call(Question("Who is it?")))
        case Duplicate.name:
            let file = FileHandle(
                fileDescriptor: try call.decode(Duplicate.self).file.descriptor.raw, closeOnDealloc: false)
            let contents = try file.readToEnd() ?? Data()
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("doubled")
            try (contents + contents).write(to: path)
            let doubled = try PointFile(readingAt: path.path)
            try FileManager.default.removeItem(at: path)
            return try PointEncoder.encode(Duplicate.Reply(doubled))
        case Facts.name:
            let caller = session.principal as? Caller
            return try PointEncoder.encode(
                Facts.Reply(
                    queue: queueLabel(), isQueueOfBegin: queueLabel() == caller?.queue,
                    isMainThread: Thread.isMainThread, context: "\(type(of: session.context))",
                    isContextOfBegin: caller?.context === session.context))
        case Speak.name: return try PointEncoder.encode(try await speak(try call.decode(Speak.self), session))
        case Lend.name: return try PointEncoder.encode(try lend(try call.decode(Lend.self), call, session, record))
        case Present.name:
            let path = try call.decode(Present.self).path
            return try PointEncoder.encode(Present.Reply(FileManager.default.fileExists(atPath: path)))
        case History.name: return try PointEncoder.encode(record.history)
        case Wait.name:
            let _: Bool = try await session.completion(of: "Caller.wait") { handler in record.wait { handler(true) } }
            return try PointEncoder.encode(Wait.Reply(record.history.waiting))
        case Attend.name:
            try attend(try call.decode(Attend.self), session, record)
            return try PointEncoder.encode(Nothing())
        case Release.name:
            record.release()
            return try PointEncoder.encode(Nothing())
        // As a framework of widgets that is newer than its host.
        case "today.settings":
            return EncodedValue(
                plist: ["modes": ["largest": "gigantic", "chosen": "gigantic", "number": 1], "colour": "blue"])
        case "today.performUpdate": return EncodedValue(plist: ["result": "postponed"])
        default: throw CocoaError(.featureUnsupported)
        }
    }

    private func attend(_ message: Attend, _ session: PointSession, _ record: Record) throws {
        let opened = Opened()
        let stream = try session.openStream(message.offer) { entries in
            switch message.way {
            case .echo: try? opened.stream.send(entries)
            case .hold:
                record.change { $0.texts.append(contentsOf: entries.map { String(decoding: $0, as: UTF8.self) }) }
                let released = DispatchSemaphore(value: 0)
                record.wait { released.signal() }
                released.wait()
            case .closeAfterFirst:
                try? opened.stream.send(Array(entries.prefix(1)))
                opened.stream.close()
            }
        } onClose: { error in
            record.change { $0.texts.append("closed \((error as? ExtensionHostError).map { "\($0.code)" } ?? "well")") }
        }
        opened.set(stream)
    }

    /// A stream, which its receiver needs. The receiver waits until it is there.
    private final class Opened: Sendable {
        private let lock = NSCondition()
        nonisolated(unsafe) private var value: PointStream?

        func set(_ stream: PointStream) {
            lock.withLock {
                value = stream
                lock.broadcast()
            }
        }

        var stream: PointStream {
            lock.withLock {
                while true {
                    if let value { return value }
                    lock.wait()
                }
            }
        }
    }

    private func end(
        _ way: End.Way, _ call: IncomingCall, _ session: PointSession, _ record: Record
    ) async throws -> EncodedValue {
        switch way {
        case .fail:
            throw NSError(domain: "CallerError", code: 7, userInfo: [NSLocalizedDescriptionKey: "No luck", "n": 3])
        case .hang:
            record.change { $0.hanging += 1 }
            call.whenExpired { record.change { $0.expired += 1 } }
            call.whenCancelled { record.change { $0.cancelled += 1 } }
            let _: Int = try await session.completion(of: "Caller.hang") { handler in
                call.whenCancelled { _ = handler }
            }
        case .drop: let _: Int = try await session.completion(of: "Caller.drop") { _ in }
        case .twice:
            let _: Int = try await session.completion(of: "Caller.twice") { handler in
                handler(1)
                handler(2)
            }
        case .exit: exit(3)
        case .complete:
            session.context.completeRequest(returningItems: [])
            let _: Int = try await session.completion(of: "Caller.complete") { handler in
                call.whenCancelled { _ = handler }
            }
        }
        return try PointEncoder.encode(Nothing())
    }

    private func speak(_ message: Speak, _ session: PointSession) async throws -> Speak.Reply {
        let author: any Speaking & Sendable =
            switch message.form {
            case .handler: WithHandler()
            case .async: WithAsync(fails: message.fails == true)
            case .both: WithBoth()
            case .neither: WithNeither()
            }
        let text: String = try await session.eitherForm(
            of: "\(type(of: author)).speak(completionHandler:)",
            handler: { author.speak(completionHandler: $0) }, async: { try await author.speak() })
        return Speak.Reply(text, remark: session.ifWritten { author.remark() })
    }

    private func lend(
        _ message: Lend, _ call: IncomingCall, _ session: PointSession, _ record: Record
    ) throws -> Lend.Reply {
        let url = try session.lend(message.file, named: message.fileName, for: message.stays == true ? nil : call)
        let present = record.add(url.path)
        let contents = try String(contentsOf: url, encoding: .utf8)
        try Data("changed".utf8).write(to: url)
        if message.fails == true { throw NSError(domain: url.path, code: 1) }
        return Lend.Reply(path: url.path, contents: contents, present: present)
    }

    private func count(_ message: Count, _ call: IncomingCall, _ record: Record) async throws -> EncodedValue {
        let numbers = 1...message.upTo
        if message.atOnce == true {
            try await withThrowingTaskGroup { group in
                for number in numbers {
                    group.addTask {
                        do {
                            try await call.send(part: try PointEncoder.encode(Count.Part(number)))
                        } catch {
                            record.change { $0.refused += 1 }
                            throw error
                        }
                    }
                }
                try await group.waitForAll()
            }
        } else {
            for number in numbers { try await call.send(part: try PointEncoder.encode(Count.Part(number))) }
        }
        return try PointEncoder.encode(Count.Reply(numbers.reduce(0, +)))
    }
}

/// The methods that an author writes. All methods are optional, and the first two are forms of one.
private protocol Speaking {
    func speak(completionHandler: @escaping @Sendable (String) -> Void)
    func speak() async throws -> String
    func remark() -> String
}

extension Speaking {
    func speak(completionHandler: @escaping @Sendable (String) -> Void) { PointSession.notWritten() }
    func speak() async throws -> String {
        PointSession.notWritten()
        return ""
    }
    func remark() -> String {
        PointSession.notWritten()
        return ""
    }
}

private struct WithHandler: Speaking {
    func speak(completionHandler: @escaping @Sendable (String) -> Void) { completionHandler("by handler") }
    func remark() -> String { "a remark" }
}

private struct WithAsync: Speaking {
    let fails: Bool
    func speak() async throws -> String {
        await Task.yield()
        if fails { throw NSError(domain: "CallerError", code: 8) }
        return "by async"
    }
}

private struct WithBoth: Speaking {
    func speak(completionHandler: @escaping @Sendable (String) -> Void) { completionHandler("by handler") }
    func speak() async throws -> String { "by async" }
}

private struct WithNeither: Speaking {}

// The framework of the extension point that CallTests uses, and its extension.

import CallVocabulary
import ExtensionFoundation
import Foundation
import PointCalls

final class Caller: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {}
}

final class ExtensionPointSupport: ExtensionFoundation.ExtensionPointSupport {
    /// What one request has seen. Its code runs on the request's queue.
    private final class Record: Sendable {
        struct State {
            var texts: [String] = []
            var expired = 0
            var cancelled = 0
        }
        private let lock = NSLock()
        nonisolated(unsafe) private var state = State()  // behind the lock
        var now: State { lock.withLock { state } }
        func change(_ body: (inout State) -> Void) { lock.withLock { body(&state) } }
    }

    init() {}

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        let record = session.state(Record.self) { Record() }
        switch call.name {
        case Echo.name:
            let echo = try call.decode(Echo.self)
            record.change { $0.texts.append(echo.text) }
            return try PointEncoder.encode(Echo.Reply(echo))
        case End.name: return try await end(try call.decode(End.self).way, call, session, record)
        case Count.name: return try await count(try call.decode(Count.self), call)
        case Ask.name:
            if try call.decode(Ask.self).name == Unlisted.name { return try PointEncoder.encode(try await session.call(Unlisted())) }
            return try PointEncoder.encode(try await session.call(Question("Who is it?")))
        case Double2.name:
            let file = FileHandle(fileDescriptor: try call.decode(Double2.self).file.descriptor.raw, closeOnDealloc: false)
            let contents = try file.readToEnd() ?? Data()
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("doubled")
            try (contents + contents).write(to: path)
            return try PointEncoder.encode(Double2.Reply(try PointFile(readingAt: path.path)))
        case History.name:
            let now = record.now
            return try PointEncoder.encode(History.Reply(texts: now.texts, expired: now.expired, cancelled: now.cancelled))
        default: throw CocoaError(.featureUnsupported)
        }
    }

    private func end(
        _ way: End.Way, _ call: IncomingCall, _ session: PointSession, _ record: Record
    ) async throws -> EncodedValue {
        switch way {
        case .fail: throw NSError(domain: "CallerError", code: 7, userInfo: [NSLocalizedDescriptionKey: "No luck", "n": 3])
        case .hang:
            call.whenExpired { record.change { $0.expired += 1 } }
            call.whenCancelled { record.change { $0.cancelled += 1 } }
            let _: Int = try await session.completion(of: "Caller.hang") { handler in
                call.whenExpired { if ProcessInfo.processInfo.environment["EXTHOST_ANSWERS_LATE"] != nil { handler(1) } }
                call.whenCancelled { _ = handler }
            }
        case .drop: let _: Int = try await session.completion(of: "Caller.drop") { _ in }
        case .twice:
            let _: Int = try await session.completion(of: "Caller.twice") { handler in
                handler(1)
                handler(2)
            }
        case .exit: exit(3)
        case .complete: session.context.completeRequest(returningItems: [])
            let _: Int = try await session.completion(of: "Caller.complete") { handler in call.whenCancelled { _ = handler } }
        }
        return try PointEncoder.encode(Nothing())
    }

    private func count(_ message: Count, _ call: IncomingCall) async throws -> EncodedValue {
        let numbers = 1...message.upTo
        if message.atOnce == true {
            try await withThrowingTaskGroup { group in
                for number in numbers { group.addTask { try await call.send(part: try PointEncoder.encode(Count.Part(number))) } }
                try await group.waitForAll()
            }
        } else {
            for number in numbers { try await call.send(part: try PointEncoder.encode(Count.Part(number))) }
        }
        return try PointEncoder.encode(Count.Reply(numbers.reduce(0, +)))
    }
}

// The framework of the extension point that CallTests uses, and its extension.

import CallVocabulary
import ExtensionFoundation
import Foundation
import ExtensionPointKit

final class Caller: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {}
}

final class ExtensionPointSupport: ExtensionFoundation.ExtensionPointSupport {
    /// What one request has seen.
    private final class Record: Sendable {
        private let lock = NSLock()
        // Behind the lock.
        nonisolated(unsafe) private var state = (history: History.Reply(), waits: [@Sendable () -> Void]())

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
            return try PointEncoder.encode(Duplicate.Reply(try PointFile(readingAt: path.path)))
        case History.name: return try PointEncoder.encode(record.history)
        case Wait.name:
            let _: Bool = try await session.completion(of: "Caller.wait") { handler in record.wait { handler(true) } }
            return try PointEncoder.encode(Wait.Reply(record.history.waiting))
        case Release.name:
            record.release()
            return try PointEncoder.encode(Nothing())
        default: throw CocoaError(.featureUnsupported)
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

    private func count(_ message: Count, _ call: IncomingCall) async throws -> EncodedValue {
        let numbers = 1...message.upTo
        if message.atOnce == true {
            try await withThrowingTaskGroup { group in
                for number in numbers {
                    group.addTask { try await call.send(part: try PointEncoder.encode(Count.Part(number))) }
                }
                try await group.waitForAll()
            }
        } else {
            for number in numbers { try await call.send(part: try PointEncoder.encode(Count.Part(number))) }
        }
        return try PointEncoder.encode(Count.Reply(numbers.reduce(0, +)))
    }
}

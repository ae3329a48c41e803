// ExtensionPointSupport: the calls of a file provider, as calls of the author's code.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import Locks
import PointFrameworkKit
import PointMessages

/// The framework's half of `com.apple.fileprovider-nonui`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        let domain = Self.domain(session)
        if let replicated = type as? any (NSObject & NSFileProviderReplicatedExtension).Type {
            return replicated.init(
                domain: domain ?? NSFileProviderDomain(identifier: .init(""), displayName: ""))
        }
        guard type is NSFileProviderExtension.Type, let made = session.makeObject(of: type) as? NSFileProviderExtension
        else {
            throw ExtensionHostError(
                .principalUnsuitable,
                "\(type) is neither a subclass of NSFileProviderExtension nor an NSFileProviderReplicatedExtension",
                remedy: "Be one of the two, or name another class in NSExtensionPrincipalClass")
        }
        made.domain = domain
        return made
    }

    /// The domain that the host's item names.
    private static func domain(_ session: PointSession) -> NSFileProviderDomain? {
        guard let values = (session.context.inputItems.first as? NSExtensionItem)?.userInfo,
            let identifier = values["NSFileProviderDomainIdentifier"] as? String, !identifier.isEmpty
        else { return nil }
        return NSFileProviderDomain(
            identifier: NSFileProviderDomainIdentifier(identifier),
            displayName: values["NSFileProviderDomainDisplayName"] as? String ?? identifier,
            pathRelativeToDocumentStorage: values["NSFileProviderDomainPath"] as? String ?? identifier)
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        switch session.principal {
        case let provider as any NSObject & NSFileProviderReplicatedExtension:
            return try await ReplicatedCalls(provider, session).perform(call)
        case let provider as NSFileProviderExtension:
            return try await StorageCalls(provider, session).perform(call)
        default: throw ExtensionHostError(.contextFinished, "the request has ended")
        }
    }

    func end(_ session: PointSession) {
        session.state(Enumerators.self) { Enumerators() }.invalidate()
        (session.principal as? any NSFileProviderReplicatedExtension)?.invalidate()
    }
}

/// The calls that both forms of providers have.
enum FileCalls {
    /// Encodes a reply.
    static func encode<Value: Encodable>(_ value: Value) throws -> EncodedValue { try PointEncoder.encode(value) }

    /// Waits for a handler that gets a value or an error. The end of the task cancels the progress.
    ///
    /// - Parameters:
    ///   - method: the method, for the log.
    ///   - body: passes the handler to the author's method.
    static func answer<Value: Sendable>(
        of method: String, _ session: PointSession,
        _ body: @Sendable (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Progress?
    ) async throws -> Value {
        let running = RunningProgress()
        return try await withTaskCancellationHandler {
            let result: Result<Value, any Error> = try await session.completion(of: method) { answer in
                running.set(body(answer))
            }
            return try result.get()
        } onCancel: {
            running.cancel()
        }
    }

    /// The result of a handler that gets an item or an error.
    static func result(_ item: (any NSFileProviderItem)?, _ error: (any Error)?) -> Result<FileItem, any Error> {
        if let error { return .failure(error) }
        guard let item else {
            return .failure(
                ExtensionHostError(.invalidArgument, "the handler got neither an item nor an error"))
        }
        return .success(FileItem(item))
    }

    /// Performs a call about a container.
    ///
    /// - Returns: nil for another call.
    static func enumeration(
        _ call: IncomingCall, _ session: PointSession,
        make: (NSFileProviderItemIdentifier) throws -> any NSFileProviderEnumerator
    ) async throws -> EncodedValue? {
        let enumerators = session.state(Enumerators.self) { Enumerators() }
        func enumerator(_ container: String) throws -> any NSFileProviderEnumerator {
            try enumerators.enumerator(of: container) { try make(NSFileProviderItemIdentifier(container)) }
        }
        switch call.name {
        case EnumerateItems.name:
            let message = try call.decode(EnumerateItems.self)
            return try encode(try await session.items(try enumerator(message.container), message.page, call))
        case EnumerateChanges.name:
            let message = try call.decode(EnumerateChanges.self)
            return try encode(try await session.changes(try enumerator(message.container), message.anchor, call))
        case CurrentSyncAnchor.name:
            let found = EnumeratorBox(try enumerator(try call.decode(CurrentSyncAnchor.self).container))
            let anchor: [UInt8]? = try await session.completion(
                of: "\(type(of: found.object)).currentSyncAnchor(completionHandler:)"
            ) { answer in
                found.object.currentSyncAnchor { answer($0.map { [UInt8]($0.rawValue) }) }
            }
            return try encode(CurrentSyncAnchor.Reply(anchor))
        default: return nil
        }
    }

    /// An author's enumerator, which the queue of the request uses.
    private struct EnumeratorBox: @unchecked Sendable {
        let object: any NSFileProviderEnumerator
        init(_ object: any NSFileProviderEnumerator) { self.object = object }
    }

    /// Fetches thumbnails, and sends each as a part of the call.
    static func thumbnails(
        _ call: IncomingCall, _ session: PointSession, of method: String,
        _ fetch:
            @escaping @Sendable (
                [NSFileProviderItemIdentifier], CGSize,
                @escaping @Sendable (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void,
                @escaping @Sendable ((any Error)?) -> Void
            ) -> Progress
    ) async throws -> EncodedValue {
        let message = try call.decode(FetchThumbnails.self)
        let (parts, continuation) = AsyncStream<FetchThumbnails.Part>.makeStream()
        let wanted = Mutex(Set(message.identifiers))
        let report = session.reporter()
        async let sent: Void = {
            for await part in parts { try await call.send(part: try PointEncoder.encode(part)) }
        }()
        defer { continuation.finish() }
        let _: Bool = try await answer(of: method, session) { answer in
            fetch(
                message.identifiers.map { NSFileProviderItemIdentifier($0) },
                CGSize(width: message.width, height: message.height),
                { identifier, data, error in
                    guard wanted.withLock({ $0.remove(identifier.rawValue) }) != nil else {
                        return report("\(method) told of \(identifier.rawValue) again, or unasked (E_HANDLER_TWICE)")
                    }
                    let failure = (error as NSError?)?.localizedDescription
                    continuation.yield(
                        FetchThumbnails.Part(identifier.rawValue, data: data.map { [UInt8]($0) }, failure: failure))
                },
                { error in answer(error.map { .failure($0) } ?? .success(true)) })
        }
        continuation.finish()
        try await sent
        return try encode(Nothing())
    }
}

/// The progress that an author's method has returned. Safe to use from any thread.
final class RunningProgress: Sendable {
    private struct State: @unchecked Sendable {
        var progress: Progress?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func set(_ progress: Progress?) {
        let isDue = state.withLock { state in
            state.progress = progress
            return state.isCancelled
        }
        if isDue { progress?.cancel() }
    }

    func cancel() {
        let running = state.withLock { state in
            state.isCancelled = true
            return State(progress: state.progress)
        }
        running.progress?.cancel()
    }
}

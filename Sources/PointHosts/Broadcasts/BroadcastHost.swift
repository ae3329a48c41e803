// BroadcastHost: a host that sets broadcasts up, and gives their uploads the samples of a screen.

public import ExtensionHost
public import ExtensionPointKit
import ExtensionProtocol
public import Foundation
import Locks
import PointMessages
import PropertyListCoding

/// Sets broadcasts up, and begins them.
public struct BroadcastHost: Sendable {
    /// The extension point of uploads.
    public static let point = "com.apple.broadcast-services-upload"
    /// The extension point of set-ups.
    public static let setupPoint = "com.apple.broadcast-services-setupui"

    /// The application that is broadcast.
    public struct Application: Sendable, Hashable {
        /// The identifier.
        public var identifier: String
        /// The name for people.
        public var displayName: String
        /// The bytes of the icon, an image file; nil: there is none.
        public var icon: Data?

        /// - Parameters:
        ///   - identifier: the identifier.
        ///   - displayName: the name for people.
        ///   - icon: the bytes of an image file.
        public init(_ identifier: String, displayName: String, icon: Data? = nil) {
            (self.identifier, self.displayName, self.icon) = (identifier, displayName, icon)
        }
    }

    private let host: HostApplication

    /// - Parameter host: the host's connection.
    public init(_ host: HostApplication) { self.host = host }

    /// Shows the view of a set-up.
    ///
    /// - Parameters:
    ///   - identifier: the extension.
    ///   - application: the application that will be broadcast.
    /// - Throws: errors of `HostApplication.begin`.
    public func setUp(_ identifier: String, for application: Application) async throws -> BroadcastSetupSession {
        let box = SetupChoice()
        var handlers = box.handlers
        handlers.on(LoadBroadcastingApplication.self) { _, _ in
            LoadBroadcastingApplication.Reply(
                identifier: application.identifier, displayName: application.displayName,
                icon: application.icon.map { Array($0) })
        }
        return BroadcastSetupSession(try await host.begin(identifier, items: [], handling: handlers), box)
    }

    /// Begins a broadcast: `broadcastStarted(withSetupInfo:)`.
    ///
    /// A broadcast that the extension has ended with an error at once is returned, too: see
    /// `BroadcastSession.finish()`.
    ///
    /// - Parameters:
    ///   - identifier: the upload.
    ///   - setupInfo: the dictionary of the set-up; nil: there is none.
    ///   - limits: the limits of the broadcast.
    /// - Throws: errors of `HostApplication.begin` and of the call, such as `timedOut`, `principalUnsuitable`.
    public func start(
        _ identifier: String, setupInfo: PointValue? = nil, limits: BroadcastSession.Limits = .init()
    ) async throws -> BroadcastSession {
        let flow = BroadcastFlow(limits)
        var handlers = PointHandlers()
        handlers.on(FailBroadcast.self) { message, _ in
            flow.fail(message.failure)
            return Nothing()
        }
        let request = try await host.begin(identifier, items: [], handling: handlers)
        do {
            let (stream, offer) = try await request.makeStream(
                capacity: 4 << 20, onEntries: { flow.receive($0) }, onClose: { flow.closed($0) })
            flow.use(stream)
            let words = try await request.call(
                StartBroadcast(setupInfo: setupInfo, stream: offer), limit: limits.call, grace: BroadcastSession.grace)
            try flow.started(words)
            return BroadcastSession(request, flow, limits)
        } catch {
            flow.close()
            try? await request.cancel()
            if case .refused = await request.outcome { throw await request.explanation ?? error }
            if case .cancelled(.cancelledByExtension, let reason) = await request.outcome,
                let kit = ExtensionHostError(crossed: reason)
            {
                throw kit
            }
            throw error
        }
    }
}

/// The choice of a set-up: the first one counts.
///
/// It is taken on the thread that reads the connection, so it is known before the end that follows it.
final class SetupChoice: Sendable {
    private let state = Mutex<(message: CompleteSetup, url: URL)?>(nil)

    var handlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.direct = { [self] call in
            do {
                guard call.name == CompleteSetup.name else {
                    throw ExtensionHostError(.notImplemented, "this side has no handler of \(call.name)")
                }
                try take(try call.decode(CompleteSetup.self))
                call.answer(.success(try PointEncoder.encode(Nothing())))
            } catch {
                call.answer(.failure(error))
            }
        }
        return handlers
    }

    func take(_ message: CompleteSetup) throws {
        guard message.url.utf8.count <= BroadcastWords.longestURL else {
            throw ExtensionHostError(.protocolViolation, "the address of the broadcast has more than 8 KiB")
        }
        guard let url = URL(string: message.url) else {
            throw ExtensionHostError(.invalidArgument, "the address of the broadcast is no URL")
        }
        if let info = message.setupInfo?.plist {
            guard info.dictionary != nil, BroadcastWords.hasRoom(for: info) else {
                throw ExtensionHostError(.protocolViolation, "the setupInfo is no dictionary of at most 64 KiB")
            }
        }
        state.withLock { if $0 == nil { $0 = (message, url) } }
    }

    var value: (message: CompleteSetup, url: URL)? { state.withLock { $0 } }
}

/// The view of a set-up, until the person has chosen. Safe to use from any thread.
public final class BroadcastSetupSession: Sendable {
    /// The choice of the person.
    public struct Setup: Sendable {
        /// The address at which the broadcast is seen.
        public let url: URL
        /// The dictionary for the upload; nil: there is none.
        public let setupInfo: PointValue?
    }

    /// The request, for its view, actions and outcome.
    public let request: ExtensionRequest
    private let choice: SetupChoice

    init(_ request: ExtensionRequest, _ choice: SetupChoice) { (self.request, self.choice) = (request, choice) }

    /// The extension's last view; nil before the first one.
    public var view: ViewElement? { request.view }

    /// Performs a person's action on the view, as `ExtensionRequest.use(_:)` does.
    @discardableResult public func use(_ action: ViewAction) async throws -> ViewElement? {
        try await request.use(action)
    }

    /// Waits for the end of the set-up.
    ///
    /// - Returns: the choice; nil if the person has cancelled, or the host before a choice.
    /// - Throws: the author's error; `ExtensionHostError`: `interrupted` if the process ends, `contextFinished` if the
    ///   extension completes its request without an address, and the reasons of a refused request.
    public func setup() async throws -> Setup? {
        switch await request.outcome {
        case .completed:
            guard let setup = chosen else {
                throw ExtensionHostError(
                    .contextFinished, "the set-up completed its request without an address",
                    remedy: "Call completeRequest(withBroadcast:setupInfo:)")
            }
            return setup
        case .cancelled(.cancelledByExtension, let error):
            if let kit = ExtensionHostError(crossed: error) { throw kit }
            let error = error as NSError
            let isUsual = error.domain == NSCocoaErrorDomain && error.code == CocoaError.userCancelled.rawValue
            guard isUsual else { throw error }
            return nil
        // The host has the choice, even if its cancellation has overtaken the completion.
        case .cancelled: return chosen
        case .interrupted(let cause), .timedOut(let cause), .refused(let cause):
            if let reason = await request.explanation { throw reason }
            throw ExtensionHostError(.interrupted, "the set-up ended without a choice (\(cause.rawValue))")
        }
    }

    private var chosen: Setup? { choice.value.map { Setup(url: $0.url, setupInfo: $0.message.setupInfo) } }

    /// Ends the set-up without a choice, unless there is one already. A set-up with a choice has two seconds for its end.
    public func cancel() async {
        let request = request
        let timer = Task { [choice] in
            // The framework completes the request after the answer to the choice.
            if choice.value != nil { guard (try? await Task.sleep(for: .seconds(2))) != nil else { return } }
            try? await request.cancel()
        }
        _ = await request.outcome
        timer.cancel()
    }
}

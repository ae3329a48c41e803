// ExtensionSession: a process's one connection to the daemon and the requests that it serves.

import Dispatch
import ExtensionConnection
import ExtensionItems
import ExtensionWire
import Foundation
import Glibc
import LinuxDescriptors
import Locks
import PropertyListCoding

/// The session of a process with the daemon.
///
/// It turns packets into calls of the author's code, and answers into packets.
///
/// Each process has one.
final class ExtensionSession: Sendable {

    /// A request with its answer, which is stored until the host has acknowledged it (docs/lifecycle.md, "Request").
    private struct Entry {
        var context: NSExtensionContext
        var answer: (@Sendable () -> Void)?
    }

    private let channel: Channel
    private let principal: PrincipalClass
    private let entries = Mutex<[RequestIdentifier: Entry]>([:])
    private let loads = Mutex(OpenLoads())
    private let lines = Mutex(LoadQueue())
    /// Whether the daemon can stop a load.
    private let controlsLoads: Bool
    /// Whether an answer that nothing follows needs no acknowledgement.
    ///
    /// The connection itself makes sure that the daemon gets it. Another daemon would have to ask for it again.
    private let givesFinalAnswers: Bool
    private let activity = Activity.process
    private let interfaces: ViewPublisher

    init(channel: Channel, welcome: Welcome, principal: PrincipalClass) {
        self.channel = channel
        let version = welcome.version
        controlsLoads = version >= .withLoadControl
        givesFinalAnswers = version >= .withFinalAnswers && !welcome.survives
        interfaces = ViewPublisher(channel: channel, isWanted: version >= .withViews)
        self.principal = principal
    }

    /// Whether its objects live on the main actor and have views.
    private var hasInterface: Bool { principal.type is any InterfacePrincipal.Type }

    /// - Parameter time: the daemon's time; nil if the clock is the system's.
    func start(time: Int?) throws {
        if hasInterface { InterfaceChanges.observe(activity) { [interfaces] in interfaces.showAll() } }
        try channel.start(
            onPacket: { self.receive($0) },
            onRestart: { welcome in
                // It is another daemon, which does not know this process.
                guard welcome.isRecognized else { exit(0) }
                self.goOn()
            },
            onClose: { error in
                // Without its daemon an extension cannot serve requests.
                if error.code != .connectionLost { Self.report("\(error)") }
                exit(0)
            })
        if let time { try ExtensionTime.shared.follow(channel, activity, from: time) }
    }

    // MARK: From the daemon, on the reader thread

    private func receive(_ packet: Packet) {
        do {
            switch packet.kind {
            case .deliver: try begin(packet)
            case .acknowledge: acknowledge(try packet.message(Acknowledge.self).request)
            case .cancelled: withdraw(try packet.message(Cancelled.self).request)
            case .expired: expire(try packet.message(Expired.self).request)
            case .loadProgress:
                let message: LoadProgress = try packet.message()
                loads.withLock { $0.progress(of: message) }?()
            case .useView: try use(packet)
            case .call, .cancelCall, .callPart, .callExpires, .closeService: try receiveCall(packet)
            case .hostState: announce(try packet.message())
            case .clockMoved: ExtensionTime.shared.moved(to: try packet.message(ClockMoved.self).time)
            case .terminate: exit(0)
            case .fence:
                let serial = packet.serial
                activity.whenQuiet { [channel] in try? channel.send(FenceReply(), replyTo: serial) }
            case .checkMainQueue:
                let serial = packet.serial
                // A fence waits for it: with a virtual clock the answer must not depend on timing.
                activity.enter()
                DispatchQueue.main.async { [channel, activity] in
                    try? channel.send(MainQueueRuns(), replyTo: serial)
                    activity.leave()
                }
            default: throw ProtocolError.unexpected(kind: "\(packet.kind)", state: "from the daemon to an extension")
            }
        } catch {
            Self.report("protocol violation by the daemon: \(error)")
            exit(EXIT_FAILURE)
        }
    }

    /// Resumes the session with another daemon, which adopted it from the last one.
    ///
    /// It reports to the daemon what is open here and repeats unacknowledged answers. A caller whose answer does not
    /// come repeats its request.
    private func goOn() {
        principal.framework?.cancelCalls()
        let all = entries.withLock { $0 }
        let work = all.filter { $0.value.context.isFinishing }.map(\.key)
        let open = all.keys.filter { !work.contains($0) }
        let answers = all.filter { $0.value.answer != nil }.map(\.key)
        try? channel.send(StillOpen(requests: open, answers: answers, work: work))
        for entry in all.values { entry.answer?() }
        ProcessChannel.restarted()
        if hasInterface { DispatchQueue.main.async { [interfaces] in interfaces.showAgain() } }
    }

    private func begin(_ packet: Packet) throws {
        let message: Deliver = try packet.message()
        let request = message.request
        let loader = RequestLoader(session: self, request: request)
        let items: [NSExtensionItem]
        do {
            guard let bytes = try packet.payload.bytes() else {
                throw ProtocolError.missing(key: "payload", kind: "deliver")
            }
            let value = EncodedValue(
                plist: try PropertyList(binary: bytes, limits: .payload), descriptors: packet.descriptors)
            items = try decodeItems(value, loader: loader)
        } catch {
            // The fault is the host's, not the daemon's: this request is refused, others continue.
            let refused = ContextOrigin(request: request, session: self).makeContext()
            entries.withLock { $0[request] = Entry(context: refused) }
            refused.cancelRequest(
                withError: ExtensionHostError(
                    .invalidArgument, "the host's items cannot be read",
                    remedy: "Send only values of docs/protocol.md, section 8, from the host", cause: "\(error)"))
            return
        }
        var origin = ContextOrigin(request: request, items: items, session: self)
        origin.point = principal.framework?.open(request, origin.queue, activity, interfaces)
        let context = origin.makeContext(principal.framework?.contextClass ?? NSExtensionContext.self)
        origin.point?.adopt(context)
        entries.withLock { $0[request] = Entry(context: context) }
        activity.enter()
        context.queue.async { [self] in
            defer { activity.leave() }
            // In a test's serial mode no load is answered before the author has made all requests of this function.
            let delivery = ItemMode.current.delivery
            delivery?.hold()
            defer { delivery?.release() }
            do {
                guard hasInterface else { return try begin(context) }
                // The interface is begun on the request's queue too, so that no notification comes before its
                // beginning.
                try DispatchQueue.main.sync { try MainActor.assumeIsolated { try self.beginInterface(context) } }
            } catch {
                context.cancelRequest(withError: error)
            }
        }
    }

    /// Makes the principal object, by the framework of the extension point if it has one.
    private func makePrincipal(_ context: NSExtensionContext, or make: (NSObject.Type) -> NSObject) throws -> NSObject {
        let object = try context.point?.makePrincipal(principal.type) ?? make(principal.type)
        context.adopt(object)
        return object
    }

    private func begin(_ context: NSExtensionContext) throws {
        let object = try makePrincipal(context) { makeObject(of: $0) }
        // The principal class of some extension points has no `beginRequest`.
        (object as? any NSExtensionRequestHandling)?.beginRequest(with: context)
    }

    /// Begins a request with a view (spec 1.4): the object, `beginRequest`, the view.
    @MainActor private func beginInterface(_ context: NSExtensionContext) throws {
        let made = try makePrincipal(context) { type in
            guard let stored = type as? any MadeByStoryboard.Type, let storyboard = MainStoryboard.name else {
                return ExtensionFoundation.makePrincipal(of: type)
            }
            return stored.makeInitial(storyboard)
        }
        guard let object = made as? any NSObject & InterfacePrincipal else { return }
        object.join(context)
        object.beginRequest(with: context)
        guard principal.framework?.showsViewAtBegin ?? true else { return }
        object.present()
        interfaces.open(context.request, object)
    }

    // MARK: Calls of the host, on the reader thread

    private func receiveCall(_ packet: Packet) throws {
        if try ProcessChannel.take(packet) { return }
        if let framework = principal.framework { return try framework.receive(packet) }
        // Nothing here makes calls, so only the call itself needs an answer.
        guard packet.kind == .call else { return }
        let message: Call = try packet.message()
        try channel.send(ErrorReply(principal.missing(message.name)), replyTo: packet.serial)
    }

    private func use(_ packet: Packet) throws {
        let message: UseView = try packet.message()
        let serial = packet.serial
        guard let context = context(message.request) else {
            let error = ExtensionHostError(.contextFinished, "the request has ended")
            return try channel.send(ErrorReply(error), replyTo: serial)
        }
        if let refusal = principal.framework?.refusal(of: message.action) {
            return try channel.send(ErrorReply(refusal), replyTo: serial)
        }
        activity.enter()
        // This runs after the request's beginning.
        context.queue.async { [activity, interfaces] in
            DispatchQueue.main.async {
                interfaces.use(message, serial: serial)
                activity.leave()
            }
        }
    }

    /// Removes the view, if there is one, before any completion handler is called.
    private func dismiss(_ context: NSExtensionContext) {
        guard let ending = context.interfaceEnding() else { return }
        activity.enter()
        DispatchQueue.main.async { [activity, interfaces, request = context.request] in
            interfaces.close(request)
            ending()
            activity.leave()
        }
    }

    private func acknowledge(_ request: RequestIdentifier) {
        guard let context = context(request) else { return }
        entries.withLock { $0[request]?.answer = nil }
        dismiss(context)
        guard let handler = context.acknowledged() else { return forget(request) }
        call(handler, of: context, expired: false)
    }

    private func expire(_ request: RequestIdentifier) {
        guard let context = context(request), let handler = context.expire() else { return }
        call(handler, of: context, expired: true)
    }

    private func withdraw(_ request: RequestIdentifier) {
        guard let context = context(request) else { return }
        dismiss(context)
        // The daemon acknowledges an answer that crossed with the end on the wire.
        if context.withdraw() { forget(request) }
    }

    private func announce(_ message: HostStateChanged) {
        for request in message.requests {
            guard let context = context(request) else { continue }
            activity.enter()
            context.queue.async { [activity, hasInterface] in
                defer { activity.leave() }
                let post: @Sendable () -> Void = {
                    NotificationCenter.default.post(name: message.notification.name, object: context)
                }
                // The observers of an extension with a view change the view.
                if hasInterface { DispatchQueue.main.sync(execute: post) } else { post() }
            }
        }
    }

    private func call(_ handler: @escaping @Sendable (Bool) -> Void, of context: NSExtensionContext, expired: Bool) {
        activity.enter()
        // The first call is a background task (spec 1.2 step 4); the second must not queue behind it.
        DispatchQueue.global(qos: expired ? .userInitiated : .background).async { [self] in
            if !expired, let second = context.handlerStarts() { call(second, of: context, expired: true) }
            handler(expired)
            if context.handlerReturned() {
                try? channel.send(HandlerFinished(request: context.request))
                forget(context.request)
            }
            activity.leave()
        }
    }

    // MARK: From the author's code

    func complete(_ context: NSExtensionContext, items: [Any], work: Bool) {
        let request = context.request
        let strangers = items.filter { !($0 is NSExtensionItem) }
        guard strangers.isEmpty else {
            return cancel(
                context,
                error: ExtensionHostError(
                    .invalidArgument,
                    "completeRequest received \(strangers.count) values that are not NSExtensionItems",
                    remedy: "Return NSExtensionItem objects only"
                ))
        }
        activity.enter()
        encodeReturnedItems(items.compactMap { $0 as? NSExtensionItem }, to: request.description) { [self] result in
            defer { activity.leave() }
            do {
                let value = try result.get()
                let payload = try Payload(try value.plist.encodeBinary())
                let isFinal = isFinal(context)
                send(request, isFinal: isFinal) { [channel] in
                    try? channel.send(
                        Complete(request: request, work: work, isFinal: isFinal), payload: payload,
                        descriptors: value.descriptors)
                }
            } catch let error as ItemCodingError {
                cancel(context, error: error)
            } catch {
                cancel(
                    context,
                    error: ExtensionHostError(.payloadTooLarge, "the returned items cannot be sent", cause: "\(error)"))
            }
        }
    }

    func cancel(_ context: NSExtensionContext, error: any Error) {
        let request = context.request
        // A large error is sent without the author's details: its name is the most important part.
        let bare = NSError(domain: (error as NSError).domain, code: (error as NSError).code)
        let fallback = ExtensionHostError(
            .invalidArgument, "the extension's error cannot be sent",
            remedy: "Use only property list values in its userInfo")
        let candidates: [any Error] = [error, bare, fallback]
        let payload = candidates.lazy.compactMap {
            try? Payload(try encodeError($0, to: request.description).encodeBinary())
        }
        .first
        let isFinal = isFinal(context)
        send(request, isFinal: isFinal) { [channel] in
            try? channel.send(CancelRequest(request: request, isFinal: isFinal), payload: payload ?? .none)
        }
    }

    func reportFault(of request: RequestIdentifier, _ detail: String) {
        Self.report("request \(request): \(detail)")
        try? channel.send(ContextFault(request: request, detail: detail))
    }

    /// Asks the daemon to open a URL; the daemon answers when an app has the URL.
    func open(_ url: URL, of context: NSExtensionContext, completion: @escaping @Sendable (Bool) -> Void) {
        activity.enter()
        let finish: @Sendable (ExtensionHostError?) -> Void = { [activity] error in
            if let error { Self.report("open(_:) opened nothing: \(error)") }
            completion(error == nil)
            activity.leave()
        }
        do {
            try channel.request(OpenURL(request: context.request, url: url.absoluteString)) { answer in
                if case .failure(let error) = answer { finish(error) } else { finish(nil) }
            }
        } catch {
            finish(error)
        }
    }

    /// Asks the host for a value. Returns a function that stops the load there.
    func load(
        _ question: LoadQuestion, of request: RequestIdentifier, progress: @escaping @Sendable (Int64, Int64) -> Void,
        completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
    ) -> @Sendable () -> Void {
        guard context(request)?.canLoad == true else {
            reportFault(of: request, "a load on a finished context failed (E_CONTEXT_FINISHED)")
            completion(.failure(Self.unavailable("the request has ended")))
            return {}
        }
        let number = loads.withLock { $0.add(progress) }
        let start: LoadQueue.Start = { [self] in self.start(number, question, of: request, completion: completion) }
        if lines.withLock({ $0.enter(number, of: request, start) }), !start() { startNext(of: request) }
        return { [self] in
            if lines.withLock({ $0.leave(number, of: request) }) { return _ = loads.withLock { $0.remove(number) } }
            guard controlsLoads, loads.withLock({ $0.remove(number) }) else { return }
            try? channel.send(CancelLoad(request: request, load: number))
        }
    }

    /// Starts the next load in a free place. If it fails at once, the one behind it starts.
    private func startNext(of request: RequestIdentifier) {
        while let start = lines.withLock({ $0.next(of: request) }), !start() {}
    }

    private func start(
        _ number: Int, _ question: LoadQuestion, of request: RequestIdentifier,
        completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
    ) -> Bool {
        do {
            // The request may have ended while the load waited for its turn.
            guard context(request)?.canLoad == true else { throw Self.unavailable("the request has ended") }
            let details = try question.details.map { try Payload(try $0.encodeBinary()) }
            let message = LoadItem(
                request: request, provider: question.provider, type: question.typeIdentifier, load: number,
                form: question.form == .item ? nil : question.form.rawValue)
            let daemon = channel.restarts
            try channel.request(message, payload: details ?? .none) { [self] answer in
                // The load was requested of the last daemon, and is repeated to the next.
                if case .failure(let error) = answer, error.code == .connectionLost, channel.restarts != daemon,
                    loads.withLock({ $0.isOpen(number) })
                {
                    if !start(number, question, of: request, completion: completion) { startNext(of: request) }
                    return
                }
                _ = loads.withLock { $0.remove(number) }
                startNext(of: request)
                completion(Result { try Self.readLoad(answer) })
            }
            return true
        } catch {
            _ = loads.withLock { $0.remove(number) }
            completion(.failure(error is ExtensionHostError ? Self.unavailable("\(error)") : error))
            return false
        }
    }

    // MARK: Inside

    /// Whether nothing of the request is left here once its answer is sent: no completion handler, no view, and no session
    /// of a framework.
    private func isFinal(_ context: NSExtensionContext) -> Bool {
        givesFinalAnswers && !hasInterface && context.point == nil && !context.hasCompletionHandler
    }

    /// Sends an answer. A final one ends the request here; any other is stored until it is acknowledged.
    private func send(
        _ request: RequestIdentifier, isFinal: Bool, _ answer: @escaping @Sendable () -> Void
    ) {
        entries.withLock { entries in
            if !isFinal { entries[request]?.answer = answer }
            entries[request]?.context.answerIsSent()
        }
        answer()
        if isFinal { acknowledge(request) }
    }

    private func context(_ request: RequestIdentifier) -> NSExtensionContext? {
        entries.withLock { $0[request]?.context }
    }

    private func forget(_ request: RequestIdentifier) {
        guard let entry = entries.withLock({ $0.removeValue(forKey: request) }) else { return }
        entry.context.release()
        entry.context.point?.end()
    }

    private static func readLoad(_ answer: Channel.Answer) throws -> EncodedValue {
        let packet: Packet
        switch answer {
        case .success(let answered): packet = answered
        case .failure(let error): throw unavailable("\(error)")
        }
        guard packet.kind == .itemLoaded, let bytes = try packet.payload.bytes() else {
            throw unavailable("the answer is invalid")
        }
        return try decodeAnswer(try PropertyList(binary: bytes, limits: .payload), descriptors: packet.descriptors)
    }

    private static func unavailable(_ why: String) -> NSError {
        NSItemProvider.error(.itemUnavailableError, why)
    }

    /// Writes a line to the extension's log, which its author reads.
    static func report(_ text: String) {
        StandardStreams.writeError("exthost: \(text)\n")
    }
}

/// The loader of the attachments of one request, through the session.
private struct RequestLoader: ItemLoader {
    let session: ExtensionSession
    let request: RequestIdentifier

    /// The owner of the attachments.
    ///
    /// A process that serves several requests may store attachments of one and return them to another, whose host has
    /// others under the same numbers.
    var owner: String { request.description }

    func load(
        _ question: LoadQuestion, progress: @escaping @Sendable (Int64, Int64) -> Void,
        completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
    ) -> @Sendable () -> Void {
        session.load(question, of: request, progress: progress, completion: completion)
    }
}

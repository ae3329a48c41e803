// NSExtensionContext: one request as its extension sees it (spec 1.1, 1.2).

import Dispatch
import ExtensionWire
public import Foundation
import Locks

/// The parts from which the kit makes a context.
struct ContextOrigin: @unchecked Sendable {  // `makeContext` passes it to the initializer on the same thread
    @TaskLocal fileprivate static var next: ContextOrigin?

    var request = RequestIdentifier()
    var items: [Any] = []
    var session: ExtensionSession?
    var point: (any FrameworkSession)?
    // This is a serial queue, which has a thread whenever it has work, so a request that blocks does not delay the
    // others. A thread of Dispatch's own watches the other queues; the first of them would start it, and a confined
    // process cannot have it without noise.
    var queue = DispatchQueue(label: "org.exthost.request")

    /// Makes a context of this class, whose `init()` an author or a framework may have overridden.
    func makeContext(_ type: NSExtensionContext.Type = NSExtensionContext.self) -> NSExtensionContext {
        Self.$next.withValue(self) { makeObject(of: type) }
    }
}

/// A request: its items, and the one answer that ends it. Safe to use from any thread.
///
/// The kit makes one for each request, and keeps it until the request is over and its completion handler has returned.
/// The first answer counts (documented); later ones, and those after the request's end, are ignored and logged (ours).
open class NSExtensionContext: NSObject, @unchecked Sendable {  // all state is behind the one Mutex, or constant
    private enum Phase {
        case open
        /// The extension has answered; the values of the answer's own attachments are being loaded, possibly from the
        /// host's.
        case answering(handler: (@Sendable (Bool) -> Void)?)
        /// The answer is sent. The handler waits for the host's acknowledgement.
        case answered(handler: (@Sendable (Bool) -> Void)?)
        /// The handler's first call is on its queue. If its time is up before it has begun, the second call waits.
        case due(handler: @Sendable (Bool) -> Void, isExpired: Bool)
        /// The handler runs; `calls` of its calls have not returned.
        case handling(handler: @Sendable (Bool) -> Void, calls: Int)
        /// The request is over.
        case over
    }

    /// The items that the host passed, as `NSExtensionItem` objects; empty, never nil, if it passed none.
    ///
    /// The host makes the attachments' values when they are loaded, and only while the request is open.
    public let inputItems: [Any]

    let request: RequestIdentifier
    /// The queue of this request's begin and notifications, in order.
    let queue: DispatchQueue
    /// The session; nil for a context that the author made, which belongs to no request.
    private let session: ExtensionSession?
    private let phase = Mutex(Phase.open)
    private let principal = Mutex(Principal())
    /// The session of the extension point's framework; nil if it has none.
    package let point: (any FrameworkSession)?

    /// A holder that keeps the principal object alive and never touches it.
    private struct Principal: @unchecked Sendable {
        var object: NSObject?
    }

    /// Makes a context without a request, for an author's tests: its answer goes nowhere.
    public override init() {
        let origin = ContextOrigin.next ?? ContextOrigin()
        request = origin.request
        session = origin.session
        point = origin.point
        inputItems = origin.items
        queue = origin.queue
        super.init()
    }

    /// Tells the host that the request is done and hands over `items` (spec 1.2).
    ///
    /// Own providers among the items' attachments are loaded first, so that this process need not answer loads
    /// afterwards. Their handlers may load the host's attachments for that, as long as they take. Providers that came
    /// from the host go back unchanged.
    ///
    /// `completionHandler` is called with `false` once the host has the items. If it still runs when the process must
    /// end, it is called again, concurrently, with `true`, and must stop at once. A second answer to the same request
    /// is ignored and logged. Returns at once, from any thread.
    ///
    /// - Parameters:
    ///   - items: `NSExtensionItem` objects, copied here; other values, or values that cannot travel, cancel the
    ///     request with an error that names them.
    ///   - completionHandler: called on a background queue. It has 5 s (`postComplete`) from its call with `false` to
    ///     the one with `true`, and 1 s (`expire`) from there.
    open func completeRequest(returningItems items: [Any]?, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        guard answer(by: "completeRequest", handler: completionHandler) else { return }
        session?.complete(self, items: items ?? [], work: completionHandler != nil)
    }

    /// Tells the host to give the request up; its outcome is `cancelled(.cancelledByExtension, error)`.
    ///
    /// Returns at once, from any thread.
    ///
    /// - Parameter error: copied here. Its `userInfo` may hold `NSExtensionItemsAndErrorsKey`; values that cannot
    ///   travel are omitted.
    open func cancelRequest(withError error: any Error) {
        guard answer(by: "cancelRequest", handler: nil) else { return }
        session?.cancel(self, error: error)
    }

    /// Asks the system to open a URL, which each extension point allows or not (documented).
    ///
    /// Today and message extensions may, by the scheme of the app around them (`CFBundleURLTypes`); the app is launched
    /// if it does not run. No other extensions open URLs here. Returns at once, from any thread.
    ///
    /// - Parameters:
    ///   - url: at most 16 KiB. Four of a process may wait for their app.
    ///   - completionHandler: called on the request's queue: with `true` once the app has the URL, else with `false`.
    ///     In that case one line of this process's log and the daemon's event `url.refused` give the reason.
    open func open(_ url: URL, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        let answer = { @Sendable [queue] (isOpened: Bool) in
            guard let completionHandler else { return }
            queue.async { completionHandler(isOpened) }
        }
        guard let session else { return answer(false) }
        session.open(url, of: self, completion: answer)
    }

    /// The form that logs of Apple's systems show (observed).
    open override var description: String {
        "<NSExtensionContext: \(ObjectIdentifier(self))> - UUID: \(request) - _isHost: NO\ninputItems:\n\(inputItems)"
    }

    package func reportFault(_ detail: String) { session?.reportFault(of: request, detail) }

    /// Whether the host's attachments can be loaded: until the answer is sent, or the host has gone.
    var canLoad: Bool {
        phase.withLock { phase in
            switch phase {
            case .open, .answering: true
            case .answered, .due, .handling, .over: false
            }
        }
    }

    /// Marks the answer as sent: no load starts any more.
    func answerIsSent() {
        phase.withLock { phase in
            if case .answering(let handler) = phase { phase = .answered(handler: handler) }
        }
    }

    /// Whether the author has answered with a completion handler, which has not been called yet.
    var hasCompletionHandler: Bool {
        phase.withLock { phase in
            switch phase {
            case .answering(let handler), .answered(let handler): handler != nil
            case .open, .due, .handling, .over: false
            }
        }
    }

    /// Whether its completion handler is called, or about to be.
    var isFinishing: Bool {
        phase.withLock { phase in
            switch phase {
            case .due, .handling: true
            case .open, .answering, .answered, .over: false
            }
        }
    }

    func adopt(_ object: NSObject) {
        let kept = Principal(object: object)
        principal.withLock { $0 = kept }
    }

    /// Returns a function that removes the view, if there is one. The function keeps the principal object alive.
    func interfaceEnding() -> (@MainActor @Sendable () -> Void)? {
        let kept = principal.withLock { $0 }
        guard kept.object is any InterfacePrincipal else { return nil }
        return { (kept.object as? any InterfacePrincipal)?.takeDown() }
    }

    private func answer(by call: String, handler: (@Sendable (Bool) -> Void)?) -> Bool {
        let first = phase.withLock { phase in
            guard case .open = phase else { return false }
            phase = .answering(handler: handler)
            return true
        }
        if !first {
            session?.reportFault(of: request, "\(call) on a finished context was ignored (E_CONTEXT_FINISHED)")
        }
        return first
    }

    // MARK: What the session tells

    /// Handles the host's acknowledgement. Returns the completion handler's first call.
    func acknowledged() -> (@Sendable (Bool) -> Void)? {
        phase.withLock { phase in
            guard case .answered(let handler) = phase else { return nil }
            guard let handler else {
                phase = .over
                return nil
            }
            phase = .due(handler: handler, isExpired: false)
            return handler
        }
    }

    /// Begins the first call. Returns the handler if its time is up already: the second call is due as well.
    func handlerStarts() -> (@Sendable (Bool) -> Void)? {
        phase.withLock { phase in
            guard case .due(let handler, let isExpired) = phase else { return nil }
            phase = .handling(handler: handler, calls: isExpired ? 2 : 1)
            return isExpired ? handler : nil
        }
    }

    /// Handles the end of the handler's time. Returns the handler to call with `true` while its first call runs.
    ///
    /// A handler that has not begun yet is called again as it begins: `true` is never the first call (spec 1.2 step 7).
    func expire() -> (@Sendable (Bool) -> Void)? {
        phase.withLock { phase in
            switch phase {
            case .handling(let handler, let calls):
                phase = .handling(handler: handler, calls: calls + 1)
                return handler
            case .due(let handler, _):
                phase = .due(handler: handler, isExpired: true)
                return nil
            default: return nil
            }
        }
    }

    /// Counts one returned call of the handler; returns true for the last.
    func handlerReturned() -> Bool {
        phase.withLock { phase in
            guard case .handling(let handler, let calls) = phase else { return false }
            guard calls == 1 else {
                phase = .handling(handler: handler, calls: calls - 1)
                return false
            }
            phase = .over
            return true
        }
    }

    /// Ends the request without the extension's answer: later answers are ignored.
    ///
    /// Returns false if it had ended already.
    func withdraw() -> Bool {
        phase.withLock { phase in
            guard case .open = phase else { return false }
            phase = .over
            return true
        }
    }

    /// Releases the principal object.
    func release() { principal.withLock { $0 = Principal() } }
}

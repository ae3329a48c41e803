// NEProvider: the members of all providers of the network.

import ExtensionPointKit
import ExtensionWire
public import Foundation
import Locks
import PointFrameworkKit
import PointMessages

/// The base of all providers. The queue of the request calls its methods.
open class NEProvider: NSObject {
    /// The connection of a provider with its request. It is there from the making of the object on.
    let link = ProviderLink()

    public override init() {}

    /// Prepares for the machine's sleep. The author calls the handler within five seconds (ours).
    open func sleep(completionHandler: @escaping @Sendable () -> Void) { PointSession.notWritten() }

    /// The form of `sleep(completionHandler:)` that waits. Either may be written.
    open func sleep() async {}

    /// Tells that the machine is awake.
    open func wake() {}

    /// Shows a message to the user. The handler gets whether the user has seen it.
    open func displayMessage(_ message: String, completionHandler: @escaping (Bool) -> Void) {
        guard let session = link.session else { return completionHandler(false) }
        let handler = AuthorCode(completionHandler)
        session.send(DisplayMessage(message)) { handler.object((try? $0.get().isShown) ?? false) }
    }

    /// The form of `displayMessage(_:completionHandler:)` that waits.
    public func displayMessage(_ message: String) async -> Bool {
        guard let session = link.session else { return false }
        return (try? await session.call(DisplayMessage(message)).isShown) ?? false
    }

    /// The machine's network; nil if the host does not tell of it.
    open var defaultPath: NWPath? { link.path }
}

/// The connection of a provider's object with its request. Safe to use from any thread.
final class ProviderLink: Sendable {
    private struct State {
        weak var session: PointSession?
        var path: NWPath?
    }

    private let state = Mutex(State())

    /// The request; nil before its calls and after its end.
    var session: PointSession? {
        get { state.withLock { $0.session } }
        set { state.withLock { $0.session = newValue } }
    }

    var path: NWPath? { state.withLock { $0.path } }
    func set(_ path: NetworkPath?) { state.withLock { $0.path = path.map { NWPath($0) } } }
}

/// An author's object, which the queue of the request calls, or an author's handler, which is called once.
struct AuthorCode<Object>: @unchecked Sendable {
    let object: Object
    init(_ object: Object) { self.object = object }
}

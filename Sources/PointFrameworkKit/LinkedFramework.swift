// LinkedFramework: the framework that the extension is linked with, as its session drives it.

package import Dispatch
package import ExtensionConnection
package import ExtensionFoundation
package import ExtensionItems
import ExtensionPointKit
package import ExtensionWire
import Foundation
import Locks

/// The calls of hosts, and the object of the framework that performs them. The session finds the class by its name.
package final class LinkedFramework: PointFramework {
    let support: any ExtensionPointSupport
    let port: CallPort
    private let ends: String?
    private let sessions = Mutex<[RequestIdentifier: PointSession]>([:])

    package init?(_ support: AnyClass, ends: String?, _ channel: Channel) {
        guard let type = support as? any ExtensionPointSupport.Type else { return nil }
        self.support = type.init()
        self.ends = ends
        port = CallPort(channel: channel)
    }

    package var contextClass: NSExtensionContext.Type { support.contextClass }
    package var showsViewAtBegin: Bool { support.showsViewAtBegin }
    package func refusal(of action: String) -> ExtensionHostError? { support.refusal(of: action) }

    package func open(
        _ request: RequestIdentifier, _ queue: DispatchQueue, _ activity: Activity, _ views: ViewPublisher
    ) -> any FrameworkSession {
        let session = PointSession(request, queue, self, activity, views)
        sessions.withLock { $0[request] = session }
        return session
    }

    /// Forgets a request, and cancels its calls.
    func close(_ request: RequestIdentifier) {
        sessions.withLock { $0[request] = nil }
        port.requestEnded(request)
    }

    package func receive(_ packet: Packet) throws { try port.receive(packet) { begin($0) } }

    package func cancelCalls() { port.cancelIncoming() }

    /// Returns the session of an open request.
    private func session(_ request: RequestIdentifier) -> PointSession? { sessions.withLock { $0[request] } }

    private func begin(_ call: IncomingCall) {
        guard let session = session(call.request) else {
            call.answer(.failure(ExtensionHostError(.contextFinished, "the request has ended")))
            return
        }
        if call.name == RequestStreams.callName { return session.streams.begin(call) }
        call.perform(
            on: session.queue,
            { [support] in
                defer { session.callEnded(call) }
                // The request has ended meanwhile, or its principal object could not be made.
                guard session.principal != nil else {
                    throw ExtensionHostError(.contextFinished, "the request has ended")
                }
                return try await support.perform(call, session)
            },
            didAnswer: { [self] in
                if call.name == ends { self.session(call.request)?.context.completeRequest(returningItems: []) }
            })
    }
}

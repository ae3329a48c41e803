// InterfaceShow: the views of a process's open requests on their way to their hosts.

import Dispatch
import ExtensionConnection
import ExtensionWire
import PropertyListCoding
import Synchronization

/// What an author's views call when something that can be seen has changed; from any thread.
package enum InterfaceChanges {
    private struct State {
        typealias Observer = (activity: Activity, show: @MainActor @Sendable () -> Void)
        var observer: Observer?
        var isDue = false
    }

    private static let state = Mutex(State())

    static func observe(_ activity: Activity, _ show: @escaping @MainActor @Sendable () -> Void) {
        state.withLock { $0.observer = (activity, show) }
    }

    /// Looks at every view once what runs on the main queue now is done.
    package static func note() {
        let observer = state.withLock { state in
            guard let observer = state.observer, !state.isDue else { return State.Observer?.none }
            state.isDue = true
            return observer
        }
        guard let observer else { return }
        observer.activity.enter()
        DispatchQueue.main.async {
            state.withLock { $0.isDue = false }
            observer.show()
            observer.activity.leave()
        }
    }
}

/// Shows each view when it has changed and its host has seen the one before.
@MainActor final class InterfaceShow {
    private struct Stage {
        let interface: any InterfacePrincipal
        var last: ViewElement?
        var sequence = 0
        var isOnItsWay = false
    }

    private let channel: Channel
    private let isWanted: Bool
    private var stages: [RequestIdentifier: Stage] = [:]

    /// - Parameter isWanted: whether the daemon knows views.
    nonisolated init(channel: Channel, isWanted: Bool) {
        self.channel = channel
        self.isWanted = isWanted
    }

    func open(_ request: RequestIdentifier, _ interface: any InterfacePrincipal) {
        stages[request] = Stage(interface: interface)
        show(request)
    }

    func close(_ request: RequestIdentifier) { stages[request] = nil }

    func showAll() {
        for request in stages.keys { show(request) }
    }

    /// The daemon is another one: whether the last view has come as far as the host nobody can say.
    func showAgain() {
        for request in stages.keys {
            stages[request]?.last = nil
            show(request)
        }
    }

    private func show(_ request: RequestIdentifier) {
        guard isWanted, var stage = stages[request], !stage.isOnItsWay else { return }
        let view = stage.interface.describe()
        guard view != stage.last else { return }
        stage.sequence += 1
        do {
            let message = ShowView(request: request, sequence: stage.sequence)
            try channel.request(message, payload: try Payload(try view.plist.encodeBinary())) { [weak self] _ in
                DispatchQueue.main.async { self?.hostHasSeen(request) }
            }
            stage.isOnItsWay = true
            stage.last = view
        } catch {
            // With the connection gone nobody looks; a view that is too large is said and not shown.
            ExtensionSession.report("request \(request): the view cannot be shown: \(error)")
            stage.last = view
        }
        stages[request] = stage
    }

    private func hostHasSeen(_ request: RequestIdentifier) {
        stages[request]?.isOnItsWay = false
        show(request)
    }

    /// Does what a person did, and says what the view is like then.
    func use(_ message: UseView, serial: UInt32) {
        do {
            guard let interface = stages[message.request]?.interface else {
                throw ExtensionHostError(
                    .invalidArgument, "the extension has no view",
                    remedy: "Use extensions whose principal class is a view controller")
            }
            try interface.perform(message)
            let view = interface.describe()
            stages[message.request]?.sequence += 1
            stages[message.request]?.last = view
            let sequence = stages[message.request]?.sequence ?? 0
            try channel.send(
                ViewUsed(sequence: sequence), payload: try Payload(try view.plist.encodeBinary()), replyTo: serial)
        } catch let error as ExtensionHostError {
            try? channel.send(ErrorReply(error), replyTo: serial)
        } catch {
            try? channel.send(
                ErrorReply(ExtensionHostError(.payloadTooLarge, "the view cannot travel: \(error)")), replyTo: serial)
        }
    }
}

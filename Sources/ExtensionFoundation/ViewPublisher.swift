// ViewPublisher: the views of a process's open requests on their way to their hosts.

import Dispatch
import ExtensionConnection
import ExtensionWire
import Glibc
import Locks
import PropertyListCoding

/// What an author's views call when something that can be seen has changed; from any thread.
package enum InterfaceChanges {
    private struct State {
        typealias Observer = (activity: Activity, show: @MainActor @Sendable () -> Void)
        var observer: Observer?
        var isDue = false
        /// The thread that describes a view now.
        var looker: pthread_t?
        var isNotedMeanwhile = false
    }

    private static let state = Mutex(State())

    static func observe(_ activity: Activity, _ show: @escaping @MainActor @Sendable () -> Void) {
        state.withLock { $0.observer = (activity, show) }
    }

    /// Describes a view. A table makes its rows for that, which notes changes: without end, if each led to another
    /// look.
    ///
    /// - Returns: the view, and whether a change was noted meanwhile.
    @MainActor package static func look(_ describe: () -> ViewElement) -> (view: ViewElement, isNoted: Bool) {
        state.withLock { ($0.looker, $0.isNotedMeanwhile) = (pthread_self(), false) }
        let view = describe()
        return state.withLock { state in
            state.looker = nil
            return (view, state.isNotedMeanwhile)
        }
    }

    /// Looks at every view once what runs on the main queue now is done.
    package static func note() {
        let observer = state.withLock { state in
            if let looker = state.looker, pthread_equal(looker, pthread_self()) != 0 {
                state.isNotedMeanwhile = true
                return State.Observer?.none
            }
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
@MainActor final class ViewPublisher {
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
        let (view, isNoted) = InterfaceChanges.look { stage.interface.describe() }
        guard view != stage.last else { return }
        // The next look may show what this one made.
        if isNoted { InterfaceChanges.note() }
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
            let (view, isNoted) = InterfaceChanges.look { interface.describe() }
            if isNoted, view != stages[message.request]?.last { InterfaceChanges.note() }
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

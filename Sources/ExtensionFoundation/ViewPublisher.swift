// ViewPublisher: the publication of the views of a process's open requests to their hosts.

import Dispatch
import ExtensionConnection
import ExtensionWire
import Glibc
import Locks
import PropertyListCoding

/// The notifications of an author's views about visible changes; from any thread.
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

    /// Describes a view.
    ///
    /// A table makes its rows for that, which reports changes. If each of them led to another description, this would
    /// never end.
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

    /// Runs code of the author's after the present work of the main queue. A fence waits for it.
    package static func later(_ body: @escaping @MainActor () -> Void) {
        let activity = state.withLock { $0.observer?.activity }
        activity?.enter()
        DispatchQueue.main.async {
            MainActor.assumeIsolated { body() }
            activity?.leave()
        }
    }

    /// Describes every view after the present work of the main queue.
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

/// A publisher that shows each view after it has changed and its host has seen the one before.
@MainActor package final class ViewPublisher {
    private struct Stage {
        let interface: any InterfacePrincipal
        var last: ViewElement?
        var sequence = 0
        var isOnItsWay = false
    }

    private let channel: Channel
    private let isWanted: Bool
    private var stages: [RequestIdentifier: Stage] = [:]
    /// The number of the last view of each request whose view is hidden: a host passes over lower ones.
    private var hidden: [RequestIdentifier: Int] = [:]

    /// - Parameter isWanted: whether the daemon knows views.
    nonisolated init(channel: Channel, isWanted: Bool) {
        self.channel = channel
        self.isWanted = isWanted
    }

    package func open(_ request: RequestIdentifier, _ interface: any InterfacePrincipal) {
        guard stages[request] == nil else { return }
        stages[request] = Stage(interface: interface, sequence: hidden.removeValue(forKey: request) ?? 0)
        show(request)
    }

    /// Stops showing a view that may be opened again.
    package func hide(_ request: RequestIdentifier) {
        if let stage = stages.removeValue(forKey: request) { hidden[request] = stage.sequence }
    }

    package func close(_ request: RequestIdentifier) { (stages[request], hidden[request]) = (nil, nil) }

    func showAll() {
        for request in stages.keys { show(request) }
    }

    /// Shows all views again after another daemon has adopted the session: it is unknown whether the last view reached
    /// the host.
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
        // The next description may show the changes that this one made.
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
            // Without the connection there is no reader; a view that is too large is logged and not shown.
            ExtensionSession.report("request \(request): the view cannot be shown: \(error)")
            stage.last = view
        }
        stages[request] = stage
    }

    private func hostHasSeen(_ request: RequestIdentifier) {
        stages[request]?.isOnItsWay = false
        show(request)
    }

    /// Performs a person's action, and answers with the resulting view.
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
                ErrorReply(ExtensionHostError(.payloadTooLarge, "the view cannot be sent: \(error)")), replyTo: serial)
        }
    }
}

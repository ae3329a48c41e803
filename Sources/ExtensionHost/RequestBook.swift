// RequestBook: the requests of one host connection: the open ones, and those whose process still lives.

import ExtensionProtocol
import Locks

/// Keeps open requests alive; a finished one only remembers, as long as somebody holds it, which process it waits for.
final class RequestBook: Sendable {
    private struct Finished {
        weak var request: ExtensionRequest?
        let created: Int
        let timings: Timings
    }

    private struct State {
        var open: [RequestIdentifier: ExtensionRequest] = [:]
        /// By the number of the process.
        var finished: [Int: [Finished]] = [:]
    }

    private let state = Mutex(State())

    func add(_ request: ExtensionRequest) { state.withLock { $0.open[request.identifier] = request } }

    subscript(identifier: RequestIdentifier) -> ExtensionRequest? { state.withLock { $0.open[identifier] } }

    /// Those without an outcome.
    var open: [ExtensionRequest] { state.withLock { Array($0.open.values) } }

    func remove(_ identifier: RequestIdentifier) { state.withLock { $0.open[identifier] = nil } }

    /// The request has its outcome; its process may live on.
    func finished(_ request: ExtensionRequest, _ message: ExtensionProtocol.Finished) {
        state.withLock { state in
            state.open[request.identifier] = nil
            request.resaid.withLock { $0 = nil }
            guard let process = message.process else { return }
            var others = state.finished[process, default: []]
            // Nobody asks any more for those that were let go: looked through now and then, so that it costs nothing a request.
            if others.count >= 32, others.count & (others.count - 1) == 0 { others.removeAll { $0.request == nil } }
            others.append(Finished(request: request, created: message.created, timings: message.timings))
            state.finished[process] = others
        }
        if message.process == nil { request.ended.set(nil) }
    }

    func processExited(_ message: Exited) {
        let waiting = state.withLock { $0.finished.removeValue(forKey: message.process) } ?? []
        for entry in waiting {
            var timings = entry.timings
            timings.exited = Double(message.time - entry.created) / 1e9
            entry.request?.ended.set((message.exit, timings))
        }
    }

    /// Every request that is still open ends here and now, but for those of sessions after `session`.
    func connectionLost(_ error: ExtensionHostError, as cause: Cause = .connectionLost, through session: Int = .max) {
        let left = state.withLock { state in
            let left = state
            state = State()
            state.open = left.open.filter { $0.value.session.load(ordering: .relaxed) > session }
            return left
        }
        let failure = ExtensionHostError(.connectionLost, error.message, remedy: error.remedy, cause: error.cause)
        for request in left.open.values where request.session.load(ordering: .relaxed) <= session {
            request.served.cancelAll()
            request.fail(failure, as: cause)
        }
        for entry in left.finished.values.joined() { entry.request?.ended.set(nil) }
    }
}

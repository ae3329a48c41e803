// RequestBook: the requests of one host connection: the open ones, and those whose process still runs.

import ExtensionProtocol
import Locks

/// The requests of a host.
///
/// It keeps open requests alive, and has weak references to finished ones that wait for their process's end.
final class RequestBook: Sendable {
    private struct Finished {
        weak var request: ExtensionRequest?
        let created: Int
        let timings: Timings
    }

    private struct State {
        var open: [RequestIdentifier: ExtensionRequest] = [:]
        /// The finished requests, by the number of their process.
        var finished: [Int: [Finished]] = [:]
    }

    private let state = Mutex(State())

    func add(_ request: ExtensionRequest) { state.withLock { $0.open[request.identifier] = request } }

    subscript(identifier: RequestIdentifier) -> ExtensionRequest? { state.withLock { $0.open[identifier] } }

    /// The requests without an outcome.
    var open: [ExtensionRequest] { state.withLock { Array($0.open.values) } }

    func remove(_ identifier: RequestIdentifier) { state.withLock { $0.open[identifier] = nil } }

    /// Moves a request with its outcome to the finished ones; its process may still run.
    func finished(_ request: ExtensionRequest, _ message: ExtensionProtocol.Finished) {
        state.withLock { state in
            state.open[request.identifier] = nil
            request.resaid.withLock { $0 = nil }
            guard let process = message.process else { return }
            var others = state.finished[process, default: []]
            // Released requests are not needed any more. They are removed only now and then, so that the cost of each
            // request is small.
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

    /// Ends all open requests now, except those of sessions after `session`.
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
            request.endStreams(failure)
            request.fail(failure, as: cause)
        }
        for entry in left.finished.values.joined() { entry.request?.ended.set(nil) }
    }
}

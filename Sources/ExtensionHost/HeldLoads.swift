// HeldLoads: the loads that a host delays until a test answers them.

import ExtensionProtocol
import Locks

/// The delayed loads, in the order in which the daemon passed them on. Safe to use from any thread.
package final class HeldLoads: Sendable {
    /// A load that waits.
    package struct Load: Sendable, Hashable {
        package let request: RequestIdentifier
        /// The number of the load among those of this host.
        package let number: Int
        /// The number of the attachment, from 1.
        package let provider: Int
    }

    private struct State {
        var last = 0
        var waiting: [(load: Load, serve: @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var waiting: [Load] { state.withLock { $0.waiting.map(\.load) } }

    /// Lets the host answer the load. The answer is sent when the attachment's handler has made it.
    package func answer(_ load: Load) {
        let serve = state.withLock { state in
            state.waiting.firstIndex { $0.load == load }.map { state.waiting.remove(at: $0).serve }
        }
        serve?()
    }

    func hold(_ request: RequestIdentifier, provider: Int, _ serve: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.last += 1
            state.waiting.append((Load(request: request, number: state.last, provider: provider), serve))
        }
    }

    /// Answers the loads of a request that is over.
    ///
    /// They are not needed any more, but the daemon counts them until they are answered.
    func release(_ request: RequestIdentifier) {
        let due = state.withLock { state in
            let due = state.waiting.filter { $0.load.request == request }
            state.waiting.removeAll { $0.load.request == request }
            return due
        }
        for load in due { load.serve() }
    }
}

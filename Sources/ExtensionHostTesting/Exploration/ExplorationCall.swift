// ExplorationCall: a call that the explorer's host makes, and one that it has made.

public import ExtensionHost
import ExtensionProtocol
import Foundation
import Locks

/// A call of the host in every schedule: the step `call N` makes the N-th one of a subject.
public struct ExplorationCall: Sendable {
    /// The name of the call.
    public let name: String
    /// The numbers, from 1, of the calls that a host always makes before this one.
    let after: Set<Int>
    /// Whether the host makes it by itself only once all others are answered.
    let isLast: Bool
    let send: @Sendable (ExtensionRequest, @escaping @Sendable ((any Error)?) -> Void) -> @Sendable () -> Void

    /// - Parameters:
    ///   - message: the call.
    ///   - after: the numbers, from 1, of the calls that a host always makes before this one.
    ///   - isLast: whether the call ends the session: without interference it is made once all others are answered.
    ///   - grace: the time after the call's time limit in which an answer still counts.
    public init(_ message: some PointMessage, after: Set<Int> = [], isLast: Bool = false, grace: Duration? = nil) {
        name = type(of: message).name
        (self.after, self.isLast) = (after, isLast)
        send = { request, completion in
            request.send(message, grace: grace) { answer in
                if case .failure(let error) = answer { completion(error) } else { completion(nil) }
            }
        }
    }
}

/// A call that was made in a schedule.
final class MadeCall: Sendable {
    private struct State {
        var isAnswered = false
        var error: (any Error)?
        var isDisturbed = false
        var cancel: (@Sendable () -> Void)?
    }

    let name: String
    private let state = Mutex(State())

    /// Makes the call.
    init(_ call: ExplorationCall, of request: ExtensionRequest) {
        name = call.name
        let cancel = call.send(request) { [self] error in
            state.withLock { state in
                state.isAnswered = true
                state.error = error
            }
        }
        state.withLock { $0.cancel = cancel }
    }

    var isAnswered: Bool { state.withLock { $0.isAnswered } }

    /// Whether the callee let the time limit pass, though no step had prevented its answer.
    var hasHung: Bool {
        state.withLock { !$0.isDisturbed && ($0.error as? ExtensionHostError)?.code == .timedOut }
    }

    /// Records that a step prevents or cancels the answer.
    func disturb() { state.withLock { $0.isDisturbed = true } }

    func cancel() {
        disturb()
        state.withLock { $0.cancel }?()
    }
}

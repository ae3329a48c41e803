// ClassificationProgress: the state of an open report, as the extension and the person change it.

import ExtensionHost
import ExtensionPointKit
import Foundation
import Locks
import PointMessages

/// The state of one report. Safe to use from any thread.
///
/// The extension's calls are taken on the thread that reads the connection. So they are known before the reply that the
/// extension has sent after them.
final class ClassificationProgress: Sendable {
    typealias Ending = ClassificationSession.Ending

    /// The phases of a report, in their order.
    private enum Phase: Int { case open, asked, reporting, over }

    private struct State {
        var isReady = false
        var phase = Phase.open
        var ending: Ending?
        var readyWaiters: [UUID: CheckedContinuation<Bool, Never>] = [:]
        var endWaiters: [CheckedContinuation<Ending, Never>] = []
    }

    private let state = Mutex(State())

    var isReady: Bool { state.withLock { $0.isReady } }
    var isOver: Bool { state.withLock { $0.ending != nil } }

    var handlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.direct = { [self] call in
            do {
                guard call.name == ChangeClassificationReadiness.name else {
                    throw ExtensionHostError(.notImplemented, "this side has no handler of \(call.name)")
                }
                change(to: try call.decode(ChangeClassificationReadiness.self).isReady)
                call.answer(.success(try PointEncoder.encode(Nothing())))
            } catch {
                call.answer(.failure(error))
            }
        }
        return handlers
    }

    private func change(to isReady: Bool) {
        let waiters = state.withLock { state in
            state.isReady = isReady
            defer { if isReady { state.readyWaiters = [:] } }
            return isReady ? Array(state.readyWaiters.values) : []
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    /// Waits until the extension is ready; false if the report or the task ends before.
    func readiness() async -> Bool {
        let key = UUID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Bool? = state.withLock { state in
                    if state.ending != nil { return false }
                    if state.isReady { return true }
                    if Task.isCancelled { return false }
                    state.readyWaiters[key] = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            state.withLock { $0.readyWaiters.removeValue(forKey: key) }?.resume(returning: false)
        }
    }

    // MARK: Done, and the end

    /// The person presses Done.
    ///
    /// - Throws: `ExtensionHostError` `notPermitted` if the button is disabled, `contextFinished` after Done or the
    ///   end.
    func press() throws {
        try state.withLock { state in
            guard state.phase == .open else {
                throw ExtensionHostError(.contextFinished, "the report is under way, or over")
            }
            guard state.isReady else {
                throw ExtensionHostError(
                    .notPermitted, "the button Done is disabled",
                    remedy: "Set isReadyForClassificationResponse of the extension's context")
            }
            state.phase = .asked
        }
    }

    /// The extension has answered. From now on the report goes its way, whatever becomes of the view.
    ///
    /// - Throws: `ExtensionHostError` `contextFinished` if the person has pressed Cancel meanwhile, or the request has
    ///   ended.
    func beginReport() throws {
        try state.withLock { state in
            guard state.phase == .asked else { throw ExtensionHostError(.contextFinished, "the report is over") }
            state.phase = .reporting
        }
    }

    /// Ends the report, unless the answer is being reported. The first end counts.
    @discardableResult func abandon(_ ending: Ending) -> Bool { end(ending, before: .reporting) }

    /// Ends the report after it has been delivered.
    func finish(_ ending: Ending) { end(ending, before: .over) }

    @discardableResult private func end(_ ending: Ending, before phase: Phase) -> Bool {
        let waiters = state.withLock { state in
            guard state.phase.rawValue < phase.rawValue else {
                return ([CheckedContinuation<Bool, Never>](), [CheckedContinuation<Ending, Never>](), false)
            }
            (state.ending, state.phase) = (ending, .over)
            defer { (state.readyWaiters, state.endWaiters) = ([:], []) }
            return (Array(state.readyWaiters.values), state.endWaiters, true)
        }
        for waiter in waiters.0 { waiter.resume(returning: false) }
        for waiter in waiters.1 { waiter.resume(returning: ending) }
        return waiters.2
    }

    /// The end of the report. The getter waits for it.
    var ending: Ending {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state in
                    if state.ending == nil { state.endWaiters.append(continuation) }
                    return state.ending
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
}

// CallFailure: the reasons why an extension does not answer a call about a file.

public import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
public import Foundation

/// The reason why a call of an extension has no answer.
public enum CallFailure: Sendable {
    /// The extension did not answer in time.
    case timedOut
    /// The extension's process ended, or the request did otherwise.
    case interrupted(Cause?)
    /// The author's code has given this error.
    case thrown(NSError)
    /// The call failed, or the host does not take the answer.
    case failed(ExtensionHostError)

    /// Returns the reason behind the error of a call, and ends the request.
    ///
    /// - Throws: the error itself if the connection or the task has ended.
    init(_ error: any Error, _ request: ExtensionRequest) async throws {
        guard let known = error as? ExtensionHostError else {
            try? await request.cancel()
            if error is CancellationError || (error as? CocoaError)?.code == .userCancelled && Task.isCancelled {
                throw error
            }
            self = .thrown(error as NSError)
            return
        }
        switch known.code {
        case .interrupted, .contextFinished, .noSuchRequest:
            let outcome = await request.outcomeAfterItsCall()
            // The principal class may be unsuitable.
            if case .cancelled(_, let reason) = outcome, let fault = ExtensionHostError(crossed: reason) {
                self = .failed(fault)
            } else if case .refused = outcome, let reason = await request.explanation {
                self = .failed(reason)
            } else {
                self = .interrupted(outcome.cause)
            }
        case .connectionLost: throw known
        default:
            try? await request.cancel()
            self = known.code == .timedOut ? .timedOut : .failed(known)
        }
    }
}

extension CallFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .timedOut: "the extension did not answer in time"
        case .interrupted(let cause): "the request ended (\(cause?.rawValue ?? "no cause"))"
        case .thrown(let error): "\(error.domain) \(error.code): \(error.localizedDescription)"
        case .failed(let error): "\(error)"
        }
    }
}

extension ExtensionRequest {
    /// Waits for the outcome of a request whose call has ended as by the end of its process.
    ///
    /// An extension can answer with such an error itself, and go on: its request is cancelled after 5 s.
    ///
    /// - Parameter willCancel: called before the cancellation.
    func outcomeAfterItsCall(willCancel: @escaping @Sendable () -> Void = {}) async -> RequestOutcome {
        let watch = Task {
            try await Task.sleep(for: .seconds(5))
            willCancel()
            try await cancel()
        }
        defer { watch.cancel() }
        return await outcome
    }

    /// Makes the last call of a session. A request whose extension does not answer it is cancelled.
    ///
    /// - Throws: `CancellationError` after the task was cancelled.
    func end<Message: PointMessage>(with message: Message) async throws where Message.Reply == Nothing {
        do {
            try await call(message)
        } catch {
            try? await cancel()
            try Task.checkCancellation()
        }
    }
}

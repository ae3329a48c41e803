// ClassificationSession: a view in which a person reports messages or calls.

public import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import Locks
internal import PointMessages

/// An open report with the view of an extension, and the host's buttons Cancel and Done. Safe to use from any thread.
public final class ClassificationSession: Sendable {
    /// The end of a report. Each report has one.
    public enum Ending: Sendable {
        /// The person has pressed Cancel.
        case cancelled
        /// The extension has answered, and the report has gone its way.
        case answered(ClassificationReport)
        /// The process has ended, a time limit expired, or the answer was none.
        case ended(ExtensionHostError)
    }

    /// The request, for its outcome and timings.
    public let request: ExtensionRequest

    private let progress: ClassificationProgress
    private let context: ReportContext

    init(_ request: ExtensionRequest, _ progress: ClassificationProgress, _ context: ReportContext) {
        (self.request, self.progress, self.context) = (request, progress, context)
        // The extension may end by itself.
        Task { [request, progress] in
            let outcome = await request.outcome
            progress.abandon(await Self.ending(outcome, request))
        }
    }

    /// The extension's last view.
    public var view: ViewElement? { request.view }

    /// The receiver of the report; nil if the extension declares none.
    public var destination: ClassificationHost.Destination? { context.destination }

    /// Whether the button Done is enabled: the extension has all that it needs for an answer.
    public var isReady: Bool { progress.isReady }

    /// Waits until the button Done is enabled.
    ///
    /// - Returns: whether it is. It is not if the report, or the task, ends before.
    public func waitUntilReady() async -> Bool { await progress.readiness() }

    /// Performs a person's action on the view.
    ///
    /// - Parameter action: the action.
    /// - Throws: as `ExtensionRequest.use`.
    @discardableResult public func use(_ action: ViewAction) async throws -> ViewElement? {
        try await request.use(action)
    }

    /// Presses the button Done: asks the extension for its answer, reports, and takes the view down.
    ///
    /// The cancellation of the task before the answer is as the button Cancel.
    ///
    /// - Returns: the report, of which the parts may have failed.
    /// - Throws: `ExtensionHostError` `notPermitted` if the button is disabled; `contextFinished` after Done, Cancel or
    ///   the end; `invalidArgument` if the answer is none; else the reason why there is no answer. The error of a call
    ///   whose task was cancelled is `CocoaError.userCancelled`.
    @discardableResult public func done() async throws -> ClassificationReport {
        try progress.press()
        let answer: ReportAnswer
        do { answer = try await self.answer() } catch { throw await failure(error) }
        let report = await context.report(answer)
        progress.finish(.answered(report))
        try? await request.end(with: EndClassification())
        _ = await request.outcome
        return report
    }

    /// Presses the button Cancel, which takes the view down. It has no effect while a report is under way.
    public func cancel() async {
        if progress.abandon(.cancelled) {
            // Done may be under way: its call ends with the request.
            try? await request.end(with: EndClassification())
        }
        _ = await progress.ending
        _ = await request.outcome
    }

    /// The end of the report. The getter waits for it.
    public var ending: Ending { get async { await progress.ending } }

    /// Asks for the answer, and begins the report on the thread that reads the connection.
    ///
    /// So an end of the request that comes after the answer cannot overtake it.
    private func answer() async throws -> ReportAnswer {
        let cancellation = Mutex<(isDue: Bool, cancel: (@Sendable () -> Void)?)>((false, nil))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let cancel = request.send(ClassifyCommunications()) { [progress] reply in
                    continuation.resume(
                        with: Result {
                            let answer = try ReportAnswer(try reply.get())
                            try progress.beginReport()
                            return answer
                        })
                }
                let isDue = cancellation.withLock { state in
                    state.cancel = cancel
                    return state.isDue
                }
                if isDue { cancel() }
            }
        } onCancel: {
            let cancel = cancellation.withLock { state in
                state.isDue = true
                return state.cancel
            }
            cancel?()
        }
    }

    /// Ends the report without an answer, unless it has ended; returns the reason of the end that counts.
    private func failure(_ error: any Error) async -> any Error {
        if Task.isCancelled {
            await abandon(.cancelled)
            return error
        }
        let known =
            error as? ExtensionHostError
            ?? ExtensionHostError(.interrupted, "the extension has not answered", cause: "\(error)")
        switch known.code {
        case _ where progress.isOver: break
        case .interrupted, .contextFinished, .noSuchRequest:
            // The outcome says more. An extension can answer with such an error itself, and go on.
            let outcome = await request.outcomeAfterItsCall { [progress] in progress.abandon(.ended(known)) }
            progress.abandon(await Self.ending(outcome, request))
        default: await abandon(.ended(known))
        }
        guard case .ended(let reason) = await progress.ending else {
            return ExtensionHostError(.contextFinished, "the person has pressed Cancel")
        }
        return reason
    }

    /// Ends the report and its request, unless the report has ended.
    private func abandon(_ ending: Ending) async {
        if progress.abandon(ending) { try? await request.cancel() }
    }

    private static func ending(_ outcome: RequestOutcome, _ request: ExtensionRequest) async -> Ending {
        switch outcome {
        case .completed: .ended(ExtensionHostError(.interrupted, "the extension completed the request itself"))
        case .cancelled(.cancelledByHost, _): .cancelled
        case .cancelled(_, let error):
            .ended(ExtensionHostError(.interrupted, "the extension cancelled the request: \(error)"))
        case .interrupted(let cause), .timedOut(let cause), .refused(let cause):
            .ended(
                await request.explanation
                    ?? ExtensionHostError(.interrupted, "the view ended early (\(cause.rawValue))"))
        }
    }
}

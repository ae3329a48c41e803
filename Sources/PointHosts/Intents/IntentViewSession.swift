// IntentViewSession: the interface of an intent, out of views of an extension and of parts that the host shows itself.

public import ExtensionHost
internal import ExtensionProtocol
public import Foundation
internal import Locks
public import PointMessages

/// The interface of an intent, which is open until `end()`. Safe to use from any thread.
public final class IntentViewSession: Sendable {
    /// A view of the extension's.
    public struct View: Sendable {
        /// The request of the view, for its elements and its outcome.
        public let request: ExtensionRequest
        /// The parameters that the host has asked for; empty: the whole interaction.
        public let parameters: [IntentParameterPath]
        /// The parameters that the view displays.
        public let displayed: [IntentParameterPath]
        /// The size in points, within the host's limits.
        public let size: CGSize
        /// Whether the extension has written only the method for whole interactions.
        public let isWhole: Bool
    }

    /// A part of the interface, from top to bottom.
    public enum Part: Sendable {
        /// A view of the extension's.
        case view(View)
        /// The extension wants nothing to be shown for these parameters.
        case hidden([IntentParameterPath])
        /// The host shows this parameter itself.
        case standard(IntentParameterPath)
    }

    /// The class of intents.
    public let className: String
    /// The parts, from top to bottom.
    public let parts: [Part]
    /// The reason why the extension was not asked for all parameters; nil if it was.
    public let failure: CallFailure?
    /// The parts of the answers that have no effect, in words.
    public let remarks: [String]
    private let requests: [ExtensionRequest]
    private let isOver = Mutex(false)

    init(
        _ className: String, _ parts: [Part], _ failure: CallFailure?, _ remarks: [String],
        _ requests: [ExtensionRequest]
    ) {
        (self.className, self.parts, self.failure, self.remarks) = (className, parts, failure, remarks)
        self.requests = requests
    }

    /// The views, from top to bottom.
    public var views: [View] { parts.compactMap { if case .view(let view) = $0 { view } else { nil } } }

    /// The parameters that the host shows itself.
    public var standard: [IntentParameterPath] {
        parts.compactMap { if case .standard(let path) = $0 { path } else { nil } }
    }

    /// Takes the views down, and waits for the end of their requests.
    ///
    /// A request whose extension does not answer is cancelled.
    public func end() async {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        for request in requests {
            if isFirst { await Self.end(request) }
            _ = await request.outcome
        }
    }

    /// Ends a request. The end does not inherit a cancellation, which would overtake the framework's completion.
    static func end(_ request: ExtensionRequest) async {
        await Task {
            do { try await request.call(EndIntentView()) } catch { try? await request.cancel() }
        }.value
        _ = await request.outcome
    }
}

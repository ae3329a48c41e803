// FlowDecision: the decision of a filter about a flow.

public import PointMessages

/// A decision about a flow, or about some of its bytes.
public struct FlowDecision: Sendable, Hashable {
    /// The effect of a decision.
    public enum Effect: String, Sendable, Hashable {
        /// The flow, or the rest of a direction, passes.
        case allowed
        /// The flow has ended.
        case dropped
        /// The flow has ended, and the user gets a page.
        case remediated
        /// The filter sees bytes.
        case filtered
        /// The flow is over, and every byte had its decision.
        case closed
    }

    /// The cause of a decision.
    public enum Reason: Sendable, Hashable, CustomStringConvertible {
        /// The filter has decided.
        case verdict
        /// The filter has not decided.
        case failed(String)
        /// The filter wants to see more bytes than a host holds.
        case tooManyBytes(Int)
        /// The filter was stopped.
        case stopped
        /// The configuration does not filter flows of this kind.
        case notFiltered

        public var description: String {
            switch self {
            case .verdict: "verdict"
            case .failed(let why): "no verdict: \(why)"
            case .tooManyBytes(let count): "the filter lets none of \(count) bytes pass"
            case .stopped: "the filter was stopped"
            case .notFiltered: "the configuration does not filter such flows"
            }
        }
    }

    /// The page of a refused flow.
    public struct Page: Sendable, Hashable {
        /// The address of the page; nil if the control provider's map lacks it.
        public let url: String?
        /// The text of the button.
        public let button: String?
    }

    /// The question that was decided.
    public enum Subject: String, Sendable, Hashable {
        /// A new flow.
        case newFlow
        /// Bytes to the program.
        case inbound
        /// Bytes from the program.
        case outbound
        /// The end of the flow.
        case end
    }

    /// The flow.
    public let flow: NetworkFlow
    /// The question that was decided.
    public let subject: Subject
    /// The effect on the flow.
    public let effect: Effect
    /// The reason of the effect.
    public let reason: Reason
    /// The page, of a flow that is remediated.
    public var page: Page?
    /// The text that is appended to the URL of the flow.
    public var appended: String?
    /// The bytes that have passed so far.
    public var inbound = 0
    /// The outbound bytes that have passed so far.
    public var outbound = 0
}

/// The error of bytes whose flow a filter has ended.
public struct FlowDropped: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cause.
    public let reason: FlowDecision.Reason
    public var description: String { "the flow was dropped (\(reason))" }
}

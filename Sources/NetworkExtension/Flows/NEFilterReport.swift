// NEFilterReport: the outcome of a flow.

public import Foundation
import PointMessages

/// The decision about a flow. The numbers are Apple's (header).
public enum NEFilterAction: Int, Sendable {
    case invalid = 0
    case allow = 1
    case drop = 2
    case remediate = 3
    case filterData = 4
}

/// The event of a report. The numbers are Apple's (header).
public enum NEFilterReportEvent: Int, Sendable {
    case newFlow = 1
    case dataDecision = 2
    case flowClosed = 3
    case statistics = 4
}

/// A report of a decision, or of the end of a flow.
public final class NEFilterReport: NSObject, @unchecked Sendable {
    // Unchecked: the flow is an object of a class that is unchecked, and never changes.

    /// The flow; nil if the provider has never seen it.
    public let flow: NEFilterFlow?
    public let action: NEFilterAction
    public let event: NEFilterReportEvent
    /// The bytes that have come to the program so far.
    public let bytesInboundCount: Int
    /// The bytes that the program has sent so far.
    public let bytesOutboundCount: Int

    init(_ message: FilterReport, _ flow: NEFilterFlow) {
        self.flow = flow
        action = NEFilterAction(rawValue: message.action) ?? .invalid
        event = NEFilterReportEvent(rawValue: message.event) ?? .newFlow
        (bytesInboundCount, bytesOutboundCount) = (message.inbound, message.outbound)
    }
}

// NEFilterVerdict: the decisions of filters.

public import Foundation
import PointMessages

/// The base of all decisions.
open class NEFilterVerdict: NSObject, @unchecked Sendable {
    // Unchecked: the author's code makes and changes it, and the kit reads it after the author has returned it.

    var value: FlowVerdict

    init(_ value: FlowVerdict) { self.value = value }
    init(_ kind: FlowVerdict.Kind) { value = FlowVerdict(kind) }

    /// Whether `handle(_:)` of the provider gets a report of the decision.
    open var shouldReport: Bool {
        get { value.reports ?? false }
        set { value.reports = newValue ? true : nil }
    }
}

/// The frequency of reports about the bytes of a flow. The numbers are Apple's (header).
public enum NEFilterReportFrequency: Int, Sendable {
    case none = 0
    case low = 1
    case medium = 2
    case high = 3
}

// Unchecked: as its base class; the author sets values before it is returned.
/// A decision about a new flow.
open class NEFilterNewFlowVerdict: NEFilterVerdict, @unchecked Sendable {
    /// The frequency of reports while the flow is open. It has no effect here: reports come at its end.
    open var statisticsReportFrequency: NEFilterReportFrequency = .none

    /// Lets the flow pass.
    public class func allow() -> NEFilterNewFlowVerdict { NEFilterNewFlowVerdict(.allow) }
    /// Refuses the flow.
    public class func drop() -> NEFilterNewFlowVerdict { NEFilterNewFlowVerdict(.drop) }
    /// Asks the control provider for rules. The flow is then asked about again.
    public class func needRules() -> NEFilterNewFlowVerdict { NEFilterNewFlowVerdict(.needRules) }
    /// Holds the flow until `resumeFlow(_:with:)`.
    public class func pause() -> NEFilterNewFlowVerdict { NEFilterNewFlowVerdict(.pause) }

    /// Shows the filter bytes of the flow. Bytes of a direction that is not filtered pass.
    ///
    /// - Parameters:
    ///   - inbound: whether the filter sees bytes that come to the program.
    ///   - inboundBytes: the number of bytes that `handleInboundData` gets first at most.
    ///   - outbound: whether the filter sees bytes that the program sends.
    ///   - outboundBytes: the number of bytes that `handleOutboundData` gets first at most.
    public class func filterDataVerdict(
        withFilterInbound inbound: Bool, peekInboundBytes inboundBytes: Int, filterOutbound outbound: Bool,
        peekOutboundBytes outboundBytes: Int
    ) -> NEFilterNewFlowVerdict {
        var value = FlowVerdict(.data)
        value.inboundPeek = inbound ? max(0, inboundBytes) : nil
        value.outboundPeek = outbound ? max(0, outboundBytes) : nil
        return NEFilterNewFlowVerdict(value)
    }

    /// Refuses the flow, and gives the user a page with a link. The control provider's `remediationMap` has both texts.
    public class func remediateVerdict(
        withRemediationURLMapKey urlKey: String, remediationButtonTextMapKey buttonKey: String
    ) -> NEFilterNewFlowVerdict {
        NEFilterNewFlowVerdict(.remediation(urlKey, buttonKey))
    }

    /// Lets a load pass with a text of the control provider's `urlAppendStringMap` at the end of its URL.
    public class func urlAppendStringVerdict(withMapKey key: String) -> NEFilterNewFlowVerdict {
        var value = FlowVerdict(.appendToURL)
        value.urlKey = key
        return NEFilterNewFlowVerdict(value)
    }
}

// Unchecked: as its base class; the author sets values before it is returned.
/// A decision about bytes of a flow.
open class NEFilterDataVerdict: NEFilterVerdict, @unchecked Sendable {
    /// The frequency of reports while the flow is open. It has no effect here: reports come at its end.
    open var statisticsReportFrequency: NEFilterReportFrequency = .none

    override init(_ value: FlowVerdict) { super.init(value) }
    override init(_ kind: FlowVerdict.Kind) { super.init(kind) }

    /// Lets bytes pass, and shows the filter those after them.
    ///
    /// - Parameters:
    ///   - passBytes: the number of bytes that pass, from the first that the filter has just seen.
    ///   - peekBytes: the number of bytes after those that the filter sees next at most.
    public init(passBytes: Int, peekBytes: Int) {
        var value = FlowVerdict(.data)
        (value.pass, value.peek) = (max(0, passBytes), max(0, peekBytes))
        super.init(value)
    }

    /// Lets these bytes and all further ones of the direction pass.
    public class func allow() -> NEFilterDataVerdict { NEFilterDataVerdict(.allow) }
    /// Ends the flow.
    public class func drop() -> NEFilterDataVerdict { NEFilterDataVerdict(.drop) }
    /// Asks the control provider for rules. The filter then gets the same bytes again.
    public class func needRules() -> NEFilterDataVerdict { NEFilterDataVerdict(.needRules) }
    /// Holds the bytes until `resumeFlow(_:with:)`.
    public class func pause() -> NEFilterDataVerdict { NEFilterDataVerdict(.pause) }

    /// Ends the flow, and gives the user a page with a link.
    public class func remediateVerdict(
        withRemediationURLMapKey urlKey: String?, remediationButtonTextMapKey buttonKey: String?
    ) -> NEFilterDataVerdict {
        NEFilterDataVerdict(.remediation(urlKey, buttonKey))
    }
}

// Unchecked: it adds no state to its base class.
/// A decision of the control provider.
open class NEFilterControlVerdict: NEFilterNewFlowVerdict, @unchecked Sendable {
    /// Lets the flow pass. With `updateRules` the data provider's `handleRulesChanged()` is called first.
    public class func allow(withUpdateRules updateRules: Bool) -> NEFilterControlVerdict {
        NEFilterControlVerdict(.control(.allow, updateRules))
    }

    /// Refuses the flow.
    public class func drop(withUpdateRules updateRules: Bool) -> NEFilterControlVerdict {
        NEFilterControlVerdict(.control(.drop, updateRules))
    }

    /// Has the data provider read the new rules and decide.
    public class func updateRules() -> NEFilterControlVerdict { NEFilterControlVerdict(.control(.needRules, true)) }
}

// Unchecked: it adds no state to its base class.
/// A decision about the user's wish for access.
open class NEFilterRemediationVerdict: NEFilterVerdict, @unchecked Sendable {
    /// Gives access.
    public class func allow() -> NEFilterRemediationVerdict { NEFilterRemediationVerdict(.allow) }
    /// Refuses access.
    public class func drop() -> NEFilterRemediationVerdict { NEFilterRemediationVerdict(.drop) }
    /// Asks the control provider.
    public class func needRules() -> NEFilterRemediationVerdict { NEFilterRemediationVerdict(.needRules) }
}

extension FlowVerdict {
    fileprivate static func remediation(_ urlKey: String?, _ buttonKey: String?) -> FlowVerdict {
        var value = FlowVerdict(.remediate)
        (value.urlKey, value.buttonKey) = (urlKey, buttonKey)
        return value
    }

    fileprivate static func control(_ kind: Kind, _ updatesRules: Bool) -> FlowVerdict {
        var value = FlowVerdict(kind)
        value.updatesRules = updatesRules
        return value
    }
}

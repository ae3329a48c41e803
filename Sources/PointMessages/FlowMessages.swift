// FlowMessages: the calls of network filters, app proxies and DNS proxies. A flow is one connection of a program.

public import ExtensionPointKit

// MARK: - Values

/// A host and a port.
public struct FlowEndpoint: Codable, Sendable, Hashable {
    /// The name or the address of the host.
    public var host: String
    public var port: Int

    /// Makes a place; each value is described at its property.
    public init(_ host: String, _ port: Int) { (self.host, self.port) = (host, port) }
}

/// A connection of a program, before its first byte.
public struct NetworkFlow: Codable, Sendable, Hashable {
    /// The kind of the program's connection.
    public enum Kind: String, OpenEnumeration {
        /// A load of a web page or of its parts, of which the URL is known.
        case browser
        /// A connection of a socket.
        case stream
        /// The datagrams of one socket.
        case datagrams
        case unrecognized
    }

    /// The number of the flow in its request.
    public var number: Int
    /// A UUID, by which a filter knows the flow again.
    public var identifier: String
    public var kind: Kind
    /// The address of a load; absent for others.
    public var url: String?
    /// The page that a load belongs to.
    public var parentURL: String?
    /// Whether the other side has opened it.
    public var isInbound: Bool?
    /// The other side. For datagrams, the receiver of the first.
    public var remote: FlowEndpoint?
    /// The program's side.
    public var local: FlowEndpoint?
    /// The name by which the program knows the other side, if it connects by name.
    public var hostname: String?
    /// The identifier of the program's app.
    public var app: String?
    public var appVersion: String?

    /// Makes a flow without a known end.
    public init(_ number: Int, identifier: String, _ kind: Kind) {
        (self.number, self.identifier, self.kind) = (number, identifier, kind)
    }
}

/// The values that an app has saved for its filter.
public struct FilterConfiguration: Codable, Sendable, Hashable {
    public var name: String?
    public var isEnabled: Bool
    public var filtersBrowsers: Bool
    public var filtersSockets: Bool
    public var vendor: PointValue?
    public var serverAddress: String?
    public var username: String?
    public var organization: String?
    public var passwordReference: [UInt8]?
    public var identityReference: [UInt8]?

    /// Makes a configuration that filters both kinds of flows.
    public init() { (isEnabled, filtersBrowsers, filtersSockets) = (true, true, true) }
}

/// A filter's decision about a flow, or about some of its bytes.
public struct FlowVerdict: Codable, Sendable, Hashable {
    /// The kind of the decision.
    public enum Kind: String, OpenEnumeration {
        case allow, drop
        /// The control provider is asked.
        case needRules
        /// The filter wants to see bytes.
        case data
        /// The flow is dropped, and the program gets a page with a link.
        case remediate
        /// The load goes on, with a text appended to its URL.
        case appendToURL
        /// The filter decides later.
        case pause
        case unrecognized
    }

    public var kind: Kind
    /// The number of bytes of a new flow that the filter wants to see first; absent: none of this direction.
    public var inboundPeek: Int?
    public var outboundPeek: Int?
    /// The number of bytes that pass, and of those after them that the filter wants to see next.
    public var pass: Int?
    public var peek: Int?
    /// The keys of the control provider's maps.
    public var urlKey: String?
    public var buttonKey: String?
    /// Whether the filter wants a report.
    public var reports: Bool?
    /// Whether the rules of a control provider have changed.
    public var updatesRules: Bool?

    /// Makes a decision without values.
    public init(_ kind: Kind) { self.kind = kind }
}

/// The texts of a control provider, by the keys that verdicts name.
public struct FilterMaps: Codable, Sendable, Hashable {
    /// The URLs of remediation pages.
    public var remediationURLs: [String: String]?
    /// The texts of the buttons that lead there.
    public var remediationButtons: [String: String]?
    /// The texts that are appended to URLs.
    public var appendedTexts: [String: String]?

    /// Makes empty maps.
    public init() {}
}

/// A datagram of a flow, with the other side that sends or receives it.
public struct FlowDatagram: Codable, Sendable, Hashable {
    public var bytes: [UInt8]
    public var endpoint: FlowEndpoint

    /// Makes a datagram; each value is described at its property.
    public init(_ bytes: [UInt8], _ endpoint: FlowEndpoint) { (self.bytes, self.endpoint) = (bytes, endpoint) }
}

/// An event of a flow, or bytes of it, between a proxy and its host.
public struct FlowEntry: Codable, Sendable, Hashable {
    /// The kind of the event.
    public enum Kind: String, OpenEnumeration {
        /// The proxy has opened the flow.
        case open
        /// The sender reads, and takes up one piece.
        case want
        /// A piece: bytes of a stream, or some datagrams.
        case piece
        /// The sender sends no more pieces.
        case endOfWriting
        /// The sender reads no more pieces.
        case endOfReading
        case unrecognized
    }

    public var flow: Int
    public var kind: Kind
    /// The bytes of a piece, of a stream.
    public var bytes: [UInt8]?
    /// The datagrams of a piece.
    public var datagrams: [FlowDatagram]?
    /// The end that the program shall see as its own, of a flow that is opened.
    public var local: FlowEndpoint?
    /// The number of an error of `NEAppProxyFlowErrorDomain`, with which a direction ends.
    public var error: Int?

    /// Makes an event without values.
    public init(_ flow: Int, _ kind: Kind) { (self.flow, self.kind) = (flow, kind) }
}

/// The names and bounds of flows.
public enum FlowService {
    /// The error domain of the flows of proxies, as reports of Apple's systems have it.
    public static let errorDomain = "NEAppProxyFlowErrorDomain"
    /// The maximum number of flows that one request has at a time.
    public static let mostFlows = 512
    /// The maximum number of bytes of one piece of a flow, and of its datagrams together.
    public static let mostPieceBytes = 64 << 10
    /// The maximum number of datagrams of one piece.
    public static let mostPieceDatagrams = 64
    /// The maximum size of a datagram.
    public static let mostDatagram = 65_507
    /// The maximum number of bytes that one call carries, beside its first entry.
    public static let mostBytes = 256 << 10
    /// The maximum number of entries that one call carries.
    public static let mostEntries = 256
}

// MARK: - Of filters

/// Starts a filter.
public struct StartFilter: PointMessage {
    public static let name = "filter.startFilter"
    public var configuration: FilterConfiguration
    public init(_ configuration: FilterConfiguration) { self.configuration = configuration }
}

/// Stops a filter. After the reply the request is complete.
public struct StopFilter: PointMessage {
    public static let name = "filter.stopFilter"
    /// The number of `NEProviderStopReason`.
    public var reason: Int
    public init(reason: Int) { self.reason = reason }
}

/// Asks a data provider about a new flow.
public struct FilterNewFlow: PointMessage {
    public static let name = "filter.handleNewFlow"
    public typealias Reply = FlowVerdict
    public var flow: NetworkFlow
    public init(_ flow: NetworkFlow) { self.flow = flow }
}

/// Shows a data provider bytes of a flow, which wait for its verdict.
public struct FilterData: PointMessage {
    public static let name = "filter.handleData"
    public typealias Reply = FlowVerdict
    public var flow: Int
    public var isInbound: Bool
    /// The number of bytes of the direction before these.
    public var offset: Int
    public var bytes: [UInt8]

    /// Makes the call; each value is described at its property.
    public init(_ flow: Int, isInbound: Bool, offset: Int, bytes: [UInt8]) {
        (self.flow, self.isInbound, self.offset, self.bytes) = (flow, isInbound, offset, bytes)
    }
}

/// Tells a data provider that it has seen all bytes of a direction.
public struct FilterDataComplete: PointMessage {
    public static let name = "filter.handleDataComplete"
    public typealias Reply = FlowVerdict
    public var flow: Int
    public var isInbound: Bool

    /// Makes the call; each value is described at its property.
    public init(_ flow: Int, isInbound: Bool) { (self.flow, self.isInbound) = (flow, isInbound) }
}

/// Tells a data provider that the user has asked for access to what a flow was refused.
public struct FilterRemediation: PointMessage {
    public static let name = "filter.handleRemediation"
    public typealias Reply = FlowVerdict
    public var flow: NetworkFlow
    public init(_ flow: NetworkFlow) { self.flow = flow }
}

/// Tells a data provider that the control provider has changed the rules.
public struct FilterRulesChanged: PointMessage {
    public static let name = "filter.handleRulesChanged"
    public init() {}
}

/// Tells a provider of a decision that it wanted a report of.
public struct FilterReport: PointMessage {
    public static let name = "filter.handleReport"
    public var flow: NetworkFlow
    /// The number of `NEFilterAction`: 1 allow, 2 drop, 3 remediate, 4 filter data.
    public var action: Int
    /// The number of `NEFilterReportEvent`: 1 new flow, 2 decision about data, 3 flow closed.
    public var event: Int
    public var inbound: Int
    public var outbound: Int

    /// Makes the call; each value is described at its property.
    public init(_ flow: NetworkFlow, action: Int, event: Int, inbound: Int, outbound: Int) {
        (self.flow, self.action, self.event, self.inbound, self.outbound) = (flow, action, event, inbound, outbound)
    }
}

/// Tells a provider that a flow is over.
public struct FilterFlowClosed: PointMessage {
    public static let name = "filter.flowClosed"
    public var flow: Int
    public init(_ flow: Int) { self.flow = flow }
}

/// Decides about a flow that a verdict has paused. From the extension.
public struct FilterResume: PointMessage {
    public static let name = "filter.resumeFlow"
    /// The identifier of the flow.
    public var flow: String
    public var verdict: FlowVerdict

    /// Makes the call; each value is described at its property.
    public init(_ flow: String, _ verdict: FlowVerdict) { (self.flow, self.verdict) = (flow, verdict) }
}

/// Asks a control provider about a flow whose rules the data provider lacks.
public struct ControlNewFlow: PointMessage {
    public static let name = "control.handleNewFlow"
    public typealias Reply = FlowVerdict
    public var flow: NetworkFlow
    public init(_ flow: NetworkFlow) { self.flow = flow }
}

/// Tells a control provider that the user has asked for access to what a flow was refused.
public struct ControlRemediation: PointMessage {
    public static let name = "control.handleRemediation"
    public typealias Reply = FlowVerdict
    public var flow: NetworkFlow
    public init(_ flow: NetworkFlow) { self.flow = flow }
}

/// Tells that the rules have changed. From a control provider.
public struct ControlRulesChanged: PointMessage {
    public static let name = "control.notifyRulesChanged"
    public init() {}
}

/// Gives the host the texts of a control provider. From the extension.
public struct ControlMaps: PointMessage {
    public static let name = "control.maps"
    public var maps: FilterMaps
    public init(_ maps: FilterMaps) { self.maps = maps }
}

// MARK: - Of proxies

/// Starts an app proxy or a DNS proxy.
public struct StartProxy: PointMessage {
    public static let name = "proxy.startProxy"
    public var options: PointValue?
    /// The configuration of an app proxy.
    public var configuration: TunnelConfiguration?
    /// The name servers of the system, for a DNS proxy.
    public var names: NetworkNames?

    /// Makes a call without values.
    public init() {}
}

/// Stops a proxy. After the reply the request is complete.
public struct StopProxy: PointMessage {
    public static let name = "proxy.stopProxy"
    /// The number of `NEProviderStopReason`.
    public var reason: Int
    public init(reason: Int) { self.reason = reason }
}

/// Offers a proxy a new flow.
public struct ProxyNewFlow: PointMessage {
    public static let name = "proxy.handleNewFlow"

    public struct Reply: Codable, Sendable {
        /// Whether the proxy takes it.
        public var isTaken: Bool
        public init(isTaken: Bool) { self.isTaken = isTaken }
    }

    public var flow: NetworkFlow
    public init(_ flow: NetworkFlow) { self.flow = flow }
}

/// Carries events of flows. From both sides, one call at a time.
public struct FlowEntries: PointMessage {
    public static let name = "proxy.entries"
    public var entries: [FlowEntry]
    public init(_ entries: [FlowEntry]) { self.entries = entries }
}

/// Tells that a proxy ends from within. From the extension.
public struct CancelProxy: PointMessage {
    public static let name = "proxy.cancelProxy"
    public var failure: NetworkFailure?
    public init(_ failure: NetworkFailure?) { self.failure = failure }
}

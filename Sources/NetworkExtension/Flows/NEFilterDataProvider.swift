// NEFilterDataProvider: a provider that decides about flows and their bytes.

import ExtensionPointKit
public import Foundation
import PointFrameworkKit
import PointMessages

/// The principal class of a filter's data provider. Its process has no network, and only reads its group's container.
///
/// The bytes of a flow are held until the verdict, for at most five seconds (ours). Then the flow is dropped, or
/// allowed by a host that prefers that.
open class NEFilterDataProvider: NEFilterProvider {
    /// Decides about a new flow.
    open func handleNewFlow(_ flow: NEFilterFlow) -> NEFilterNewFlowVerdict {
        PointSession.notWritten()
        return .allow()
    }

    /// Decides about bytes that come to the program.
    ///
    /// - Parameters:
    ///   - flow: the flow.
    ///   - offset: the number of bytes of the direction before these.
    ///   - readBytes: the bytes, at most as many as the last verdict wants.
    open func handleInboundData(from flow: NEFilterFlow, readBytesStartOffset offset: Int, readBytes: Data)
        -> NEFilterDataVerdict
    {
        PointSession.notWritten()
        return .allow()
    }

    /// Decides about bytes that the program sends, as `handleInboundData` does.
    open func handleOutboundData(from flow: NEFilterFlow, readBytesStartOffset offset: Int, readBytes: Data)
        -> NEFilterDataVerdict
    {
        PointSession.notWritten()
        return .allow()
    }

    /// Decides about a flow whose inbound bytes it has all seen.
    open func handleInboundDataComplete(for flow: NEFilterFlow) -> NEFilterDataVerdict {
        PointSession.notWritten()
        return .allow()
    }

    /// Decides about a flow whose outbound bytes it has all seen.
    open func handleOutboundDataComplete(for flow: NEFilterFlow) -> NEFilterDataVerdict {
        PointSession.notWritten()
        return .allow()
    }

    /// Decides about the user's wish for access to what a flow was refused.
    open func handleRemediation(for flow: NEFilterFlow) -> NEFilterRemediationVerdict {
        PointSession.notWritten()
        return .drop()
    }

    /// Tells that the control provider has changed the rules.
    open func handleRulesChanged() { PointSession.notWritten() }

    /// Decides about a flow that a verdict has paused.
    ///
    /// - Parameter verdict: an `NEFilterNewFlowVerdict` or an `NEFilterDataVerdict`, as the paused question asks for.
    public func resumeFlow(_ flow: NEFilterFlow, with verdict: NEFilterVerdict) {
        link.session?.send(FilterResume(flow.value.identifier, verdict.value))
    }
}

/// The flows that a provider has been asked about. Only the queue of the request uses them.
final class FilterFlows: @unchecked Sendable {
    private var flows: [Int: NEFilterFlow] = [:]

    static func of(_ session: PointSession) -> FilterFlows { session.state(FilterFlows.self) { FilterFlows() } }

    /// Returns the object of a flow, which is made at the first question.
    func flow(_ value: NetworkFlow) -> NEFilterFlow {
        if let flow = flows[value.number] { return flow }
        let flow = NEFilterFlow.make(value)
        if flows.count < FlowService.mostFlows { flows[value.number] = flow }
        return flow
    }

    /// Returns the object of a flow that may be over: then a new one, which is not stored, for nothing removes it.
    func mentioned(_ value: NetworkFlow) -> NEFilterFlow { flows[value.number] ?? NEFilterFlow.make(value) }

    /// Returns the object of a flow that the provider knows.
    ///
    /// - Throws: `NEFilterFault` if the host has never asked about it.
    func known(_ number: Int) throws -> NEFilterFlow {
        guard let flow = flows[number] else { throw NEFilterFault.unknownFlow(number) }
        return flow
    }

    func remove(_ number: Int) { flows[number] = nil }
}

enum NEFilterFault: Error, CustomStringConvertible {
    case unknownFlow(Int)
    var description: String { if case .unknownFlow(let number) = self { "there is no flow \(number)" } else { "" } }
}

/// The calls of a data provider.
struct FilterDataCalls: ProviderCalls {
    private let author: AuthorCode<NEFilterDataProvider>
    private let session: PointSession

    init?(_ provider: NEProvider, _ session: PointSession) {
        guard let provider = provider as? NEFilterDataProvider else { return nil }
        (author, self.session) = (AuthorCode(provider), session)
    }

    func perform(_ call: IncomingCall) async throws -> EncodedValue? {
        let provider = author.object
        let flows = FilterFlows.of(session)
        if try await FilterCalls(provider, session).perform(call) { return try PointEncoder.encode(Nothing()) }
        switch call.name {
        case FilterNewFlow.name:
            let flow = flows.flow(try call.decode(FilterNewFlow.self).flow)
            let verdict = session.ifWritten { provider.handleNewFlow(flow) }
            return try PointEncoder.encode(try FilterCalls.written(verdict, provider, "handleNewFlow(_:)").value)
        case FilterData.name:
            let message = try call.decode(FilterData.self)
            let flow = try flows.known(message.flow)
            let data = Data(message.bytes)
            // The default of an unwritten method lets the direction pass.
            let verdict =
                message.isInbound
                ? session.ifWritten {
                    provider.handleInboundData(from: flow, readBytesStartOffset: message.offset, readBytes: data)
                }
                : session.ifWritten {
                    provider.handleOutboundData(from: flow, readBytesStartOffset: message.offset, readBytes: data)
                }
            return try PointEncoder.encode((verdict ?? .allow()).value)
        case FilterDataComplete.name:
            let message = try call.decode(FilterDataComplete.self)
            let flow = try flows.known(message.flow)
            let verdict =
                message.isInbound
                ? session.ifWritten { provider.handleInboundDataComplete(for: flow) }
                : session.ifWritten { provider.handleOutboundDataComplete(for: flow) }
            return try PointEncoder.encode((verdict ?? .allow()).value)
        case FilterRemediation.name:
            let flow = flows.mentioned(try call.decode(FilterRemediation.self).flow)
            let verdict = session.ifWritten { provider.handleRemediation(for: flow) }
            return try PointEncoder.encode((verdict ?? .drop()).value)
        case FilterRulesChanged.name: session.ifWritten { provider.handleRulesChanged() }
        case FilterFlowClosed.name: flows.remove(try call.decode(FilterFlowClosed.self).flow)
        default: return nil
        }
        return try PointEncoder.encode(Nothing())
    }
}

/// The calls that both providers of a filter have.
struct FilterCalls: Sendable {
    private let author: AuthorCode<NEFilterProvider>
    private let session: PointSession

    init(_ provider: NEFilterProvider, _ session: PointSession) {
        (author, self.session) = (AuthorCode(provider), session)
    }

    /// - Returns: false for another call.
    func perform(_ call: IncomingCall) async throws -> Bool {
        let name = "\(type(of: author.object))"
        switch call.name {
        case StartFilter.name:
            author.object.adopt(try call.decode(StartFilter.self).configuration)
            let result: NetworkResult = try await session.eitherForm(
                of: "\(name).startFilter(completionHandler:)",
                handler: { [author] handler in author.object.startFilter { handler(NetworkResult($0)) } },
                async: { [author] in
                    try await author.object.startFilter()
                    return NetworkResult(nil)
                })
            try result.get()
        case StopFilter.name:
            let reason = NEProviderStopReason(rawValue: try call.decode(StopFilter.self).reason) ?? .none
            let _: Nothing = try await session.eitherForm(
                of: "\(name).stopFilter(with:completionHandler:)",
                handler: { [author] handler in author.object.stopFilter(with: reason) { handler(Nothing()) } },
                async: { [author] in
                    await author.object.stopFilter(with: reason)
                    return Nothing()
                })
        case FilterReport.name:
            let message = try call.decode(FilterReport.self)
            let report = NEFilterReport(message, FilterFlows.of(session).mentioned(message.flow))
            session.ifWritten { author.object.handle(report) }
        default: return false
        }
        return true
    }

    /// Returns the value of a method that must be written.
    static func written<Value>(_ value: Value?, _ provider: NEProvider, _ method: String) throws -> Value {
        guard let value else { throw ExtensionHostError.unwritten(provider, method) }
        return value
    }
}

// NEFilterControlProvider: a provider that fetches rules for the data provider of its app.

import ExtensionPointKit
import ExtensionWire
public import Foundation
import Locks
import PointFrameworkKit
import PointMessages

/// The key of `remediationMap` whose value has the URLs of pages.
public let NEFilterProviderRemediationMapRemediationURLs = "RemediationURLs"
/// The key of `remediationMap` whose value has the texts of buttons.
public let NEFilterProviderRemediationMapRemediationButtonTexts = "RemediationButtonTexts"

/// The principal class of a filter's control provider. It has the network, writes rules into the group's container, and
/// never sees bytes of a flow.
open class NEFilterControlProvider: NEFilterProvider {
    private struct Maps: @unchecked Sendable {
        // Unchecked: the author sets them, and the kit only reads.
        var remediation: [String: [String: NSObject]]?
        var appended: [String: String]?
    }

    private let maps = Mutex(Maps())

    /// The texts of remediation pages: below each of the two keys, texts by the keys that verdicts name.
    open var remediationMap: [String: [String: NSObject]]? {
        get { maps.withLock { Maps(remediation: $0.remediation) }.remediation }
        set {
            let new = Maps(remediation: newValue)
            maps.withLock { $0.remediation = new.remediation }
            sendMaps()
        }
    }

    /// The texts that are appended to URLs, by the keys that verdicts name.
    open var urlAppendStringMap: [String: String]? {
        get { maps.withLock { $0.appended } }
        set {
            maps.withLock { $0.appended = newValue }
            sendMaps()
        }
    }

    /// Decides about a flow for which the data provider has no rules.
    open func handleNewFlow(
        _ flow: NEFilterFlow, completionHandler: @escaping @Sendable (NEFilterControlVerdict) -> Void
    ) {
        PointSession.notWritten()
    }

    /// The form of `handleNewFlow(_:completionHandler:)` that waits. Either must be written.
    open func handleNewFlow(_ flow: NEFilterFlow) async -> NEFilterControlVerdict {
        PointSession.notWritten()
        return .drop(withUpdateRules: false)
    }

    /// Decides about the user's wish for access to what a flow was refused.
    open func handleRemediation(
        for flow: NEFilterFlow, completionHandler: @escaping @Sendable (NEFilterControlVerdict) -> Void
    ) {
        PointSession.notWritten()
    }

    /// The form of `handleRemediation(for:completionHandler:)` that waits. Either must be written.
    open func handleRemediation(for flow: NEFilterFlow) async -> NEFilterControlVerdict {
        PointSession.notWritten()
        return .drop(withUpdateRules: false)
    }

    /// Has the data provider read its rules again.
    open func notifyRulesChanged() { link.session?.send(ControlRulesChanged()) }

    /// Gives the host the texts.
    func sendMaps() {
        let texts = maps.withLock { maps -> FilterMaps in
            func strings(_ key: String) -> [String: String]? {
                maps.remediation?[key]?.compactMapValues { ($0 as? NSString).map { "\($0)" } }
            }
            var texts = FilterMaps()
            texts.remediationURLs = strings(NEFilterProviderRemediationMapRemediationURLs)
            texts.remediationButtons = strings(NEFilterProviderRemediationMapRemediationButtonTexts)
            texts.appendedTexts = maps.appended
            return texts
        }
        link.session?.send(ControlMaps(texts))
    }
}

/// The calls of a control provider.
struct FilterControlCalls: ProviderCalls {
    private let author: AuthorCode<NEFilterControlProvider>
    private let session: PointSession

    init?(_ provider: NEProvider, _ session: PointSession) {
        guard let provider = provider as? NEFilterControlProvider else { return nil }
        (author, self.session) = (AuthorCode(provider), session)
    }

    func perform(_ call: IncomingCall) async throws -> EncodedValue? {
        let provider = author.object
        // The author may have set the maps before the request, where nobody took them.
        if call.name == StartFilter.name { provider.sendMaps() }
        if try await FilterCalls(provider, session).perform(call) { return try PointEncoder.encode(Nothing()) }
        let flows = FilterFlows.of(session)
        switch call.name {
        case ControlNewFlow.name:
            let flow = flows.flow(try call.decode(ControlNewFlow.self).flow)
            let verdict: NEFilterControlVerdict = try await session.eitherForm(
                of: "\(type(of: provider)).handleNewFlow(_:completionHandler:)",
                handler: { [author] handler in author.object.handleNewFlow(flow, completionHandler: handler) },
                async: { [author] in await author.object.handleNewFlow(flow) })
            return try PointEncoder.encode(verdict.value)
        case ControlRemediation.name:
            let flow = flows.mentioned(try call.decode(ControlRemediation.self).flow)
            let verdict: NEFilterControlVerdict = try await session.eitherForm(
                of: "\(type(of: provider)).handleRemediation(for:completionHandler:)",
                handler: { [author] handler in
                    author.object.handleRemediation(for: flow, completionHandler: handler)
                },
                async: { [author] in await author.object.handleRemediation(for: flow) })
            return try PointEncoder.encode(verdict.value)
        case FilterFlowClosed.name: flows.remove(try call.decode(FilterFlowClosed.self).flow)
        default: return nil
        }
        return try PointEncoder.encode(Nothing())
    }
}

extension ExtensionHostError {
    /// The error of a method that must be written.
    static func unwritten(_ provider: NEProvider, _ method: String) -> ExtensionHostError {
        ExtensionHostError(
            .notImplemented, "\(type(of: provider)) has not written \(method)", remedy: "Override it in the provider")
    }
}

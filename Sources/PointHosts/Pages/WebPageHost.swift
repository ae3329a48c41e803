// WebPageHost: a browser that shares a page with an extension: its script runs before and after the request.

public import ExtensionHost
package import ExtensionItems
internal import ExtensionProtocol
internal import Foundation
internal import Locks

/// Shares pages with extensions as Safari does.
///
/// The extension's script runs before the request begins. Its results go to the extension as a property list under
/// `NSExtensionJavaScriptPreprocessingResultsKey`, if its activation rule asks for a web page. After the extension has
/// completed the request, `finalize` of the script runs once for each returned item with a property list that has
/// `NSExtensionJavaScriptFinalizeArgumentKey`. Any task may call it.
public struct WebPageHost: Sendable {
    /// The platform whose browser this is.
    public enum Platform: Sendable, Hashable {
        /// `finalize` is called.
        case iOS
        /// `finalize` is not called (documented).
        case macOS
    }

    /// The circumstances of a share.
    public struct Settings: Sendable {
        /// The limit of each function of the script (`pageScript`).
        public var limit = WebPage.defaultLimit
        /// The platform whose browser this is.
        public var platform = Platform.iOS
        /// Whether the request begins without results if the script fails. Safari does so, as far as we know.
        public var beginsWithoutResults = true
        /// Whether the page's address is left out for an extension that gets the property list. Once observed.
        public var omitsAddress = false
        /// The time limit of the request; nil: as the extension point says.
        public var timeout: Duration?
        /// Whether the request begins also if the activation rule does not accept the items.
        public var force = false

        /// Makes the settings of a browser on iOS.
        public init() {}
    }

    private let host: HostApplication
    private let settings: Settings

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - settings: the circumstances.
    public init(_ host: HostApplication, settings: Settings = Settings()) {
        (self.host, self.settings) = (host, settings)
    }

    /// Shares a page: runs the script, begins the request, and runs `finalize` after it.
    ///
    /// - Returns: once the extension has the request, or the request has ended before that.
    /// - Throws: errors of `HostApplication.begin`; `ScriptFailure` if `beginsWithoutResults` is false; errors of
    ///   `WebPage.run` if the page is over.
    public func begin(_ identifier: String, page: WebPage) async throws -> WebPageRequest {
        try await begin(identifier, page: page, afterRun: {})
    }

    /// Shares a page, with a function that is called between the script's `run` and the request.
    ///
    /// - Throws: as `begin(_:page:)`; the errors of the function.
    package func begin(
        _ identifier: String, page: WebPage, afterRun: () async throws -> Void
    ) async throws -> WebPageRequest {
        let item = NSExtensionItem()
        item.attachments = [NSItemProvider(item: page.url as NSURL, typeIdentifier: "public.url")]
        if let title = page.title { item.attributedContentText = NSAttributedString(string: title) }
        let offer = try await offer(page, for: identifier, in: [OfferedItem(item)])
        try await afterRun()
        let request = try await host.begin(
            identifier, items: offer.items, timeout: settings.timeout, force: settings.force || offer.isAccepted)
        return WebPageRequest(request, page, offer, settings, host)
    }

    /// The form of a request's items for one extension, with the results of its script.
    package struct Offer: Sendable {
        /// The items for the extension.
        package let items: [NSExtensionItem]
        /// The results; nil if no script ran, or it failed.
        package let results: WebPageResults?
        package let failure: ScriptFailure?
        /// Whether the activation rule accepts the page with results. The rule is not asked again for items without
        /// them.
        package let isAccepted: Bool
    }

    /// Runs the script of an extension, and adds its results to the items.
    ///
    /// - Parameters:
    ///   - items: the items, without results.
    ///   - place: the place of the item that gets the results.
    /// - Throws: as `begin`.
    package func offer(
        _ page: WebPage, for identifier: String, in items: [OfferedItem], at place: Int = 0
    ) async throws -> Offer {
        var items = items
        func provider(_ results: any NSObjectProtocol & NSSecureCoding) -> NSItemProvider {
            NSItemProvider(
                item: NSDictionary(dictionary: [NSExtensionJavaScriptPreprocessingResultsKey: results]),
                typeIdentifier: "com.apple.property-list")
        }
        // The rule is asked before the script runs, as a browser offers the extension before.
        items[place].webPage = provider(NSDictionary())
        var offer = try await host.explain(identifier, offered: items).offer
        if settings.omitsAddress, offer.wantsWebPage {
            items[place].item.attachments = items[place].item.attachments?.filter { provider in
                !provider.registeredTypeIdentifiers.contains("public.url")
            }
            offer = try await host.explain(identifier, offered: items).offer
        }
        let declaration = try await host.declaration(of: identifier)
        items[place].webPage = nil
        guard offer.wantsWebPage else {
            return Offer(items: items.map(\.item), results: nil, failure: nil, isAccepted: false)
        }
        let results: WebPageResults
        do {
            guard let script = try PageScriptFile(of: declaration) else {
                return Offer(items: items.map(\.item), results: nil, failure: nil, isAccepted: offer.shown)
            }
            results = try await host.waiting { [settings] in
                try await page.run(script.text, file: script.name, limit: settings.limit)
            }
        } catch let failure as ScriptFailure {
            guard settings.beginsWithoutResults else { throw failure }
            return Offer(items: items.map(\.item), results: nil, failure: failure, isAccepted: offer.shown)
        }
        items[place].webPage = provider(results.object)
        return Offer(
            items: items.map { $0.item(forWebPage: true) }, results: results, failure: nil, isAccepted: offer.shown)
    }
}

extension HostApplication {
    /// Shares a page with an extension, with the usual settings of `WebPageHost`.
    ///
    /// Throws as `WebPageHost.begin`.
    public func begin(_ identifier: String, page: WebPage) async throws -> WebPageRequest {
        try await WebPageHost(self).begin(identifier, page: page)
    }

    /// Counts work outside of the daemon's sight, so that a virtual clock does not move meanwhile.
    package func waiting<Value: Sendable>(_ body: @Sendable () async throws -> Value) async rethrows -> Value {
        activity.enter()
        defer { activity.leave() }
        return try await body()
    }
}

/// A request for which a page is shared. Safe to use from any thread.
public final class WebPageRequest: Sendable {
    /// The end of a share.
    public struct Ending: Sendable {
        /// The outcome of the request.
        public let outcome: RequestOutcome
        /// The number of the calls of `finalize` that returned.
        public let finalized: Int
        /// The failures of other calls of `finalize`, in their order.
        public let failures: [ScriptFailure]
        /// Remarks in words, such as why `finalize` was not called.
        public let remarks: [String]
    }

    /// The request, for its outcome and for cancelling.
    public let request: ExtensionRequest
    /// The page, which `finalize` may change.
    public let page: WebPage
    /// The results that the script passed; nil if none ran, or it failed.
    public let results: WebPageResults?
    /// The failure of the script before the request; nil if it passed results, or none ran.
    public let scriptFailure: ScriptFailure?
    private let end: Task<Ending, Never>

    package init(
        _ request: ExtensionRequest, _ page: WebPage, _ offer: WebPageHost.Offer, _ settings: WebPageHost.Settings,
        _ host: HostApplication
    ) {
        (self.request, self.page) = (request, page)
        (results, scriptFailure) = (offer.results, offer.failure)
        end = Task {
            await Self.ending(of: request, page, hasRun: offer.results != nil, settings, host)
        }
    }

    /// The end of the share: the outcome of the request, and what became of `finalize`. The getter waits for it.
    public var ending: Ending { get async { await end.value } }

    private static func ending(
        of request: ExtensionRequest, _ page: WebPage, hasRun: Bool, _ settings: WebPageHost.Settings,
        _ host: HostApplication
    ) async -> Ending {
        let outcome = await request.outcome
        guard case .completed(let items) = outcome, hasRun else {
            return Ending(outcome: outcome, finalized: 0, failures: [], remarks: [])
        }
        return await host.waiting {
            var (finalized, failures, remarks) = (0, [ScriptFailure](), [String]())
            var arguments: [WebPageResults] = []
            for item in items { arguments += await Self.arguments(in: item, &remarks) }
            if settings.platform == .macOS, !arguments.isEmpty {
                remarks.append("finalize is not called: it exists in iOS only")
                arguments = []
            }
            for argument in arguments {
                do {
                    if try await page.finalize(argument, limit: settings.limit) {
                        finalized += 1
                    } else {
                        remarks.append("ExtensionPreprocessingJS has no function finalize")
                    }
                } catch let failure as ScriptFailure {
                    failures.append(failure)
                } catch {
                    remarks.append("\(error)")
                }
            }
            return Ending(outcome: outcome, finalized: finalized, failures: failures, remarks: remarks)
        }
    }

    /// Returns the arguments for `finalize` in an item: of its first property list that has some.
    private static func arguments(in item: NSExtensionItem, _ remarks: inout [String]) async -> [WebPageResults] {
        for provider in item.attachments ?? []
        where provider.hasItemConformingToTypeIdentifier("com.apple.property-list") {
            let value = try? await provider.loadItem(forTypeIdentifier: "com.apple.property-list")
            guard let members = value as? [AnyHashable: Any],
                let found = members[NSExtensionJavaScriptFinalizeArgumentKey]
            else { continue }
            guard let arguments = WebPageResults(found) else {
                remarks.append("finalize is not called for an item, whose arguments are no property list")
                return []
            }
            return [arguments]
        }
        return []
    }
}

// HostApplication+Offers: which extensions a host may offer its user for what it holds.

public import ExtensionItems
public import ExtensionProtocol

extension HostApplication {
    /// The extensions that can be used and accept these items, in the order of their identifiers: those whose activation rule says
    /// so, and those of points that take no rules (spec 3.2). Throws `connectionLost`.
    public func extensions(accepting items: [NSExtensionItem]) async throws -> [FoundExtension] {
        try await extensions(offered: items.map { OfferedItem($0) })
    }

    /// The same for items of which some extensions get more than others.
    public func extensions(offered items: [OfferedItem]) async throws -> [FoundExtension] {
        try await Self.extensions(accepting: OfferedTypes(items), channel)
    }

    /// The extensions in one app, by the path of its `.app` folder. Throws `connectionLost`.
    public func extensions(of containingApp: String) async throws -> [FoundExtension] {
        let path = containingApp.hasSuffix("/") ? String(containingApp.dropLast()) : containingApp
        return try await extensions().filter { $0.containingApp == path }
    }

    /// Why an extension is offered these items, or not. Throws `noSuchExtension`, `connectionLost`.
    public func explain(_ identifier: String, offered items: [OfferedItem]) async throws -> OfferExplanation {
        try await DaemonControl(channel: channel).explain(identifier, OfferedTypes(items))
    }

    /// Begins a request with the form of the items that is this extension's: with web pages if its rule asks for them. Asks the daemon for
    /// that first; otherwise as `begin(_:items:timeout:force:)`.
    public func begin(
        _ identifier: String, offering items: [OfferedItem], timeout: Duration? = nil, force: Bool = false
    ) async throws -> ExtensionRequest {
        try await begin(identifier, items: try await self.items(items, for: identifier), timeout: timeout, force: force)
    }

    /// The form of the items that is this extension's. Asks the daemon where there is something that only some extensions get.
    package func items(_ items: [OfferedItem], for identifier: String) async throws -> [NSExtensionItem] {
        guard items.contains(where: { $0.webPage != nil }) else { return items.map(\.item) }
        let isAskedFor = try await explain(identifier, offered: items).offer.wantsWebPage
        return items.map { $0.item(forWebPage: isAskedFor) }
    }
}

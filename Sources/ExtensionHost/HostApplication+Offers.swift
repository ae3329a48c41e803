// HostApplication+Offers: the extensions that a host may offer its user for its items.

public import ExtensionItems
public import ExtensionProtocol

extension HostApplication {
    /// Returns the usable extensions that accept these items, in the order of their identifiers.
    ///
    /// These are the extensions whose activation rule accepts the items, and those of points without rules (spec 3.2).
    /// Throws `connectionLost`.
    public func extensions(accepting items: [NSExtensionItem]) async throws -> [FoundExtension] {
        try await extensions(offered: items.map { OfferedItem($0) })
    }

    /// Returns the usable extensions likewise, for items of which some extensions get more than others.
    public func extensions(offered items: [OfferedItem]) async throws -> [FoundExtension] {
        try await Self.extensions(accepting: OfferedTypes(items), channel)
    }

    /// Returns the extensions in one app, by the path of its `.app` folder. Throws `connectionLost`.
    public func extensions(of containingApp: String) async throws -> [FoundExtension] {
        let path = containingApp.hasSuffix("/") ? String(containingApp.dropLast()) : containingApp
        return try await extensions().filter { $0.containingApp == path }
    }

    /// Explains why an extension is offered these items, or not. Throws `noSuchExtension`, `connectionLost`.
    public func explain(_ identifier: String, offered items: [OfferedItem]) async throws -> OfferExplanation {
        try await DaemonControl(channel: channel).explain(identifier, OfferedTypes(items))
    }

    /// Begins a request with this extension's form of the items: with web pages if its rule asks for them.
    ///
    /// It first asks the daemon for the rule; otherwise it is like `begin(_:items:timeout:force:)`.
    public func begin(
        _ identifier: String, offering items: [OfferedItem], timeout: Duration? = nil, force: Bool = false
    ) async throws -> ExtensionRequest {
        try await begin(identifier, items: try await self.items(items, for: identifier), timeout: timeout, force: force)
    }

    /// Returns this extension's form of the items. Asks the daemon if only some extensions get a part of them.
    package func items(_ items: [OfferedItem], for identifier: String) async throws -> [NSExtensionItem] {
        guard items.contains(where: { $0.webPage != nil }) else { return items.map(\.item) }
        let isAskedFor = try await explain(identifier, offered: items).offer.wantsWebPage
        return items.map { $0.item(forWebPage: isAskedFor) }
    }
}

// ContentBlockerHost+Service: the browser's answers to apps (`SFContentBlockerManager`).

internal import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import PointMessages

extension ContentBlockerHost {
    /// Answers apps and their extensions, which ask for a reload or for the state of their own content blockers, as long
    /// as this object exists.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` if another host of this user serves them, `connectionLost`.
    public func serve() async throws {
        try await host.provide(SafariService.name) { [weak self] connection in
            guard let app = connection.client?.containingApp else {
                throw ExtensionHostError(
                    .notPermitted, "only an app and its extensions have content blockers",
                    remedy: "Call ContentBlockerHost.reload from a host")
            }
            var handlers = PointHandlers()
            handlers.on(ReloadContentBlocker.self) { [weak self] call, _ in
                guard let self else { throw Self.isGone }
                try await self.reload(call.identifier, for: app)
                return Nothing()
            }
            handlers.on(ContentBlockerState.self) { [weak self] call, _ in
                guard let self else { throw Self.isGone }
                try await self.check(call.identifier, isOf: app)
                return ContentBlockerState.Reply(isEnabled: try await self.isEnabled(call.identifier))
            }
            return handlers
        }
    }

    private static let isGone = ExtensionHostError(.serviceUnavailable, "the browser is gone")
}

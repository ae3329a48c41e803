// CredentialHost+Service: the store's answers to apps (`ASCredentialIdentityStore`).

internal import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import PointMessages

extension CredentialHost {
    /// Answers apps and their extensions about their own identities, as long as this object exists.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` if another host of this user serves them, `connectionLost`.
    public func serve() async throws {
        try await host.provide(CredentialStoreService.name) { [weak self] connection in
            let client = connection.client
            let family: Family
            if let app = client?.containingApp {
                family = Family(app: app, client?.app)
            } else if client?.role == .extension, let identifier = client?.identifier {
                family = Family(alone: identifier)
            } else {
                throw ExtensionHostError(
                    .notPermitted, "only an app and its extensions have identities",
                    remedy: "Call CredentialHost.identities from a host")
            }
            var handlers = PointHandlers()
            handlers.on(CredentialStoreState.self) { [weak self] _, _ in
                guard let self else { throw Self.isGone }
                return CredentialStoreState.Reply(isEnabled: try await self.isEnabled(family), isIncremental: true)
            }
            handlers.on(ChangeCredentialIdentities.self) { [weak self] change, _ in
                guard let self else { throw Self.isGone }
                try await self.change(change, of: family)
                return Nothing()
            }
            handlers.on(StoredCredentialIdentities.self) { [weak self] question, _ in
                guard let self else { throw Self.isGone }
                guard try await self.isEnabled(family) else { return StoredCredentialIdentities.Reply([]) }
                return StoredCredentialIdentities.Reply(await self.identities(for: question.service, of: family))
            }
            return handlers
        }
    }

    private static let isGone = ExtensionHostError(.serviceUnavailable, "the store is gone")
}

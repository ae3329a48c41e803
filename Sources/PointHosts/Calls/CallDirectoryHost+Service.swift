// CallDirectoryHost+Service: the telephone's answers to apps (`CXCallDirectoryManager`).

internal import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import PointMessages

extension CallDirectoryHost {
    /// Answers apps and their extensions, which ask for a load, for the state or for the settings of their own
    /// directories, as long as this object exists.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` if another host of this user serves them, `connectionLost`.
    public func serve() async throws {
        try await host.provide(CallDirectoryService.name) { [weak self] connection in
            guard let app = connection.client?.containingApp else {
                throw ExtensionHostError(
                    .notPermitted, "only an app and its extensions have call directories",
                    remedy: "Call CallDirectoryHost.reload from a host")
            }
            var handlers = PointHandlers()
            handlers.on(ReloadCallDirectory.self) { [weak self] call, _ in
                guard let self else { throw Self.isGone }
                try await self.reload(call.identifier, for: app)
                return Nothing()
            }
            handlers.on(CallDirectoryStatus.self) { [weak self] call, _ in
                guard let self else { throw Self.isGone }
                try await self.check(call.identifier, isOf: app)
                return CallDirectoryStatus.Reply(isEnabled: try await self.isEnabled(call.identifier))
            }
            handlers.on(OpenCallSettings.self) { [weak self] _, _ in
                guard let self else { throw Self.isGone }
                guard let openSettings = self.openSettings else {
                    throw ExtensionHostError(.notSimulated, "this telephone has no settings to show")
                }
                try await openSettings(app)
                return Nothing()
            }
            return handlers
        }
    }

    private static let isGone = ExtensionHostError(.serviceUnavailable, "the telephone is gone")
}

// HostApplication+Consents: the consents of the user.

extension HostApplication {
    /// Returns the names of the consents that the user has given to an extension.
    ///
    /// - Throws: `ExtensionHostError` `noSuchExtension`, `connectionLost`.
    public func consents(of identifier: String) async throws -> Set<String> {
        Set(try await DaemonControl(channel: channel).show(identifier).consents)
    }

    /// Gives or takes back a consent, for tools.
    package func setConsent(_ name: String, _ isGiven: Bool, of identifier: String) async throws {
        _ = try await DaemonControl(channel: channel).setConsent(name, isGiven, of: identifier)
    }
}

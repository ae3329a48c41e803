// HostApplication+Services: the services that a host provides and uses.

public import ExtensionPointKit

extension HostApplication {
    /// Provides a service to the extensions, apps, hosts and tools of this user, as long as this host is connected.
    ///
    /// - Parameters:
    ///   - service: the name, of 1 to 128 letters, digits, hyphens and dots, such as `org.exthost.safari`.
    ///   - accept: decides about each new client: returns the handlers of its calls, or throws the client's error.
    /// - Throws: `invalidArgument` if another host of this user provides it, `quotaExceeded`, `connectionLost`,
    ///   `versionMismatch` of an older daemon.
    public func provide(_ service: String, accept: @escaping ServicePort.Accept) async throws {
        try await services.provide(service, accept: accept)
    }

    /// Opens a connection with a service.
    ///
    /// - Parameters:
    ///   - service: the name of the service.
    ///   - handlers: the handlers of the service's calls.
    /// - Throws: `serviceUnavailable` if nobody provides it, `quotaExceeded`, `connectionLost`, or the provider's error.
    public func connect(
        toService service: String, handling handlers: PointHandlers = PointHandlers()
    ) async throws -> ServiceConnection {
        try await services.open(service, handling: handlers)
    }
}

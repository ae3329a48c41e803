// SoleConfiguration: the one configuration that an app has of a filter or of a DNS proxy.

import ExtensionPointKit
import Foundation
import Locks
import PointMessages

/// The configuration of a manager that an app shares. Safe to use from any thread.
final class SoleConfiguration: Sendable {
    /// The errors of a manager. Stale is 3, and not removable 4.
    struct Errors: Sendable {
        let domain: String
        /// The code for a host that denies the change, such as for a missing entitlement.
        let denied: Int
        /// The code for a host that does not answer, and for a value that cannot be stored.
        let failed: Int

        static let filter = Errors(domain: NEFilterErrorDomain, denied: 5, failed: 6)
        static let dnsProxy = Errors(domain: NEDNSProxyErrorDomain, denied: 1, failed: 1)

        func error(_ code: Int, _ reason: String) -> NSError {
            NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: reason])
        }

        /// The error of a call.
        func error(_ error: any Error) -> NSError {
            let found = error as NSError
            guard found.domain == NEVPNErrorDomain else {
                return found.domain == domain ? found : self.error(failed, error.reason)
            }
            let code =
                switch NEVPNError.Code(rawValue: found.code) {
                case .configurationInvalid: 1
                case .configurationReadWriteFailed: denied
                default: failed
                }
            return self.error(code, error.reason)
        }
    }

    private struct State {
        var isLoaded = false
        /// The identifier of the saved configuration; nil: there is none.
        var identifier: String?
    }

    let errors: Errors
    private let client: @Sendable () -> NetworkClient
    private let state = Mutex(State())

    /// - Parameter client: the connection with the host.
    init(_ errors: Errors, client: @autoclosure @escaping @Sendable () -> NetworkClient) {
        (self.errors, self.client) = (errors, client)
    }

    /// Loads the configuration; nil if the app has saved none.
    func load() async throws -> TunnelConfiguration? {
        try await mapping {
            let all = try await self.client().load()
            let found = all.first(where: \.isEnabled) ?? all.first
            self.state.withLock { $0 = State(isLoaded: true, identifier: found?.identifier) }
            return found
        }
    }

    /// Saves the configuration, which must have been loaded once.
    ///
    /// - Parameter configured: the values of the provider's protocol, with its identifier.
    func save(
        _ configured: TunnelProtocol, _ filter: FilterConfiguration? = nil, name: String?, isEnabled: Bool
    ) async throws {
        let identifier = try loaded() ?? "shared"
        var message = TunnelConfiguration(identifier, configured)
        (message.filter, message.name, message.isEnabled) = (filter, name, isEnabled)
        let check = CheckConfiguration(message)
        try await mapping { try await self.client().write(check) }
        state.withLock { $0.identifier = identifier }
    }

    /// Removes the configuration, which must have been loaded once.
    func remove() async throws {
        guard let identifier = try loaded() else { throw errors.error(4, "no configuration is saved") }
        try await mapping { try await self.client().write(CheckRemoval(identifier)) }
        state.withLock { $0.identifier = nil }
    }

    /// - Returns: the identifier of the saved configuration.
    private func loaded() throws -> String? {
        let state = state.withLock { $0 }
        guard state.isLoaded else { throw errors.error(3, "the configuration needs to be loaded first") }
        return state.identifier
    }

    private func mapping<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw errors.error(error)
        }
    }
}

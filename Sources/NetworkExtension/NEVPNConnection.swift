// NEVPNConnection: the session of a configuration, as its app sees it.

import AppGroups
import ExtensionPointKit
public import Foundation
import Locks
import PointMessages
import PropertyListCoding

/// The session of a configuration. Safe to use from any thread.
open class NEVPNConnection: NSObject, @unchecked Sendable {
    // Unchecked: the lock guards its state.
    private struct State {
        var identifier: String?
        weak var manager: NEVPNManager?
    }

    private let shared = Mutex(State())

    let client: NetworkClient

    init(_ client: NetworkClient) { self.client = client }

    /// The identifier of the configuration; nil before it is saved or loaded.
    var identifier: String? { shared.withLock { $0.identifier } }

    func adopt(_ identifier: String?, _ manager: NEVPNManager) {
        shared.withLock { $0 = State(identifier: identifier, manager: manager) }
        client.observe(self)
    }

    /// The configuration.
    open var manager: NEVPNManager { shared.withLock { $0.manager } ?? NETunnelProviderManager() }

    private var session: TunnelState? { identifier.flatMap { client.state(of: $0) } }

    /// The state of the session, as the host has told last.
    open var status: NEVPNStatus { session.flatMap { NEVPNStatus(rawValue: $0.status) } ?? .invalid }

    /// The time of the last connection.
    open var connectedDate: Date? { session?.connected.map { Date(timeIntervalSince1970: $0) } }

    /// Gets the reason of the session's last end: nil if somebody stopped it.
    open func fetchLastDisconnectError(completionHandler: @escaping ((any Error)?) -> Void) {
        let failure = session?.failure
        let handler = AuthorCode(completionHandler)
        DispatchQueue.main.async { handler.object(failure?.error) }
    }

    /// Starts the tunnel without options.
    open func startVPNTunnel() throws { try startVPNTunnel(options: nil) }

    /// Starts the tunnel. Its status tells what becomes of it.
    ///
    /// - Throws: `NEVPNError` `configurationInvalid` before the configuration is saved, `configurationDisabled`.
    open func startVPNTunnel(options: [String: NSObject]? = nil) throws {
        let (identifier, isEnabled) = shared.withLock { ($0.identifier, $0.manager?.isEnabled ?? true) }
        guard let identifier else {
            throw NEVPNError(.configurationInvalid, "the configuration is not saved")
        }
        guard isEnabled else { throw NEVPNError(.configurationDisabled, "the configuration is not enabled") }
        var message: PointValue?
        if let options {
            do {
                message = PointValue(try propertyList(options))
            } catch {
                throw NEVPNError(.configurationInvalid, "the options are no property list: \(error)")
            }
        }
        let start = StartSession(identifier, options: message)
        client.order { [client] in
            do {
                _ = try await client.call(start)
            } catch {
                let failure = NEVPNError(error, otherwise: .connectionFailed).failure
                client.set(
                    TunnelState(status: NEVPNStatus.disconnected.rawValue, failure: failure), of: identifier)
            }
        }
    }

    /// Stops the tunnel. Its status tells when it is down.
    open func stopVPNTunnel() {
        guard let identifier else { return }
        client.order { [client] in _ = try? await client.call(StopSession(identifier)) }
    }
}

extension NetworkFailure {
    /// The failure as an error.
    var error: NSError { NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: reason]) }
}

// Unchecked: it adds no state, and the lock of its base class guards the rest.
/// The session of a provider that is an extension.
open class NETunnelProviderSession: NEVPNConnection, @unchecked Sendable {
    /// Starts the tunnel.
    ///
    /// - Throws: as `startVPNTunnel(options:)`.
    open func startTunnel(options: [String: Any]? = nil) throws {
        var objects: [String: NSObject]?
        if let options {
            objects = [:]
            for (key, value) in options {
                guard let plist = try? propertyList(value) else {
                    throw NEVPNError(.configurationInvalid, "the option \(key) is no property list")
                }
                objects?[key] = (foundationValue(plist) as? NSObject) ?? NSData(data: Data(plist.data ?? []))
            }
        }
        try startVPNTunnel(options: objects)
    }

    /// Stops the tunnel.
    open func stopTunnel() { stopVPNTunnel() }

    /// Sends a message to the provider. The handler gets its reply; nil if it has none.
    ///
    /// - Throws: `NEVPNError` `configurationInvalid` before the configuration is saved, `connectionFailed` if the
    ///   provider does not run.
    open func sendProviderMessage(
        _ messageData: Data, responseHandler: ((Data?) -> Void)? = nil
    ) throws {
        guard let identifier else { throw NEVPNError(.configurationInvalid, "the configuration is not saved") }
        guard [.connecting, .connected, .reasserting].contains(status) else {
            throw NEVPNError(.connectionFailed, "the provider does not run")
        }
        let message = SessionMessage(identifier, [UInt8](messageData), expectsReply: responseHandler != nil)
        let handler = AuthorCode(responseHandler)
        Task { [client] in
            let reply = try? await client.call(message)
            DispatchQueue.main.async { handler.object?(reply?.data.map { Data($0) }) }
        }
    }
}

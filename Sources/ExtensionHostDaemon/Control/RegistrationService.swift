// RegistrationService: extensions that a connection registers for itself, for as long as it lasts.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import UniformTypeIdentifiers

extension ControlService {
    /// The maximum number of registrations on one connection, including those that are being read.
    static let registrationLimit = 16

    /// Reads the bundle on a thread of its own: a slow disk must not hold up the loop.
    func register(_ message: Register, _ reply: Reply<Registered>) throws(ExtensionHostError) {
        let path = message.path
        try checkMayRegister()
        guard !context.options.isSystem else {
            throw ExtensionHostError(
                .notPermitted,
                "the system's daemon runs only bundles that are installed for all users, and none that a connection registers",
                remedy: "Use a daemon of your own: exthostctl --user, or --ephemeral")
        }
        guard catalog.registrations.count(of: owner) + registering < Self.registrationLimit else {
            throw ExtensionHostError(
                .quotaExceeded,
                "this connection has registered \(Self.registrationLimit) extensions, which is the limit",
                remedy: "Close the connection, and register on a new one")
        }
        registering += 1
        let points = context.options.points
        context.sideWork.run(
            named: "register", of: credentials.pid, isWanted: { [weak self] in self?.isConnected == true }
        ) { () -> Result<(ExtensionBundle, OfferTerms?), ExtensionHostError> in
            do throws(ExtensionHostError) {
                let bundle = try DevelopmentBundle.read(path)
                return .success((bundle, bundle.problems.isEmpty ? OfferTerms(of: bundle, points: points) : nil))
            } catch {
                return .failure(error)
            }
        } then: { [weak self] result in
            guard let self else { return }
            registering -= 1
            guard isConnected else { return }
            switch result {
            case .success(let result): registered(result, reply)
            case .failure(let error):
                reply(
                    ExtensionHostError(
                        .internalError, "there is no thread to read \(path)",
                        remedy: "Allow the daemon more threads (ulimit -u)",
                        cause: "\(error)"))
            }
        }
    }

    private func registered(
        _ result: Result<(ExtensionBundle, OfferTerms?), ExtensionHostError>, _ reply: Reply<Registered>
    ) {
        switch result {
        case .success((let bundle, let terms)):
            catalog.registrations.add(bundle, terms, of: owner)
            context.log.append(
                .registryChanged, extensionIdentifier: bundle.identifier, pid: Int(credentials.pid),
                detail: "registered for a connection: \(bundle.path)")
            reply(Registered(identifier: bundle.identifier))
        case .failure(let error): reply(error)
        }
    }

    func removeRegistrations() {
        for bundle in catalog.registrations.removeAll(of: owner) {
            engine.values.forget(registration: bundle.registration)
            context.log.append(
                .registryChanged, extensionIdentifier: bundle.identifier, pid: Int(credentials.pid),
                detail: "the connection that registered it has ended")
        }
        engine.prewarming.reconsider()
    }
}

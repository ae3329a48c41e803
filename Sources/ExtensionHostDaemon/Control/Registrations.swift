// Registrations: extensions that a connection brought with it, for as long as it lasts.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import UniformTypeIdentifiers

/// What connections have registered. A registration never takes an installed extension's place for anybody else.
@HostActor
final class Registrations {
    /// A connection.
    final class Owner: Sendable {}

    private struct Entry {
        var owner: ObjectIdentifier
        var bundle: ExtensionBundle
        /// nil of a bundle that is disabled.
        var terms: OfferTerms?
    }

    private var entries: [Entry] = []
    private var lastNumber = 0

    /// The last one wins among those of one identifier.
    func add(_ bundle: ExtensionBundle, _ terms: OfferTerms?, of owner: Owner) {
        lastNumber += 1
        var bundle = bundle
        bundle.registration = lastNumber
        entries.append(Entry(owner: ObjectIdentifier(owner), bundle: bundle, terms: terms))
    }

    /// Takes away what `owner` registered, and says what that was.
    func removeAll(of owner: Owner) -> [ExtensionBundle] {
        let owned = entries.filter { $0.owner == ObjectIdentifier(owner) }.map(\.bundle)
        if !owned.isEmpty { entries.removeAll { $0.owner == ObjectIdentifier(owner) } }
        return owned
    }

    func count(of owner: Owner) -> Int { entries.count { $0.owner == ObjectIdentifier(owner) } }

    func bundle(_ identifier: String, of owner: Owner) -> ExtensionBundle? {
        entries.last { $0.owner == ObjectIdentifier(owner) && $0.bundle.identifier == identifier }?.bundle
    }

    func bundle(_ identifier: String) -> ExtensionBundle? { entries.last { $0.bundle.identifier == identifier }?.bundle }

    /// Whether it is there still.
    func contains(_ bundle: ExtensionBundle) -> Bool { entries.contains { $0.bundle.registration == bundle.registration } }

    /// Every identifier, each once.
    var identifiers: Set<String> { Set(entries.map(\.bundle.identifier)) }

    /// What decides whether a registration is offered; nil of one that is disabled or gone.
    func terms(of bundle: ExtensionBundle) -> OfferTerms? {
        entries.first { $0.bundle.registration == bundle.registration }?.terms
    }

    /// The types that `owner`'s registrations declare: for itself only.
    func types(of owner: Owner) -> [DeclaredType] {
        entries.filter { $0.owner == ObjectIdentifier(owner) }.flatMap { $0.terms?.types ?? [] }
    }

    /// For lists: one that serves its own connection only says so.
    func listed(beside registry: ExtensionRegistry) -> [RegisteredCopy] {
        entries.map { entry in
            guard let used = registry[entry.bundle.identifier]?.bundle ?? bundle(entry.bundle.identifier),
                used.registration != entry.bundle.registration, entry.bundle.problems.isEmpty
            else { return RegisteredCopy(alone: entry.bundle, registered: entry.bundle.registration ?? 0, terms: entry.terms) }
            var shadowed = entry.bundle
            shadowed.disable(
                "another copy of this identifier is used: \(used.path). This one serves only the connection that registered it")
            return RegisteredCopy(alone: shadowed, registered: entry.bundle.registration ?? 0, terms: nil)
        }
    }
}

extension ControlService {
    /// On one connection at the most, those that are being read included.
    static let registrationLimit = 16

    /// Reads the bundle on a thread of its own: a slow disk must not hold up the loop.
    func register(_ message: Register, _ reply: Reply<Registered>) throws(ExtensionHostError) {
        let path = message.path
        try checkMayRegister()
        guard !engine.options.isSystem else {
            throw ExtensionHostError(
                .notPermitted,
                "the system's daemon runs what is installed for everybody, and nothing that a connection brings along",
                remedy: "Try it with a daemon of your own: exthostctl --user, or --ephemeral")
        }
        guard engine.registrations.count(of: owner) + registering < Self.registrationLimit else {
            throw ExtensionHostError(
                .quotaExceeded, "this connection has registered \(Self.registrationLimit) extensions, which is the limit",
                remedy: "Close the connection, and register on a new one")
        }
        registering += 1
        let points = engine.options.points
        engine.sideWork.run(
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
                        .internalError, "no thread to read \(path) on", remedy: "Let the daemon have more (ulimit -u)",
                        cause: "\(error)"))
            }
        }
    }

    private func registered(
        _ result: Result<(ExtensionBundle, OfferTerms?), ExtensionHostError>, _ reply: Reply<Registered>
    ) {
        switch result {
        case .success((let bundle, let terms)):
            engine.registrations.add(bundle, terms, of: owner)
            engine.log.append(
                .registryChanged, extensionIdentifier: bundle.identifier, pid: Int(credentials.pid),
                detail: "registered for a connection: \(bundle.path)")
            reply(Registered(identifier: bundle.identifier))
        case .failure(let error): reply(error)
        }
    }

    func removeRegistrations() {
        for bundle in engine.registrations.removeAll(of: owner) {
            engine.log.append(
                .registryChanged, extensionIdentifier: bundle.identifier, pid: Int(credentials.pid),
                detail: "the connection that registered it has gone")
        }
        engine.prewarming.reconsider()
    }
}

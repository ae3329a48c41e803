// RegistryService: questions about registered extensions, and orders to the registry.

import EventLoop
import ExtensionConnection
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import PropertyListCoding

extension ControlService {
    /// The maximum number of unanswered orders of one connection.
    private static let ordersLimit = 16
    /// The maximum number of criteria in one question.
    private static let criteriaLimit = 32
    /// The maximum number of app groups in an answer.
    private static let groupsShown = 16
    /// The maximum number of bytes of container paths in an answer, for each of the two lists.
    private static let pathsRoom = 12 * 1024

    // MARK: Questions

    func listExtensions(
        _ message: ListExtensions, _ reply: Reply<Page<ExtensionRecord>>
    ) throws(ExtensionHostError) {
        var criteria: [Criterion] = []
        for text in message.criteria {
            guard criteria.count < Self.criteriaLimit, let criterion = Criterion(written: text) else {
                throw ExtensionHostError(
                    .invalidArgument,
                    "“\(text.cut(toBytes: 128))” is not a criterion, or there are more than \(Self.criteriaLimit)",
                    remedy: "Write KEY or KEY=VALUE")
            }
            criteria.append(criterion)
        }
        let registry = catalog.registry
        let development = catalog.registrations.listed(beside: registry).filter { copy in
            (message.allCopies || copy.isWinner) && criteria.allSatisfy { $0.holds(of: copy.bundle) }
        }
        func find(_ criteria: [Criterion]) -> [RegisteredCopy] {
            registry.copies(matching: criteria, allVersions: message.allVersions, allCopies: message.allCopies)
        }
        if criteria.allSatisfy(\.isAtHand) { return try page(message, find(criteria) + development, reply) }
        // Each bundle's plist is unpacked: with thousands of them that would hold up the loop.
        try offLoop(reply, "list") { [criteria] in
            registry.copies(matching: criteria, allVersions: message.allVersions, allCopies: message.allCopies)
        } then: { service, copies in
            do throws(ExtensionHostError) {
                try service.page(message, copies + development, reply)
            } catch {
                reply(error)
            }
        }
    }

    /// Sends a page. Records are made only for the copies on it.
    private func page(
        _ message: ListExtensions, _ copies: [RegisteredCopy], _ reply: Reply<Page<ExtensionRecord>>
    ) throws(ExtensionHostError) {
        let first = min(max(0, message.offset), copies.count)
        let shown = Array(copies[first...].prefix(Self.pageLimit))
        guard message.groups else {
            return reply(Self.page(of: shown.map(\.record), from: first, count: copies.count))
        }
        let (registry, settings, picture, known) = (
            catalog.registry, context.settings, catalog.pictures, catalog.groupClaims
        )
        // The thread reads files of each bundle on the page. If one asks for a group that is not named after its
        // vendor, it reads those of all bundles.
        try offLoop(reply, "list") {
            var claims = known
            let records = shown.map { copy in
                let (bundle, entitlements) = (copy.bundle, GroupEntitlements(of: copy.bundle))
                guard entitlements.isStrange(to: bundle.identifier) else { return copy.record.with(entitlements) }
                let all = claims ?? GroupClaims(of: registry.usable)
                claims = all
                return copy.record.with(all.consented(entitlements, of: bundle.identifier, settings))
            }
            return (records, claims)
        } then: { service, found in
            if service.catalog.pictures == picture { service.catalog.groupClaims = found.1 }
            reply(Self.page(of: found.0, from: first, count: copies.count))
        }
    }

    func showExtension(_ message: ShowExtension) throws(ExtensionHostError) -> ExtensionDetail {
        let name = message.name
        let copies = catalog.registry.copies + catalog.registrations.listed(beside: catalog.registry)
        let development = catalog.registrations.bundle(name, of: owner)
        let found =
            copies.first { $0.bundle.registration != nil && $0.bundle.registration == development?.registration }
            ?? catalog.registry[name] ?? copies.first { $0.bundle.path == name || $0.bundle.identifier == name }
        guard let found else {
            throw catalog.noSuchExtension(name, remedy: "exthostctl list -A -D lists all extensions")
        }
        let bundle = found.bundle
        // The call reads two small files, as a launch does.
        let entitlements = catalog.entitlements(of: bundle)
        let isSmall = bundle.information.count <= ExtensionDetail.informationLimit && !bundle.information.isEmpty
        return ExtensionDetail(
            record: found.record.with(entitlements), principalClass: bundle.principalClass,
            executable: bundle.executable,
            information: isSmall ? bundle.information : nil,
            count: copies.count { $0.bundle.identifier == bundle.identifier },
            groups: Array(entitlements.held.map(\.text).prefix(Self.groupsShown)),
            refused: entitlements.refused.prefix(Self.groupsShown).map { "\($0)".cut(toBytes: 512) },
            network: (entitlements.isClient ? ["client"] : []) + (entitlements.isServer ? ["server"] : []),
            consents: engine.values.consents(to: bundle, of: user)?.sorted() ?? [])
    }

    // MARK: Orders

    func addBundle(_ message: AddBundle, _ reply: Reply<BundleList>) throws(ExtensionHostError) {
        try checkMayRegister()
        try order(reply) {
            $0.add(message.path, answer: $1)
        } then: { _, copies in
            reply(Self.list(copies))
        }
    }

    func removeBundle(_ message: RemoveBundle, _ reply: Reply<BundleList>) throws(ExtensionHostError) {
        try checkMayRegister()
        try order(reply) {
            $0.remove(message.path, answer: $1)
        } then: { service, copies in
            service.removed(message.path, copies, reply)
        }
    }

    /// Replies with the removed copies, and with what happened to their containers.
    private func removed(_ path: String, _ copies: [RegisteredCopy], _ reply: Reply<BundleList>) {
        let removed = copies.map(\.bundle)
        let paths = Set(removed.map(\.path))
        let remaining = (catalog.registry.copies + catalog.registrations.listed(beside: catalog.registry)).map(\.bundle)
            .filter { !paths.contains($0.path) }
        engine.programs.removed(removed, remaining: remaining)
        // The files of an app that is removed by an order are still there.
        let apps = Set(removed.compactMap(\.containingApp)).subtracting(remaining.compactMap(\.containingApp))
        engine.supervisor.withdraw { !$0.isApp || $0.registration != nil || !apps.contains($0.path) }
        // In the system's daemon each user has containers, and their contents are that user's own to delete.
        guard let folder = context.options.containersFolder, !context.options.isSystem else {
            return reply(Self.list(copies))
        }
        // The removal counts as an order of this connection, and is done even if the connection ends.
        ordering += 1
        engine.removals.removeContainers(of: path, removed, remaining: remaining, in: ContainerFolder(path: folder)) {
            [weak self] removal in
            guard let self else { return }
            ordering -= 1
            if isConnected { reply(Self.list(copies, removal)) }
        }
    }

    private static func list(_ copies: [RegisteredCopy], _ removal: ContainerRemoval? = nil) -> BundleList {
        BundleList(
            entries: fitting(copies.prefix(pageLimit).map(\.record)), count: copies.count,
            deleted: shown(removal?.deleted),
            kept: shown(removal?.kept))
    }

    /// Returns as many paths as fit beside the entries.
    private static func shown(_ paths: [String]?) -> [String] {
        var room = pathsRoom
        return (paths ?? []).prefix { path in
            room -= path.utf8.count
            return room >= 0
        }
    }

    /// The user whose consents and annotations the connection reads and sets.
    private var user: UInt32 { context.options.isSystem ? credentials.uid : context.owner }

    func setConsent(_ message: SetConsent, _ reply: Reply<BundleList>) throws(ExtensionHostError) {
        guard credentials.uid == user || credentials.uid == 0 else {
            throw ExtensionHostError(.notPermitted, "user \(credentials.uid) may not consent for user \(user)")
        }
        let identifier = message.extensionIdentifier
        guard let bundle = catalog.bundle(identifier, for: owner) else {
            throw catalog.noSuchExtension(identifier, remedy: "exthostctl list lists the extensions")
        }
        try takePlace()
        do throws(ExtensionHostError) {
            try engine.values.setConsent(message.name, message.isGiven, to: bundle, of: user) { [weak self] error in
                guard let self else { return }
                ordering -= 1
                // Waiting processes have the confinement of the earlier consents.
                engine.prewarming.reconsider()
                if error == nil, !message.isGiven { end(identifier, after: message.name) }
                guard isConnected else { return }
                if let error { return reply(error) }
                let installed = catalog.registry.copies(matching: [.identifier(identifier)], allCopies: true)
                let registered = catalog.registrations.listed(beside: catalog.registry)
                reply(Self.list(installed + registered.filter { $0.bundle.identifier == identifier }))
            }
        } catch {
            ordering -= 1
            throw error
        }
    }

    /// Ends the processes that have the rights of a consent, because the user has taken it back.
    private func end(_ identifier: String, after consent: String) {
        let user = context.options.isSystem ? user : nil
        for process in engine.inventory.processes(of: identifier, with: consent, of: user) {
            let why = ExtensionHostError(
                .interrupted, "the user has taken back the consent \(consent) of \(identifier)",
                remedy: "Begin again: the next process has the narrower confinement")
            context.order { process.kill(.terminatedByOperator, by: "operator", why: why) }
        }
    }

    func readAnnotations(_ message: ReadAnnotations, _ reply: Reply<Annotations>) throws(ExtensionHostError) {
        guard let bundle = catalog.bundle(message.extensionIdentifier, for: owner) else { return reply(Annotations()) }
        try takePlace()
        engine.values.readAnnotations(of: bundle, for: user) { [weak self] values in
            guard let self else { return }
            ordering -= 1
            guard isConnected else { return }
            guard !values.isEmpty else { return reply(Annotations()) }
            do {
                reply(Annotations(), payload: try Payload(try PropertyList.dictionary(values).encodeBinary()))
            } catch {
                reply(ExtensionHostError(.internalError, "the annotations cannot be sent", cause: "\(error)"))
            }
        }
    }

    func elect(_ message: Elect, _ reply: Reply<BundleList>) throws(ExtensionHostError) {
        guard credentials.uid == geteuid() || credentials.uid == 0 else {
            throw ExtensionHostError(.notPermitted, "user \(credentials.uid) may not elect for user \(geteuid())")
        }
        try order(reply) {
            $0.elect(message.election, message.extensionIdentifier, answer: $1)
        } then: { _, copies in
            reply(Self.list(copies))
        }
    }

    /// Checks that the client is the daemon's own user, because registered extensions run with the daemon's rights.
    func checkMayRegister() throws(ExtensionHostError) {
        guard credentials.uid != geteuid() else { return }
        throw ExtensionHostError(
            .notPermitted, "user \(credentials.uid) may not register bundles for user \(geteuid())",
            remedy: "Register it with a daemon of your own")
    }

    private func order<Response: Message>(
        _ reply: Reply<Response>, _ give: (Discovery, @escaping Discovery.Answer) -> Void,
        then finish: @escaping @HostActor @Sendable (ControlService, [RegisteredCopy]) -> Void
    ) throws(ExtensionHostError) {
        guard let discovery = catalog.discovery else { throw .daemonStopping }
        try takePlace()
        give(discovery) { [weak self] result in
            Task { @HostActor in
                guard let self else { return }
                self.ordering -= 1
                guard self.isConnected else { return }
                switch result {
                case .success(let copies): finish(self, copies)
                case .failure(let error): reply(error)
                }
            }
        }
    }

    /// Counts an order or a question that takes a thread. A connection that has too many is refused.
    func takePlace() throws(ExtensionHostError) {
        guard ordering < Self.ordersLimit else {
            throw ExtensionHostError(
                .quotaExceeded,
                "\(Self.ordersLimit) orders of this connection wait for their answer, which is the limit",
                remedy: "Wait for the answers")
        }
        ordering += 1
    }

    /// Runs `body` on a thread, in the turn of the client's process, then `finish` on the loop.
    func offLoop<Value: Sendable, Response: Message>(
        _ reply: Reply<Response>, _ name: String, _ body: @escaping @Sendable () -> Value,
        then finish: @escaping @HostActor @Sendable (ControlService, Value) -> Void
    ) throws(ExtensionHostError) {
        try takePlace()
        context.sideWork.run(
            named: name, of: credentials.pid, isWanted: { [weak self] in self?.isConnected == true }, body
        ) { [weak self] result in
            guard let self else { return }
            ordering -= 1
            guard isConnected else { return }
            switch result {
            case .success(let value): finish(self, value)
            case .failure(let error):
                reply(
                    ExtensionHostError(
                        .internalError, "there is no thread for the answer",
                        remedy: "Allow the daemon more threads (ulimit -u)",
                        cause: "\(error)"))
            }
        }
    }
}

extension ExtensionRecord {
    /// Returns the record with the reports about its app groups.
    fileprivate func with(_ entitlements: GroupEntitlements) -> ExtensionRecord {
        var record = self
        record.warnings = Array((entitlements.notes.map { $0.cut(toBytes: 512) } + warnings).prefix(8))
        return record
    }
}

// RegistryService: questions about registered extensions, and orders to the registry.

import EventLoop
import ExtensionConnection
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import PropertyListCoding

extension ControlService {
    /// Orders of one connection that have not been answered.
    private static let ordersLimit = 16
    /// Criteria of one question.
    private static let criteriaLimit = 32
    /// App groups that travel.
    private static let groupsShown = 16
    /// Bytes of the paths of containers that do, of either list.
    private static let pathsRoom = 12 * 1024

    // MARK: Questions

    func listExtensions(_ packet: Packet, _ message: ListExtensions) {
        var criteria: [Criterion] = []
        for text in message.criteria {
            guard criteria.count < Self.criteriaLimit, let criterion = Criterion(written: text) else {
                return peer.reply(
                    packet,
                    ExtensionHostError(
                        .invalidArgument,
                        "“\(text.cut(toBytes: 128))” is no criterion, or there are more than \(Self.criteriaLimit)",
                        remedy: "Write KEY or KEY=VALUE"))
            }
            criteria.append(criterion)
        }
        let registry = engine.registry
        let development = engine.registrations.listed(beside: registry).filter { copy in
            (message.allCopies || copy.isWinner) && criteria.allSatisfy { $0.holds(of: copy.bundle) }
        }
        func find(_ criteria: [Criterion]) -> [RegisteredCopy] {
            registry.copies(matching: criteria, allVersions: message.allVersions, allCopies: message.allCopies)
        }
        if criteria.allSatisfy(\.isAtHand) { return page(packet, message, find(criteria) + development) }
        // Each bundle's plist is unpacked: with thousands of them that would hold up the loop.
        offLoop(packet, "list") { [criteria] in
            registry.copies(matching: criteria, allVersions: message.allVersions, allCopies: message.allCopies)
        } then: { service, copies in
            service.page(packet, message, copies + development)
        }
    }

    /// Records are made of those that travel only.
    private func page(_ packet: Packet, _ message: ListExtensions, _ copies: [RegisteredCopy]) {
        let first = min(max(0, message.offset), copies.count)
        let shown = Array(copies[first...].prefix(Self.pageLimit))
        guard message.groups else { return page(packet, of: shown.map(\.record), from: first, count: copies.count) }
        let (registry, settings, picture, known) = (engine.registry, engine.settings, engine.pictures, engine.groupClaims)
        // Files of each bundle are read, and of all bundles where one asks for a group that is not named after its vendor.
        offLoop(packet, "list") {
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
            if service.engine.pictures == picture { service.engine.groupClaims = found.1 }
            service.page(packet, of: found.0, from: first, count: copies.count)
        }
    }

    func showExtension(_ packet: Packet, _ name: String) {
        let copies = engine.registry.copies + engine.registrations.listed(beside: engine.registry)
        let development = engine.registrations.bundle(name, of: owner)
        let found =
            copies.first { $0.bundle.registration != nil && $0.bundle.registration == development?.registration }
            ?? engine.registry[name] ?? copies.first { $0.bundle.path == name || $0.bundle.identifier == name }
        guard let found else {
            return peer.reply(
                packet,
                engine.noSuchExtension(name, remedy: "exthostctl list -A -D shows what there is"))
        }
        let bundle = found.bundle
        // Two small files, as at its launch.
        let entitlements = engine.entitlements(of: bundle)
        let isSmall = bundle.information.count <= ExtensionDetail.informationLimit && !bundle.information.isEmpty
        peer.reply(
            packet,
            ExtensionDetail(
                record: found.record.with(entitlements), principalClass: bundle.principalClass, executable: bundle.executable,
                information: isSmall ? bundle.information : nil,
                count: copies.count { $0.bundle.identifier == bundle.identifier },
                groups: Array(entitlements.held.map(\.text).prefix(Self.groupsShown)),
                refused: entitlements.refused.prefix(Self.groupsShown).map { "\($0)".cut(toBytes: 512) },
                network: (entitlements.isClient ? ["client"] : []) + (entitlements.isServer ? ["server"] : [])))
    }

    // MARK: Orders

    func addBundle(_ packet: Packet, _ path: String) {
        guard mayRegister(packet) else { return }
        order(packet) {
            $0.add(path, answer: $1)
        } then: {
            $0.reply(packet, $1)
        }
    }

    func removeBundle(_ packet: Packet, _ path: String) {
        guard mayRegister(packet) else { return }
        order(packet) {
            $0.remove(path, answer: $1)
        } then: { service, copies in
            service.removed(packet, path, copies)
        }
    }

    /// Tells what becomes of the containers, too.
    private func removed(_ packet: Packet, _ path: String, _ copies: [RegisteredCopy]) {
        // Of the system's daemon each user has containers, and their contents are that user's own to delete.
        guard let folder = engine.options.containersFolder, !engine.options.isSystem else { return reply(packet, copies) }
        let removed = copies.map(\.bundle)
        let paths = Set(removed.map(\.path))
        let remaining = (engine.registry.copies + engine.registrations.listed(beside: engine.registry)).map(\.bundle)
            .filter { !paths.contains($0.path) }
        // It counts against those of this connection, and is done whether the connection lasts or not.
        ordering += 1
        engine.supervisor.removeContainers(of: path, removed, remaining: remaining, in: ContainerFolder(path: folder)) {
            [weak self] removal in
            guard let self else { return }
            ordering -= 1
            if isConnected { reply(packet, copies, removal) }
        }
    }

    private func reply(_ packet: Packet, _ copies: [RegisteredCopy], _ removal: ContainerRemoval? = nil) {
        let entries = Self.fitting(copies.prefix(Self.pageLimit).map(\.record))
        peer.reply(
            packet,
            BundleList(
                entries: entries, count: copies.count, deleted: Self.shown(removal?.deleted), kept: Self.shown(removal?.kept)))
    }

    /// As many paths as travel beside the entries.
    private static func shown(_ paths: [String]?) -> [String] {
        var room = pathsRoom
        return (paths ?? []).prefix { path in
            room -= path.utf8.count
            return room >= 0
        }
    }

    func elect(_ packet: Packet, _ message: Elect) {
        guard credentials.uid == geteuid() || credentials.uid == 0 else {
            return peer.reply(
                packet, ExtensionHostError(.notPermitted, "user \(credentials.uid) may not elect for user \(geteuid())"))
        }
        order(packet) {
            $0.elect(message.election, message.extensionIdentifier, answer: $1)
        } then: {
            $0.reply(packet, $1)
        }
    }

    /// What is registered is run with the daemon's rights, so only its own user may.
    func mayRegister(_ packet: Packet) -> Bool {
        guard credentials.uid != geteuid() else { return true }
        peer.reply(
            packet,
            ExtensionHostError(
                .notPermitted, "user \(credentials.uid) may not register what user \(geteuid()) is to run",
                remedy: "Register it with a daemon of your own"))
        return false
    }

    private func order(
        _ packet: Packet, _ give: (Discovery, @escaping Discovery.Answer) -> Void,
        then finish: @escaping @HostActor @Sendable (ControlService, [RegisteredCopy]) -> Void
    ) {
        guard let discovery = engine.discovery else { return peer.reply(packet, ExtensionHostError.daemonStopping) }
        guard takePlace(packet) else { return }
        give(discovery) { [weak self] result in
            Task { @HostActor in
                guard let self else { return }
                self.ordering -= 1
                guard self.isConnected else { return }
                switch result {
                case .success(let copies): finish(self, copies)
                case .failure(let error): self.peer.reply(packet, error)
                }
            }
        }
    }

    /// False when too much is being done for this connection already; it has been told.
    func takePlace(_ packet: Packet) -> Bool {
        guard ordering < Self.ordersLimit else {
            peer.reply(
                packet,
                ExtensionHostError(
                    .quotaExceeded, "\(Self.ordersLimit) orders of this connection wait for their answer, which is the limit",
                    remedy: "Wait for the answers"))
            return false
        }
        ordering += 1
        return true
    }

    /// Lets a thread find the answer, in the turn of the client's process.
    func offLoop<Value: Sendable>(
        _ packet: Packet, _ name: String, _ body: @escaping @Sendable () -> Value,
        then finish: @escaping @HostActor @Sendable (ControlService, Value) -> Void
    ) {
        guard takePlace(packet) else { return }
        engine.sideWork.run(
            named: name, of: credentials.pid, isWanted: { [weak self] in self?.isConnected == true }, body
        ) { [weak self] result in
            guard let self else { return }
            ordering -= 1
            guard isConnected else { return }
            switch result {
            case .success(let value): finish(self, value)
            case .failure(let error):
                peer.reply(
                    packet,
                    ExtensionHostError(
                        .internalError, "no thread for the answer", remedy: "Let the daemon have more (ulimit -u)",
                        cause: "\(error)"))
            }
        }
    }
}

extension ExtensionRecord {
    /// With what is to be told of its app groups.
    fileprivate func with(_ entitlements: GroupEntitlements) -> ExtensionRecord {
        var record = self
        record.warnings = Array((entitlements.notes.map { $0.cut(toBytes: 512) } + warnings).prefix(8))
        return record
    }
}

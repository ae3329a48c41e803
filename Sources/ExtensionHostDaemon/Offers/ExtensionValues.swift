// ExtensionValues: the consents of users to extensions, and the annotations that extensions and their apps set.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import PropertyListCoding

/// The consents and annotations of all extensions. A change acts at once, and its answer comes when it is on disk.
///
/// The values of an extension that a connection registered for itself are never on disk.
@HostActor
final class ExtensionValues {
    /// The maximum number of unanswered annotations of one process.
    private static let openLimit = 4
    /// The maximum number of bytes in the name of an annotation.
    private static let nameLimit = 64

    private let context: DaemonContext
    private let catalog: BundleCatalog
    private var values: [StoredValues.Owner: StoredValues] = [:]
    /// The number of unanswered annotations by the number of the process.
    private var open: [Int: Int] = [:]

    init(_ context: DaemonContext, _ catalog: BundleCatalog) { (self.context, self.catalog) = (context, catalog) }

    func adopt(_ stored: [StoredValues.Owner: StoredValues]) { values = stored }

    /// Returns the consents of a user to an extension; nil if there are none.
    func consents(to identifier: String, of user: UInt32) -> Set<String>? {
        // Each launch and each request asks this.
        if values.isEmpty { return nil }
        let consents = values[.init(identifier, of: user)]?.consents
        return consents?.isEmpty == true ? nil : consents
    }

    /// Returns the annotations of an extension, as a dictionary.
    func annotations(of identifier: String, for user: UInt32) -> PropertyListDictionary {
        let all = values[.init(identifier, of: user)]?.annotations ?? [:]
        return PropertyListDictionary(
            all.sorted { $0.key < $1.key }.compactMap { name, bytes in
                (try? PropertyList(binary: bytes, limits: .payload)).map { (name, $0) }
            })
    }

    /// Gives or takes back a consent.
    func setConsent(
        _ name: String, _ isGiven: Bool, to bundle: ExtensionBundle, of user: UInt32,
        answer: @escaping @HostActor @Sendable (ExtensionHostError?) -> Void
    ) throws(ExtensionHostError) {
        let known = context.options.points[bundle.point].consents
        guard known.contains(name) else {
            throw ExtensionHostError(
                .invalidArgument, "extensions of \(bundle.point) have no consent \(name.cut(toBytes: 64))",
                remedy: known.isEmpty ? "They have none" : "They have \(known.joined(separator: ", "))")
        }
        let owner = StoredValues.Owner(bundle.identifier, of: user)
        var next = values[owner] ?? StoredValues()
        if isGiven { next.consents.insert(name) } else { next.consents.remove(name) }
        guard next != values[owner] ?? StoredValues() else { return answer(nil) }
        store(next, of: owner, answer: answer)
        context.log.append(
            .consentChanged, extensionIdentifier: bundle.identifier, detail: "\(name) \(isGiven ? "on" : "off")",
            of: user)
    }

    /// Sets an annotation for an extension or an app, and replies to the packet.
    func annotate(_ packet: Packet, for process: ExtensionProcess) throws(ProtocolError) {
        let message: Annotate = try packet.message()
        let user = process.identity?.uid ?? context.owner
        do throws(ExtensionHostError) {
            let value = try Self.value(of: packet)
            try check(message, process)
            let owner = StoredValues.Owner(message.extensionIdentifier, of: user)
            var next = values[owner] ?? StoredValues()
            next.annotations[message.name] = value
            guard next.annotations.count <= StoredValues.annotationsLimit else {
                throw ExtensionHostError(
                    .quotaExceeded, "an extension has at most \(StoredValues.annotationsLimit) annotations",
                    remedy: "Delete one first")
            }
            guard next != values[owner] ?? StoredValues() else { return process.peer?.reply(packet, Success()) ?? () }
            open[process.number, default: 0] += 1
            context.log.append(
                .annotationChanged, extensionIdentifier: message.extensionIdentifier, pid: process.pid,
                detail: message.name, of: user)
            store(next, of: owner) { [weak self, weak process] error in
                guard let process else { return }
                self?.answered(process)
                if let error { process.peer?.reply(packet, error) } else { process.peer?.reply(packet, Success()) }
            }
        } catch {
            context.log.append(
                .annotationRefused, extensionIdentifier: process.bundle.identifier, pid: process.pid,
                detail:
                    "\(message.name.cut(toBytes: Self.nameLimit)) of \(message.extensionIdentifier.cut(toBytes: 255)): \(error.message)",
                of: user)
            process.peer?.reply(packet, error)
        }
    }

    private func answered(_ process: ExtensionProcess) {
        let left = (open[process.number] ?? 1) - 1
        open[process.number] = left > 0 ? left : nil
    }

    /// Returns the value in the packet; nil if it deletes the annotation.
    private static func value(of packet: Packet) throws(ExtensionHostError) -> [UInt8]? {
        let bytes: [UInt8]
        switch packet.payload {
        case .none: return nil
        case .inline(let inline) where inline.count <= StoredValues.annotationSize: bytes = inline
        case .inline, .sealed:
            throw ExtensionHostError(
                .payloadTooLarge, "an annotation has at most \(StoredValues.annotationSize) bytes",
                remedy: "Store longer data in an app group")
        }
        do {
            _ = try PropertyList(binary: bytes, limits: .payload)
            return bytes
        } catch {
            throw ExtensionHostError(
                .invalidArgument, "the value of an annotation is no property list", remedy: "Send a binary one",
                cause: "\(error)")
        }
    }

    /// Checks that the process may annotate the extension: it is the extension itself, or belongs to the same app.
    private func check(_ message: Annotate, _ process: ExtensionProcess) throws(ExtensionHostError) {
        let (name, bundle) = (message.name, process.bundle)
        guard !name.isEmpty, name.utf8.count <= Self.nameLimit,
            name.utf8.allSatisfy({
                $0 == 0x2d || $0 == 0x2e || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0
            })
        else {
            throw ExtensionHostError(
                .invalidArgument, "the name of the annotation is invalid",
                remedy: "Write 1 to \(Self.nameLimit) letters, digits, hyphens and dots")
        }
        guard open[process.number] ?? 0 < Self.openLimit else {
            throw ExtensionHostError(
                .quotaExceeded,
                "\(Self.openLimit) annotations of this process wait for their answer, which is the limit",
                remedy: "Wait for the answers")
        }
        let app = bundle.isApp ? bundle.path : bundle.containingApp
        let target = message.extensionIdentifier
        if target == bundle.identifier, !bundle.isApp { return }
        let found = catalog.registry[target]?.bundle ?? catalog.registrations.bundle(target)
        guard let app, let found, found.containingApp == app else {
            throw ExtensionHostError(
                .notPermitted, "\(bundle.identifier) may not annotate it",
                remedy: "Annotate the extension itself, or an extension of the same app")
        }
    }

    /// Deletes the values of extensions for all users, because their bundles have been removed.
    func forget(_ identifiers: Set<String>) {
        for owner in values.keys where identifiers.contains(owner.identifier) { store(StoredValues(), of: owner) }
    }

    private func store(
        _ next: StoredValues, of owner: StoredValues.Owner,
        answer: @escaping @HostActor @Sendable (ExtensionHostError?) -> Void = { _ in }
    ) {
        let before = values[owner]
        values[owner] = next.isEmpty ? nil : next
        guard catalog.registry[owner.identifier] != nil || next.isEmpty, let discovery = catalog.discovery else {
            return answer(nil)
        }
        discovery.store(next, of: owner) { error in
            Task { @HostActor [weak self] in
                // A value that cannot be stored does not act either.
                if error != nil, self?.values[owner] == (next.isEmpty ? nil : next) { self?.values[owner] = before }
                answer(error)
            }
        }
    }
}

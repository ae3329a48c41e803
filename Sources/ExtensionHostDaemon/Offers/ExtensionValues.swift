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
    private static let openLimit = 64
    /// The maximum number of bytes in the name of an annotation.
    private static let nameLimit = 64

    private let context: DaemonContext
    private let catalog: BundleCatalog
    private var values: [StoredValues.Owner: StoredValues] = [:]
    /// The values on disk, which count again if a change cannot be stored.
    private var stored: [StoredValues.Owner: StoredValues] = [:]
    /// The number of unanswered annotations by the number of the process.
    private var open: [Int: Int] = [:]

    init(_ context: DaemonContext, _ catalog: BundleCatalog) { (self.context, self.catalog) = (context, catalog) }

    func adopt(_ stored: [StoredValues.Owner: StoredValues]) { (values, self.stored) = (stored, stored) }

    /// Returns the consents of a user to an extension; nil if there are none.
    func consents(to bundle: ExtensionBundle, of user: UInt32) -> Set<String>? {
        // Each launch and each request asks this.
        if values.isEmpty { return nil }
        let consents = values[owner(bundle, user)]?.consents
        return consents?.isEmpty == true ? nil : consents
    }

    /// Returns the annotations of an extension, as a dictionary.
    func annotations(of bundle: ExtensionBundle, for user: UInt32) -> PropertyListDictionary {
        let all = values[owner(bundle, user)]?.annotations ?? [:]
        return PropertyListDictionary(
            all.sorted { $0.key < $1.key }.compactMap { name, bytes in
                (try? PropertyList(binary: bytes, limits: .packet)).map { (name, $0) }
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
        let owner = owner(bundle, user)
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
            let owner = owner(try target(of: message, process), user)
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

    private static var tooLarge: ExtensionHostError {
        ExtensionHostError(
            .payloadTooLarge, "an annotation has at most \(StoredValues.annotationSize) bytes",
            remedy: "Store longer data in an app group")
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
        case .inline, .sealed: throw tooLarge
        }
        let written: [UInt8]
        do {
            // Written anew, a value has each of its objects once for each place that refers to it.
            written = try PropertyList(binary: bytes, limits: .packet).encodeBinary()
        } catch {
            throw ExtensionHostError(
                .invalidArgument, "the value of an annotation is no property list", remedy: "Send a binary one",
                cause: "\(error)")
        }
        guard written.count <= StoredValues.annotationSize else { throw tooLarge }
        return written
    }

    /// Returns the extension that a process annotates: itself, or one of the app whose process it is.
    private func target(of message: Annotate, _ process: ExtensionProcess) throws(ExtensionHostError) -> ExtensionBundle
    {
        let (name, bundle) = (message.name, process.bundle)
        guard !name.isEmpty, name.utf8.count <= Self.nameLimit, name.utf8.allSatisfy(Self.isNameByte) else {
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
        let identifier = message.extensionIdentifier
        if identifier == bundle.identifier, !bundle.isApp { return bundle }
        let known = [catalog.registry[identifier]?.bundle, catalog.registrations.bundle(identifier)]
        guard bundle.isApp, let found = known.lazy.compactMap(\.self).first(where: { $0.containingApp == bundle.path })
        else {
            throw ExtensionHostError(
                .notPermitted, "\(bundle.identifier) may not annotate it",
                remedy: "Annotate it in its own process, or in that of its app")
        }
        return found
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Deletes the values of extensions for all users, because their bundles are gone.
    func forget(_ identifiers: Set<String>) {
        forget { $0.registration == nil && identifiers.contains($0.identifier) }
    }

    /// Deletes the values of a registration for a connection, which has ended.
    func forget(registration: Int?) { forget { $0.registration != nil && $0.registration == registration } }

    private func forget(where isGone: (StoredValues.Owner) -> Bool) {
        for owner in values.keys where isGone(owner) { store(StoredValues(), of: owner) }
    }

    private func owner(_ bundle: ExtensionBundle, _ user: UInt32) -> StoredValues.Owner {
        StoredValues.Owner(bundle.identifier, of: user, registration: bundle.registration)
    }

    private func store(
        _ next: StoredValues, of owner: StoredValues.Owner,
        answer: @escaping @HostActor @Sendable (ExtensionHostError?) -> Void = { _ in }
    ) {
        let kept = next.isEmpty ? nil : next
        values[owner] = kept
        guard owner.registration == nil, let discovery = catalog.discovery else { return answer(nil) }
        discovery.store(next, of: owner) { error in
            Task { @HostActor [weak self] in
                guard let self else { return }
                if error == nil {
                    stored[owner] = kept
                } else if values[owner] == kept {
                    // A value that cannot be stored does not act either.
                    values[owner] = stored[owner]
                }
                answer(error)
            }
        }
    }
}

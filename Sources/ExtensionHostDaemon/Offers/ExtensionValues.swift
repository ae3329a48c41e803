// ExtensionValues: the consents of users to extensions, and the annotations that extensions and their apps set.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import PropertyListCoding

/// The consents and annotations of all extensions. A change acts, and is logged and answered, once it is on disk.
///
/// The values of an extension that a connection registered for itself are never on disk.
@HostActor
final class ExtensionValues {
    /// The end of a step.
    private enum Outcome {
        case changed(from: StoredValues)
        case unchanged
        case failed(ExtensionHostError)

        var error: ExtensionHostError? { if case .failed(let error) = self { error } else { nil } }
    }

    /// A change of an extension's values, or a reader of them, which changes nothing.
    private struct Step {
        let change: @HostActor (inout StoredValues) throws(ExtensionHostError) -> Void
        let isRemoval: Bool
        let done: @HostActor (Outcome) -> Void
    }

    /// The maximum number of unanswered annotations of one process.
    private static let openLimit = 64
    /// The maximum number of bytes in the name of an annotation.
    private static let nameLimit = 64

    private let context: DaemonContext
    private let catalog: BundleCatalog
    private var values: [StoredValues.Owner: StoredValues] = [:]
    /// The steps that are not done yet, in their order.
    private var steps: [StoredValues.Owner: [Step]] = [:]
    /// The extensions whose first step waits for the disk.
    private var storing: Set<StoredValues.Owner> = []
    /// The number of unanswered annotations by the number of the process.
    private var open: [Int: Int] = [:]

    init(_ context: DaemonContext, _ catalog: BundleCatalog) { (self.context, self.catalog) = (context, catalog) }

    func adopt(_ stored: [StoredValues.Owner: StoredValues]) { values = stored }

    /// Returns the consents of a user to an extension; nil if there are none.
    func consents(to bundle: ExtensionBundle, of user: UInt32) -> Set<String>? {
        // Each launch and each request asks this.
        if values.isEmpty { return nil }
        let owner = owner(bundle, user)
        // Another bundle with the identifier does not inherit consents whose removal waits for the disk.
        if steps[owner]?.contains(where: \.isRemoval) == true { return nil }
        let consents = values[owner]?.consents
        return consents?.isEmpty == true ? nil : consents
    }

    /// Reads the annotations of an extension, as a dictionary, after the changes so far.
    func readAnnotations(
        of bundle: ExtensionBundle, for user: UInt32, answer: @escaping @HostActor (PropertyListDictionary) -> Void
    ) {
        let owner = owner(bundle, user)
        change(owner, { _ in }) { [weak self] _ in
            let all = self?.values[owner]?.annotations ?? [:]
            answer(
                PropertyListDictionary(
                    all.sorted { $0.key < $1.key }.compactMap { name, bytes in
                        (try? PropertyList(binary: bytes, limits: .packet)).map { (name, $0) }
                    }))
        }
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
        change(owner(bundle, user)) { values in
            if isGiven { values.consents.insert(name) } else { values.consents.remove(name) }
        } done: { [context] outcome in
            if case .changed = outcome {
                context.log.append(
                    .consentChanged, extensionIdentifier: bundle.identifier,
                    detail: "\(name) \(isGiven ? "on" : "off")", of: user)
            }
            answer(outcome.error)
        }
    }

    /// Sets an annotation for an extension or an app, and replies to the packet.
    func annotate(_ packet: Packet, for process: ExtensionProcess) throws(ProtocolError) {
        let message: Annotate = try packet.message()
        let user = process.identity?.uid ?? context.owner
        do throws(ExtensionHostError) {
            let value = try Self.value(of: packet)
            let owner = owner(try target(of: message, process), user)
            open[process.number, default: 0] += 1
            change(owner) { (values) throws(ExtensionHostError) in
                values.annotations[message.name] = value
                guard values.annotations.count <= StoredValues.annotationsLimit else {
                    throw ExtensionHostError(
                        .quotaExceeded, "an extension has at most \(StoredValues.annotationsLimit) annotations",
                        remedy: "Delete one first")
                }
            } done: { [weak self, process] outcome in
                self?.open[process.number] = self?.open[process.number].flatMap { $0 > 1 ? $0 - 1 : nil }
                if case .changed = outcome { self?.announce(message.name, of: owner, pid: process.pid) }
                if let error = outcome.error {
                    self?.refuse(message, packet, of: process, error)
                } else {
                    process.peer?.reply(packet, Success())
                }
            }
        } catch {
            refuse(message, packet, of: process, error)
        }
    }

    private func announce(_ name: String, of owner: StoredValues.Owner, pid: Int? = nil) {
        context.log.append(
            .annotationChanged, extensionIdentifier: owner.identifier, pid: pid, detail: name, of: owner.user)
    }

    private func refuse(
        _ message: Annotate, _ packet: Packet, of process: ExtensionProcess, _ error: ExtensionHostError
    ) {
        context.log.append(
            .annotationRefused, extensionIdentifier: process.bundle.identifier, pid: process.pid,
            detail:
                "\(message.name.cut(toBytes: Self.nameLimit)) of \(message.extensionIdentifier.cut(toBytes: 255)): \(error.message)",
            of: process.identity?.uid ?? context.owner)
        process.peer?.reply(packet, error)
    }

    private static var tooLarge: ExtensionHostError {
        ExtensionHostError(
            .payloadTooLarge, "an annotation has at most \(StoredValues.annotationSize) bytes",
            remedy: "Store longer data in an app group")
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
        guard (1...Self.nameLimit).contains(name.utf8.count), BundleInformation.isIdentifier(name) else {
            throw ExtensionHostError(
                .invalidArgument, "the name of the annotation is invalid",
                remedy: "Write 1 to \(Self.nameLimit) letters, digits, hyphens and dots, and no dot at the beginning")
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

    // MARK: Removal

    /// Deletes the values of extensions for all users, because their bundles are gone.
    func forget(_ identifiers: Set<String>) {
        forget { $0.registration == nil && identifiers.contains($0.identifier) }
    }

    /// Deletes the values of a registration for a connection, which has ended.
    func forget(registration: Int?) { forget { $0.registration != nil && $0.registration == registration } }

    private func forget(where isGone: (StoredValues.Owner) -> Bool) {
        for owner in Set(values.keys).union(steps.keys) where isGone(owner) {
            change(owner, isRemoval: true, { $0 = StoredValues() }) { [weak self] outcome in
                guard case .changed(let old) = outcome else { return }
                for name in old.annotations.keys.sorted() { self?.announce(name, of: owner) }
            }
        }
    }

    // MARK: Steps

    private func owner(_ bundle: ExtensionBundle, _ user: UInt32) -> StoredValues.Owner {
        StoredValues.Owner(bundle.identifier, of: user, registration: bundle.registration)
    }

    /// Performs a step after the earlier ones of the same extension.
    private func change(
        _ owner: StoredValues.Owner, isRemoval: Bool = false,
        _ change: @escaping @HostActor (inout StoredValues) throws(ExtensionHostError) -> Void,
        done: @escaping @HostActor (Outcome) -> Void
    ) {
        steps[owner, default: []].append(Step(change: change, isRemoval: isRemoval, done: done))
        advance(owner)
    }

    /// Performs the steps of an extension up to one that waits for the disk.
    private func advance(_ owner: StoredValues.Owner) {
        while !storing.contains(owner), let step = steps[owner]?.first {
            let before = values[owner] ?? StoredValues()
            var next = before
            do throws(ExtensionHostError) {
                try step.change(&next)
            } catch {
                finish(owner, before, error)
                continue
            }
            let isDurable = owner.registration == nil && context.options.stateFolder != nil
            guard next != before, isDurable, let discovery = catalog.discovery else {
                finish(owner, next, nil)
                continue
            }
            storing.insert(owner)
            discovery.store(next, of: owner) { [next] error in
                Task { @HostActor [weak self] in
                    self?.storing.remove(owner)
                    self?.finish(owner, next, error)
                    self?.advance(owner)
                }
            }
        }
    }

    /// Ends the first step of an extension.
    private func finish(_ owner: StoredValues.Owner, _ next: StoredValues, _ error: ExtensionHostError?) {
        guard let step = steps[owner]?.removeFirst() else { return }
        if steps[owner]?.isEmpty == true { steps[owner] = nil }
        // The values of a removed bundle act no more, also if the disk still has them.
        if let error, !step.isRemoval { return step.done(.failed(error)) }
        let before = values[owner] ?? StoredValues()
        values[owner] = next.isEmpty ? nil : next
        step.done(next == before ? .unchanged : .changed(from: before))
    }
}

// DocumentPickerHost: a host that lets a person pick a document, or a place for one, in the view of an extension.

public import ExtensionHost
import ExtensionItems
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Glibc
import LinuxDescriptors
import Locks
public import PointMessages
import PropertyListCoding
import UniformTypeIdentifiers

/// Begins sessions of document pickers, as an app with a document picker does.
public struct DocumentPickerHost: Sendable {
    /// The extension point of document pickers.
    public static let point = "com.apple.fileprovider-ui"
    /// The extension point of file providers.
    private static let providerPoint = "com.apple.fileprovider-nonui"
    /// The largest document of an import, in bytes (ours).
    public static let largestImport = 4 << 30

    /// A wish of the host.
    public enum Wish: Sendable, Hashable {
        /// A copy of a document that has one of these types.
        case `import`([String])
        /// A lease on a document that has one of these types.
        case open([String])
        /// A copy of the file at this path, at a place of the picker's.
        case exportToService(String)
        /// The file at this path in the provider's storage, with a lease on it.
        case moveToService(String)

        /// The mode of the picker.
        public var mode: PickerMode {
            switch self {
            case .import: .import
            case .open: .open
            case .exportToService: .exportToService
            case .moveToService: .moveToService
            }
        }
    }

    private let host: HostApplication
    private let containers: String?

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - groupContainers: the folder that has a folder for each app group, as `TestDaemon.groupContainers`; nil: the
    ///     folder of the user's daemon, or that of `EXTHOST_GROUP_CONTAINERS`.
    public init(_ host: HostApplication, groupContainers: String? = nil) {
        self.host = host
        containers =
            groupContainers ?? ContainerNames.groupFolder { ProcessInfo.processInfo.environment[$0] }
    }

    // MARK: The pickers

    /// The modes and types that a picker offers, and its provider.
    private struct Offer {
        var modes: Set<PickerMode>
        /// `UIDocumentPickerModes`, for messages.
        var declaredModes: [String]
        /// The host's types that it supports.
        var types: [String] = []
        var provider: Provider?
    }

    private struct Provider {
        let identifier: String
        let folder: DocumentStorageFolder
    }

    /// The names in `UIDocumentPickerModes` (documented). The registry disables a bundle with another one.
    private static let modeNames: [String: PickerMode] = [
        "UIDocumentPickerModeImport": .import, "UIDocumentPickerModeOpen": .open,
        "UIDocumentPickerModeExportToService": .exportToService, "UIDocumentPickerModeMoveToService": .moveToService,
    ]

    /// Returns the pickers that a person may choose for a wish, in the order of their identifiers.
    ///
    /// - Throws: `ExtensionHostError` `connectionLost`.
    public func extensions(for wish: Wish) async throws -> [FoundExtension] {
        let found = try await host.extensions()
        var offered: [FoundExtension] = []
        for picker in found where picker.point == Self.point {
            let offer = try await offer(picker, wish, among: found)
            if Self.refusal(of: wish, by: picker.identifier, offer) == nil { offered.append(picker) }
        }
        return offered
    }

    private func offer(_ picker: FoundExtension, _ wish: Wish, among found: [FoundExtension]) async throws -> Offer {
        let declaration = try await host.wholeDeclaration(of: picker.identifier)
        let attributes = declaration.declaration["NSExtensionAttributes"]?.dictionary
        let declared = Self.texts(attributes?["UIDocumentPickerModes"])
        var offer = Offer(modes: Set(declared.compactMap { Self.modeNames[$0] }), declaredModes: declared)
        if case .import(let types) = wish { offer.types = Self.supported(types, attributes) }
        if case .open(let types) = wish { offer.types = Self.supported(types, attributes) }
        offer.provider = try await provider(of: picker, declaration, among: found)
        return offer
    }

    private static func texts(_ value: PropertyList?) -> [String] {
        (value?.array ?? value.map { [$0] } ?? []).compactMap(\.string)
    }

    /// Returns the types of the host that the picker supports: by default those that conform to `public.content`.
    private static func supported(_ types: [String], _ attributes: PropertyListDictionary?) -> [String] {
        let key = attributes?["UIDocumentPickerSupportedFileTypes"]
        let supported = key == nil ? ["public.content"] : texts(key)
        return types.filter { name in
            supported.contains { own in
                guard own != name else { return true }
                guard let type = UTType(name), let own = UTType(own) else { return false }
                // The host may take more than the picker has.
                return type.conforms(to: own) || own.conforms(to: type)
            }
        }
    }

    /// Returns the file provider of the picker's group.
    ///
    /// The group is that of the picker's own `NSExtensionFileProviderDocumentGroup`. The template of a picker has no such
    /// key: its provider is then the one in the same app.
    private func provider(
        of picker: FoundExtension, _ declaration: HostApplication.WholeDeclaration, among found: [FoundExtension]
    ) async throws -> Provider? {
        let key = "NSExtensionFileProviderDocumentGroup"
        let own = declaration.declaration[key]?.string
        guard let containers else { return nil }
        for provider in found where provider.point == Self.providerPoint {
            let other = try await host.wholeDeclaration(of: provider.identifier)
            guard let text = other.declaration[key]?.string, own == nil || own == text,
                own != nil || (picker.containingApp != nil && provider.containingApp == picker.containingApp),
                let group = try? GroupIdentifier(text),
                // Both have the folder only if their entitlements say so.
                declaration.groups.contains(text), other.groups.contains(text)
            else { continue }
            return Provider(
                identifier: provider.identifier,
                folder: DocumentStorageFolder(containers: containers, group: group.text))
        }
        return nil
    }

    private static func refusal(of wish: Wish, by identifier: String, _ offer: Offer) -> ExtensionHostError? {
        let mode = wish.mode
        guard offer.modes.contains(mode) else {
            let declared = offer.declaredModes.isEmpty ? "none" : offer.declaredModes.joined(separator: ", ")
            let name = "UIDocumentPickerMode\(mode.rawValue.prefix(1).uppercased())\(mode.rawValue.dropFirst())"
            return ExtensionHostError(
                .ruleMismatch,
                "\(identifier) does not offer the mode \(mode.rawValue): UIDocumentPickerModes has \(declared)",
                remedy: "Add \(name) to the key in its NSExtensionAttributes")
        }
        switch wish {
        case .import, .open:
            if offer.types.isEmpty {
                return ExtensionHostError(
                    .ruleMismatch, "\(identifier) supports none of the types that the host takes",
                    remedy: "Add one of them to UIDocumentPickerSupportedFileTypes in its NSExtensionAttributes")
            }
        default: break
        }
        if mode == .open || mode == .moveToService, offer.provider == nil {
            return ExtensionHostError(
                .ruleMismatch, "\(identifier) has no file provider, so it does not offer the mode \(mode.rawValue)",
                remedy:
                    "Give its app a file provider whose NSExtensionFileProviderDocumentGroup both hold in Entitlements.plist"
            )
        }
        return nil
    }

    // MARK: Sessions

    /// Begins a session: prepares the picker for the wish, and shows its view.
    ///
    /// - Parameters:
    ///   - identifier: the picker.
    ///   - wish: the mode, with its types or its file.
    /// - Throws: `ExtensionHostError`: `ruleMismatch` if the picker does not offer the mode or any of the types,
    ///   `noSuchExtension`, `invalidArgument` for a file that cannot be read; errors of `HostApplication.begin` and of
    ///   the call.
    public func begin(_ identifier: String, _ wish: Wish) async throws -> DocumentPickerSession {
        let found = try await host.extensions()
        guard let picker = found.first(where: { $0.identifier == identifier && $0.point == Self.point }) else {
            throw ExtensionHostError(.noSuchExtension, "there is no document picker \(identifier)")
        }
        let offer = try await offer(picker, wish, among: found)
        if let refusal = Self.refusal(of: wish, by: identifier, offer) { throw refusal }
        var message = PreparePicker(
            mode: wish.mode, types: nil, original: nil, provider: offer.provider?.identifier,
            group: offer.provider?.folder.group)
        switch wish {
        case .import, .open: message.types = offer.types
        case .exportToService(let path), .moveToService(let path): message.original = try Self.original(path)
        }
        let choice = PickerChoice(
            wish.mode, storage: offer.provider?.folder, provider: offer.provider?.identifier ?? "")
        var handlers = PointHandlers()
        handlers.on(GrantAccess.self) { message, _ in
            await choice.take(message)
            return Nothing()
        }
        let request = try await host.begin(identifier, items: [], handling: handlers)
        let session = DocumentPickerSession(request, wish.mode, choice)
        do {
            try await request.call(message)
            return session
        } catch {
            // The author may have chosen a document, or cancelled, while the view was prepared.
            if choice.isMade { return session }
            try? await request.cancel()
            switch await request.outcome {
            // The reason why there is no extension to call says more than the failed call.
            case .refused: throw await request.explanation ?? error
            case .cancelled(.cancelledByExtension, let reason):
                if let kit = ExtensionHostError(crossed: reason) { throw kit }
                return session
            default: throw error
            }
        }
    }

    private static func original(_ path: String) throws -> PreparePicker.Original {
        let name = URL(fileURLWithPath: path).lastPathComponent
        guard let file = try? PointFile(readingAt: path), (try? FileStatus(of: file.descriptor.raw).isRegular) == true
        else {
            throw ExtensionHostError(
                .invalidArgument, "\(path) is not a file that can be read", remedy: "Name a regular file")
        }
        return PreparePicker.Original(name: name, file: file)
    }
}

// FileProviderHost: the system's half of file providers: their domains, and the files of each.

public import ExtensionHost
import ExtensionPointKit
import ExtensionProtocol
import ExtensionWire
import Foundation
import Glibc
import LinuxDescriptors
import PointMessages
import PropertyListCoding
import SQLite

/// Keeps the files of this user's providers.
///
/// Apps and providers reach it as the service `org.exthost.files`, once `serve()` has been called.
public actor FileProviderHost {
    /// The extension point of providers.
    public static let point = "com.apple.fileprovider-nonui"

    private let host: HostApplication
    private let folder: String
    /// Whether the folder ends with this object.
    private let isTemporary: Bool
    private let groups: String?
    private let limit: Duration
    private let quietTime: Duration
    private let domains: DomainTable
    private let transferTable: FileTransferTable
    private var files: [Key: Task<ProviderFiles, any Error>] = [:]
    private let onStep: @Sendable (ContentStep) -> Void

    private struct Key: Hashable {
        let identifier: String
        let domain: String
    }

    /// Makes the host.
    ///
    /// - Parameters:
    ///   - host: the host's connection.
    ///   - store: the folder of the stores, which is made if it is not there; nil: one that ends with this object.
    ///   - groupContainers: the folder of the containers of app groups; nil: that of this user's daemon, or what
    ///     `EXTHOST_GROUP_CONTAINERS` says.
    ///   - limit: the time limit of each call of a provider.
    ///   - quietTime: the time without writes after which a provider hears of the change of an open file.
    /// - Throws: `FileFailure` if the folder cannot be used.
    public init(
        _ host: HostApplication, store: String?, groupContainers: String? = nil, limit: Duration = .seconds(30),
        quietTime: Duration = .seconds(2)
    ) throws(FileFailure) {
        try self.init(
            host, store: store, groupContainers: groupContainers, limit: limit, quietTime: quietTime, onStep: { _ in })
    }

    /// Makes a host whose steps a test hears of, as `init(_:store:groupContainers:limit:quietTime:)` does otherwise.
    package init(
        _ host: HostApplication, store: String?, groupContainers: String? = nil, limit: Duration = .seconds(30),
        quietTime: Duration = .seconds(2), onStep: @escaping @Sendable (ContentStep) -> Void
    ) throws(FileFailure) {
        (self.host, self.limit, self.quietTime, self.onStep) = (host, limit, quietTime, onStep)
        groups = groupContainers ?? ContainerNames.groupFolder { name in getenv(name).map { String(cString: $0) } }
        isTemporary = store == nil
        do {
            folder = try store ?? TemporaryDirectory(prefix: "exthost-files").path
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            domains = try DomainTable(path: folder + "/domains.db")
            transferTable = try FileTransferTable(path: FileTransferTable.path(in: folder))
        } catch {
            throw FileFailure(.failed, "the store of file providers cannot be used: \(error)")
        }
    }

    deinit { if isTemporary { try? removeTree(folder) } }

    // MARK: Files

    /// Opens the files of a provider. A second call returns the same object, until it is closed.
    ///
    /// - Parameters:
    ///   - identifier: the extension.
    ///   - domain: the domain's identifier; nil: the one of a provider without others.
    /// - Throws: `FileFailure`: `noSuchItem` if there is no such provider or domain.
    public func files(of identifier: String, domain: String? = nil) async throws(FileFailure) -> ProviderFiles {
        let key = Key(identifier: identifier, domain: domain ?? "")
        let task = files[key] ?? Task { try await open(key) }
        files[key] = task
        do {
            return try await task.value
        } catch {
            files[key] = nil
            throw FileFailure(error)
        }
    }

    private func open(_ key: Key) async throws -> ProviderFiles {
        let found = try await host.extensions().first { $0.identifier == key.identifier && $0.point == Self.point }
        guard let found else { throw FileFailure(.noSuchItem, "there is no file provider \(key.identifier)") }
        var domain: FileDomain?
        if !key.domain.isEmpty {
            domain = try domains.all(of: found.containingApp ?? key.identifier).first { $0.identifier == key.domain }
            guard domain != nil else {
                throw FileFailure(.noSuchItem, "\(key.identifier) has no domain \(key.domain). Let its app add it")
            }
        }
        let connection = ProviderConnection(host, key.identifier, domain: domain, limit: limit)
        let form = try await connection.call { _ in OpenFiles() }
        let scratch = "\(folder)/scratch"
        try FileManager.default.createDirectory(
            atPath: scratch, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let files = ProviderFiles(
            connection, domain: domain, isReplicated: form.isReplicated,
            store: form.isReplicated
                ? try ContentStore(
                    folder: storeFolder(key), of: key.identifier, domain: key.domain, onStep: onStep) : nil,
            storage: form.isReplicated ? nil : try await storage(of: key.identifier), scratch: scratch,
            quietTime: quietTime)
        await files.recover()
        // The working set comes in the background, with the anchor of later changes.
        Task { [weak files] in _ = try? await files?.items(in: ProviderFiles.workingSet) }
        return files
    }

    private func storeFolder(_ key: Key) -> String {
        // A name that no identifier can lead out of the folder.
        let name = [key.identifier, key.domain].joined(separator: " ").utf8.map { byte in
            let isPlain = byte > 0x2c && byte < 0x7f && byte != UInt8(ascii: "/")
            return isPlain ? String(UnicodeScalar(byte)) : "%\(byte)"
        }
        return "\(folder)/store-\(name.joined())"
    }

    /// The document storage of a provider, in the group that it names and holds.
    private func storage(of identifier: String) async throws -> DocumentStorageFolder {
        let found = try await host.wholeDeclaration(of: identifier)
        guard let group = found.declaration["NSExtensionFileProviderDocumentGroup"]?.string else {
            throw FileFailure(
                .notSupported,
                "\(identifier) names no NSExtensionFileProviderDocumentGroup, so nobody else sees its files")
        }
        guard found.groups.contains(group) else {
            throw FileFailure(.notPermitted, "\(identifier) does not hold the app group \(group)")
        }
        guard let groups else { throw FileFailure(.failed, "no variable names the folder of app groups") }
        return DocumentStorageFolder(containers: groups, group: group)
    }

    /// Closes the files of a provider, or of all, after the changes that the providers have not got.
    public func close() async {
        let open = files.values
        files = [:]
        for task in open { await (try? task.value)?.close() }
    }

    // MARK: The service

    /// Answers apps and providers, as long as this object exists.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` if another host of this user serves them, `connectionLost`.
    public func serve() async throws {
        try await host.provide(FileService.name) { [weak self] connection in
            guard let client = connection.client else { throw Self.isGone }
            // A tool of this user looks after the files of all.
            if client.role == .control || client.role == .host {
                return Self.handlersOfTools { [weak self] in
                    guard let self else { throw Self.isGone }
                    return self
                }
            }
            guard client.role == .app || client.role == .extension,
                let owner = client.containingApp ?? client.identifier
            else {
                throw ExtensionHostError(
                    .notPermitted, "only apps and extensions tell of files",
                    remedy: "Call FileProviderHost from a host")
            }
            return Self.handlers(owner, client.app ?? client.identifier ?? owner) { [weak self] in
                guard let self else { throw Self.isGone }
                return self
            }
        }
    }

    private static let isGone = ExtensionHostError(.serviceUnavailable, "the host of files is gone")

    private static func handlersOfTools(_ host: @escaping @Sendable () throws -> FileProviderHost) -> PointHandlers {
        var handlers = PointHandlers()
        handlers.on(EvictFile.self) { message, _ in
            guard let files = await (try host()).opened(message.provider, message.domain) else { throw Self.isGone }
            do {
                try await files.evict(try await ProvidedPath.item(message.path, of: files).identifier)
            } catch let failure as FileFailure {
                throw ExtensionHostError(.notPermitted, failure.reason)
            }
            return Nothing()
        }
        return handlers
    }

    private static func handlers(
        _ owner: String, _ app: String, _ host: @escaping @Sendable () throws -> FileProviderHost
    ) -> PointHandlers {
        var handlers = PointHandlers()
        handlers.on(AddFileDomain.self) { message, _ in
            try await host().add(message.domain, of: owner)
            return Nothing()
        }
        handlers.on(RemoveFileDomain.self) { message, _ in
            // The provider may ask within a call for which the host waits.
            let host = try host()
            try await host.forget(message.identifier, of: owner)
            Task { await host.dropStores(message.identifier, of: owner) }
            return Nothing()
        }
        handlers.on(FileDomains.self) { _, _ in FileDomains.Reply(try await host().coded(of: owner)) }
        handlers.on(SignalEnumerator.self) { message, _ in
            let host = try host()
            // The signaller need not wait for the host's questions, which may be to itself.
            for files in await host.open(of: owner, message.domain) {
                Task { await files.refresh(message.container) }
            }
            return Nothing()
        }
        handlers.on(SignalErrorResolved.self) { message, _ in
            for files in await (try host()).open(of: owner, message.domain) { Task { await files.resolve() } }
            return Nothing()
        }
        handlers.on(RegisterTransfer.self) { message, _ in
            try await host().register(
                RegisteredTransfer(
                    owner: owner, domain: message.domain, item: message.identifier, app: app,
                    transfer: message.transfer))
            return Nothing()
        }
        handlers.on(EvictItem.self) { message, _ in
            for files in await (try host()).open(of: owner, message.domain) {
                try await files.evict(message.identifier)
            }
            return Nothing()
        }
        return handlers
    }

    /// The files of a provider that are open already.
    private func opened(_ identifier: String, _ domain: String?) async -> ProviderFiles? {
        try? await files[Key(identifier: identifier, domain: domain ?? "")]?.value
    }

    /// The open files of an app's providers.
    private func open(of owner: String, _ domain: String) async -> [ProviderFiles] {
        var found: [ProviderFiles] = []
        guard let extensions = try? await host.extensions() else { return [] }
        for (key, task) in files where key.domain == domain {
            let isOwned = extensions.contains {
                $0.identifier == key.identifier && ($0.containingApp ?? $0.identifier) == owner
            }
            if isOwned, let open = try? await task.value { found.append(open) }
        }
        return found
    }

    // MARK: Transfers

    /// The background transfers of items that have not ended, of all providers.
    ///
    /// - Throws: `ExtensionHostError` `serviceUnavailable` if there are some and the service of transfers is missing.
    public func transfers() async throws -> [FileTransfer] { try await transferTable.current(host, removesEnded: true) }

    private func register(_ transfer: RegisteredTransfer) async throws {
        // Transfers that have ended may still be in the table.
        if try transferTable.isFull(transfer.owner) {
            _ = try await transferTable.current(host, removesEnded: true)
        }
        try transferTable.add(transfer)
    }

    // MARK: Domains

    /// The domains of an app.
    ///
    /// - Parameter app: the app's folder; the identifier of a provider without an app.
    public func domains(of app: String) throws -> [Domain] {
        try domains.all(of: app).map { Domain(identifier: $0.identifier, displayName: $0.displayName) }
    }

    /// A domain of an app.
    public struct Domain: Sendable, Hashable {
        /// The identifier.
        public let identifier: String
        /// The name for people.
        public let displayName: String
    }

    private func coded(of app: String) throws -> [FileDomain] { try domains.all(of: app) }

    private func add(_ domain: FileDomain, of owner: String) throws {
        let path = domain.path ?? domain.identifier
        guard !domain.identifier.isEmpty, domain.identifier.utf8.count <= 1_024, domain.displayName.utf8.count <= 1_024,
            !path.isEmpty, path.utf8.count <= 1_024, !path.hasPrefix("/"), !path.split(separator: "/").contains("..")
        else {
            throw ExtensionHostError(
                .invalidArgument, "the domain's identifier, name or path is empty, too long or leads elsewhere")
        }
        try domains.add(domain, of: owner)
    }

    private func forget(_ identifier: String, of owner: String) throws {
        try domains.remove(identifier, of: owner)
        try transferTable.remove(domain: identifier, of: owner)
    }

    /// Closes the files of a domain that is gone, and deletes its stores with the changes that no provider has got.
    private func dropStores(_ domain: String, of owner: String) async {
        for open in await open(of: owner, domain) {
            files[Key(identifier: open.identifier, domain: domain)] = nil
            await open.close(storingChanges: false)
        }
        for found in (try? await host.extensions()) ?? []
        where found.point == Self.point && (found.containingApp ?? found.identifier) == owner {
            try? removeTree(storeFolder(Key(identifier: found.identifier, domain: domain)))
        }
    }
}

/// The table of domains. Only `FileProviderHost` uses it.
private final class DomainTable {
    private static let most = 1_000
    private let database: Database

    init(path: String) throws {
        database = try Database(path: path)
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS domains (
                app TEXT NOT NULL, identifier TEXT NOT NULL, name TEXT NOT NULL, path TEXT,
                PRIMARY KEY (app, identifier))
            """)
    }

    func all(of app: String) throws -> [FileDomain] {
        let statement = try database.statement(
            "SELECT identifier, name, path FROM domains WHERE app = ? ORDER BY identifier")
        try statement.bind([.text(app)])
        var found: [FileDomain] = []
        while try statement.step() {
            found.append(
                FileDomain(
                    identifier: statement.text(0), displayName: statement.text(1),
                    path: statement.isNull(2) ? nil : statement.text(2)))
        }
        return found
    }

    func add(_ domain: FileDomain, of app: String) throws {
        guard try all(of: app).count < Self.most else {
            throw ExtensionHostError(.quotaExceeded, "an app has at most \(Self.most) domains")
        }
        try database.statement("INSERT OR REPLACE INTO domains (app, identifier, name, path) VALUES (?, ?, ?, ?)").run(
            .text(app), .text(domain.identifier), .text(domain.displayName),
            domain.path.map { .text($0) } ?? .null)
    }

    func remove(_ identifier: String, of app: String) throws {
        try database.statement("DELETE FROM domains WHERE app = ? AND identifier = ?").run(
            .text(app), .text(identifier))
    }
}

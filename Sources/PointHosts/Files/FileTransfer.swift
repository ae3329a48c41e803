// FileTransfer: the background transfers that providers have tied to their items.

public import ExtensionHost
import ExtensionPointKit
import Foundation
import PointMessages
import SQLite
import TransferMessages

/// A background transfer of an item, which has not ended.
public struct FileTransfer: Sendable, Hashable {
    /// The folder of the provider's app; the identifier of a provider without an app.
    public let owner: String
    /// The domain's identifier; nil for a provider without domains.
    public let domain: String?
    /// The identifier of the item.
    public let item: String
    /// The identifier of the background session.
    public let session: String
    /// The number of the task in its session.
    public let task: Int
    /// Whether the item is uploaded; otherwise it is downloaded.
    public let isUpload: Bool
    /// Whether the task waits to be resumed.
    public let isSuspended: Bool
    /// The number of bytes so far.
    public let bytes: Int
    /// The number of all bytes; nil if it is unknown.
    public let expected: Int?

    /// Looks at the transfers of the providers whose files are kept in a folder. A folder that is not there has none.
    ///
    /// - Parameters:
    ///   - folder: the folder of the stores.
    ///   - host: connects with the daemon, if there is anything to ask the service of transfers for.
    /// - Throws: `FileFailure` if the folder cannot be read; the error of the service.
    public static func all(
        in folder: String, _ host: () async throws -> HostApplication
    ) async throws -> [FileTransfer] {
        let path = FileTransferTable.path(in: folder)
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let table: FileTransferTable
        do {
            table = try FileTransferTable(path: path)
            guard try !table.all().isEmpty else { return [] }
        } catch {
            throw FileFailure(.failed, "the transfers in \(path) cannot be read: \(error)")
        }
        return try await table.current(try await host(), removesEnded: false)
    }
}

/// A transfer as its provider has registered it.
struct RegisteredTransfer: Hashable {
    var owner: String
    var domain: String
    var item: String
    /// The identifier of the app, by which the service of transfers knows the session.
    var app: String
    var transfer: BackgroundTransfer
}

/// The table of registered transfers. It may be used by one thread at a time; several processes may use one file.
final class FileTransferTable {
    private static let most = 1_000
    private let database: Database

    static func path(in folder: String) -> String { folder + "/transfers.db" }

    init(path: String) throws {
        database = try Database(path: path)
        try database.execute("PRAGMA busy_timeout = 500")
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS transfers (
                owner TEXT NOT NULL, domain TEXT NOT NULL, item TEXT NOT NULL, app TEXT NOT NULL,
                session TEXT NOT NULL, task INTEGER NOT NULL, upload INTEGER NOT NULL, url TEXT NOT NULL,
                PRIMARY KEY (owner, domain, item))
            """)
    }

    func all() throws -> [RegisteredTransfer] {
        let rows = try database.statement(
            "SELECT owner, domain, item, app, session, task, upload, url FROM transfers ORDER BY owner, domain, item")
        var found: [RegisteredTransfer] = []
        while try rows.step() {
            found.append(
                RegisteredTransfer(
                    owner: rows.text(0), domain: rows.text(1), item: rows.text(2), app: rows.text(3),
                    transfer: BackgroundTransfer(
                        session: rows.text(4), task: rows.integer(5), isUpload: rows.integer(6) != 0, url: rows.text(7))
                ))
        }
        return found
    }

    /// Whether an owner has as many transfers as it may have. Some of them may have ended.
    func isFull(_ owner: String) throws -> Bool {
        let count = try database.statement("SELECT COUNT(*) FROM transfers WHERE owner = ?")
        try count.bind([.text(owner)])
        return try count.step() && count.integer(0) >= Self.most
    }

    /// Adds a transfer, in the place of an earlier one of the same item, and of one with the same task.
    ///
    /// - Throws: `ExtensionHostError` `quotaExceeded` if the owner has too many, `invalidArgument` for texts that are too
    ///   long.
    func add(_ new: RegisteredTransfer) throws {
        for text in [new.domain, new.item, new.transfer.session, new.transfer.url] where text.utf8.count > 4_096 {
            throw ExtensionHostError(.invalidArgument, "a text has \(text.utf8.count) bytes, more than 4,096")
        }
        guard try !isFull(new.owner) else {
            throw ExtensionHostError(
                .quotaExceeded, "the app has \(Self.most) items whose transfers are under way",
                remedy: "Register others when some of them have ended")
        }
        try database.statement("DELETE FROM transfers WHERE app = ? AND session = ? AND task = ?").run(
            .text(new.app), .text(new.transfer.session), .integer(new.transfer.task))
        try database.statement(
            """
            INSERT OR REPLACE INTO transfers (owner, domain, item, app, session, task, upload, url)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        ).run(
            .text(new.owner), .text(new.domain), .text(new.item), .text(new.app), .text(new.transfer.session),
            .integer(new.transfer.task), .integer(new.transfer.isUpload ? 1 : 0), .text(new.transfer.url))
    }

    /// Removes a transfer that has ended, unless the item has another one by now.
    private func remove(_ old: RegisteredTransfer) throws {
        try database.statement(
            "DELETE FROM transfers WHERE owner = ? AND domain = ? AND item = ? AND session = ? AND task = ?"
        ).run(
            .text(old.owner), .text(old.domain), .text(old.item), .text(old.transfer.session),
            .integer(old.transfer.task))
    }

    func remove(domain: String, of owner: String) throws {
        try database.statement("DELETE FROM transfers WHERE owner = ? AND domain = ?").run(.text(owner), .text(domain))
    }

    /// Asks the service about all transfers, and returns those that have not ended.
    ///
    /// - Parameter removesEnded: whether the others are removed. Only the host of the files may do so: the service of
    ///   another daemon knows none of them.
    func current(
        _ host: HostApplication, removesEnded: Bool, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [FileTransfer] {
        let registered = try all()
        guard !registered.isEmpty else { return [] }
        let service = try await host.connect(toService: transferServiceName)
        var sessions: [TransferSessionName: [TransferTask]] = [:]
        var found: [FileTransfer] = []
        for one in registered {
            let name = TransferSessionName(app: one.app, identifier: one.transfer.session)
            if sessions[name] == nil { sessions[name] = try await Self.tasks(of: name, service) }
            let kind = one.transfer.isUpload ? TransferKind.upload : .download
            let task = sessions[name]?.first {
                $0.number == one.transfer.task && $0.kind == kind && $0.request.url == one.transfer.url
            }
            guard let task, task.state != .finished else {
                if removesEnded { try remove(one) }
                continue
            }
            found.append(
                FileTransfer(
                    owner: one.owner, domain: one.domain.isEmpty ? nil : one.domain, item: one.item,
                    session: one.transfer.session, task: one.transfer.task, isUpload: one.transfer.isUpload,
                    isSuspended: task.state == .suspended, bytes: task.bytes, expected: task.expected))
        }
        return found
    }

    /// The tasks of a session; none if it is gone.
    private static func tasks(
        of name: TransferSessionName, _ service: ServiceConnection
    ) async throws -> [TransferTask] {
        do {
            return try await service.call(ShowTransferSession(name)).tasks
        } catch let error as ExtensionHostError where error.code == .invalidArgument {
            return []
        }
    }
}

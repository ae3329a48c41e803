// FilesCommand: the verb for the files of file providers.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import PointHosts
import PointMessages

struct FilesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "files",
        abstract: "Mount the files of a file provider, show what is stored here and transferred, or remove it.",
        discussion: """
            EXAMPLES
              exthostctl files mount org.example.cloud.files ~/Cloud
              exthostctl files status
              exthostctl files transfers
              exthostctl files evict org.example.cloud.files /Reports/May.pdf
            """,
        subcommands: [
            MountFilesCommand.self, FilesStatusCommand.self, FileTransfersCommand.self, EvictFileCommand.self,
        ],
        defaultSubcommand: FilesStatusCommand.self)

    /// The folder of the stores: that of `exthost-fuse`.
    static func store(_ named: String?) -> String {
        if let named { return named }
        let environment = ProcessInfo.processInfo.environment
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (state ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state") + "/exthost/files"
    }
}

/// The option that names the folder of the stores.
struct FileStoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the stores. Default: exthost/files below XDG_STATE_HOME, else ~/.local/state.",
            valueName: "folder"),
        completion: .directory)
    var store: String?

    var folder: String { FilesCommand.store(store) }
}

struct MountFilesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mount", abstract: "Mount the files of a provider as a folder, until Ctrl-C.",
        discussion: """
            The command becomes exthost-fuse, whose --help describes the exit statuses.

            EXAMPLE
              exthostctl files mount org.example.cloud.files ~/Cloud --read-only
            """)

    @Argument(help: ArgumentHelp("The extension's identifier.", valueName: "id"), completion: .extensions)
    var identifier: String

    @Argument(help: "A folder. What is in it is hidden meanwhile.", completion: .directory)
    var folder: String

    @Option(help: ArgumentHelp("The identifier of the provider's domain, if it has domains.", valueName: "id"))
    var domain: String?

    @Flag(name: .customLong("read-only"), help: "Let programs only read.")
    var isReadOnly = false

    @OptionGroup var storing: FileStoreOptions

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        if global.ephemeral {
            throw CommandError.usage(
                "a private daemon would end with this command", remedy: "Omit --ephemeral, or use exthostctl with")
        }
        var arguments = [try MountProgram.path(), identifier, folder]
        if let domain { arguments += ["--domain", domain] }
        if isReadOnly { arguments.append("--read-only") }
        if let store = storing.store { arguments += ["--store", store] }
        if let socket = global.socket { arguments += ["--socket", socket] }
        if let scope = global.scope { arguments.append("--\(scope.rawValue)") }
        let words = arguments.map { strdup($0) } + [nil]
        execv(arguments[0], words)
        throw CommandError.missing(
            "\(arguments[0]) cannot be executed: \(String(cString: strerror(errno)))", remedy: "Install it again")
    }
}

struct FilesStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what is stored here of replicated providers, and what waits.",
        discussion: """
            A change waits if the provider could not store it. The next host of the provider tries again.

            EXAMPLES
              exthostctl files status
              exthostctl files status --json
            """)

    @OptionGroup var storing: FileStoreOptions

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let stores = try FileStoreSummary.all(in: storing.folder)
        if global.json {
            let documents = stores.map { store -> JSON in
                [
                    "extension": .string(store.identifier), "domain": .optional(store.domain),
                    "files": .integer(store.files), "bytes": .integer(store.bytes),
                    "pending": .array(store.pending.map { .string($0) }), "inUse": .boolean(store.isInUse),
                ]
            }
            return try StandardOutput.write(JSON.array(documents).document)
        }
        var table = Table("EXTENSION", "DOMAIN", "FILES", "SIZE", "WAITING", "IN USE")
        for store in stores {
            table.add(
                store.identifier, store.domain ?? "", "\(store.files)", written(bytes: store.bytes),
                store.pending.joined(separator: ", "), store.isInUse ? "yes" : "")
        }
        try StandardOutput.write(table.text(emptyNote: "Nothing is stored."))
    }
}

struct FileTransfersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfers", abstract: "Show the items that are downloaded or uploaded in the background.",
        discussion: """
            These are the transfers that providers have registered for an item. exthostctl transfers shows all others.

            EXAMPLES
              exthostctl files transfers
              exthostctl files transfers --json
            """)

    @OptionGroup var storing: FileStoreOptions

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let transfers = try await global.withDaemon { address in
            try await FileTransfer.all(in: storing.folder) {
                try await HostApplication.connect(name: "exthostctl", to: address)
            }
        }
        if global.json {
            let documents = transfers.map { transfer -> JSON in
                [
                    "app": .string(transfer.owner), "domain": .optional(transfer.domain),
                    "item": .string(transfer.item),
                    "session": .string(transfer.session), "task": .integer(transfer.task),
                    "isUpload": .boolean(transfer.isUpload), "isSuspended": .boolean(transfer.isSuspended),
                    "bytes": .integer(transfer.bytes), "expected": transfer.expected.map { .integer($0) } ?? .null,
                ]
            }
            return try StandardOutput.write(JSON.array(documents).document)
        }
        var table = Table("ITEM", "DOMAIN", "STATE", .number("BYTES"), "SESSION", .number("TASK"), "APP")
        for transfer in transfers {
            let state = transfer.isSuspended ? "suspended" : transfer.isUpload ? "uploading" : "downloading"
            let expected = transfer.expected.map { " of \(written(bytes: $0))" } ?? ""
            table.add(
                transfer.item, transfer.domain ?? "", state, written(bytes: transfer.bytes) + expected,
                transfer.session, "\(transfer.task)", transfer.owner)
        }
        try StandardOutput.write(table.text(emptyNote: "No item is being transferred."))
    }
}

struct EvictFileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evict", abstract: "Remove the contents of a file from this machine.",
        discussion: """
            The provider keeps the file, and its contents are fetched again when somebody opens it. A file that is open, \
            or whose changes the provider has not got, stays.

            EXAMPLE
              exthostctl files evict org.example.cloud.files /Reports/May.pdf
            """)

    @Argument(help: ArgumentHelp("The extension's identifier.", valueName: "id"), completion: .extensions)
    var identifier: String

    @Argument(help: "The path of the file, from the provider's top folder.")
    var path: String

    @Option(help: ArgumentHelp("The identifier of the provider's domain, if it has domains.", valueName: "id"))
    var domain: String?

    @OptionGroup var storing: FileStoreOptions

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        try await global.withDaemon { address in
            let host = try await HostApplication.connect(name: "exthostctl", to: address)
            defer { host.disconnect() }
            do {
                // A mounted folder's program has the store.
                let service = try await host.connect(toService: FileService.name)
                _ = try await service.call(EvictFile(identifier, domain: domain, path: path))
                return
            } catch let error as ExtensionHostError where error.code == .serviceUnavailable {}
            do {
                let provider = try FileProviderHost(host, store: storing.folder)
                let files = try await provider.files(of: identifier, domain: domain)
                let result: FileFailure? = await Self.evict(path, files)
                await provider.close()
                if let result { throw result }
            } catch let failure as FileFailure {
                throw CommandError.missing(
                    "\(path) stays as it is: \(failure.reason)",
                    remedy: "exthostctl files status shows what is stored here")
            }
        }
        if !global.quiet { try StandardOutput.write("evicted \(printable(path))\n") }
    }

    private static func evict(_ path: String, _ files: ProviderFiles) async -> FileFailure? {
        do throws(FileFailure) {
            try await files.evict(try await ProvidedPath.item(path, of: files).identifier)
            return nil
        } catch {
            return error
        }
    }
}

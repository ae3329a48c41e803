// FileProviderDriver: `run` for a file provider: its items, and the contents of one.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxDescriptors
import PointHosts
import PointMessages

struct FileProviderDriver: PointDriver {
    static let point = FileProviderHost.point
    static let showsView = false

    static let exploredCalls: [ExplorationCall] = [
        ExplorationCall(OpenFiles()),
        ExplorationCall(
            EnumerateItems(ProvidedPath.root, page: Array("NSFileProviderInitialPageSortedByName".utf8))),
        ExplorationCall(ItemForIdentifier(ProvidedPath.root)),
        ExplorationCall(EndFiles(), after: [1, 2, 3], isLast: true),
    ]

    /// The work of a run.
    private enum Work {
        case look
        case list(String)
        case print(String)
        case put(file: String, path: String)
    }

    /// The largest file that is printed, in bytes.
    private static let largest = 64 << 20

    private let work: Work
    private let domain: String?

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        domain = options.domain
        switch (options.ls, options.cat, options.put) {
        case (nil, nil, []): work = .look
        case (let path?, nil, []): work = .list(path)
        case (nil, let path?, []): work = .print(path)
        case (nil, nil, let names) where names.count == 2: work = .put(file: names[0], path: names[1])
        case (nil, nil, _):
            throw CommandError.usage("--put has two values", remedy: "Give it twice: --put FILE --put PATH")
        default:
            throw CommandError.usage("--ls, --cat and --put are three runs", remedy: "Omit all but one")
        }
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let provider = try FileProviderHost(host, store: nil)
        try await provider.serve()
        let files = try await provider.files(of: identifier, domain: domain)
        do {
            let report = try await report(files)
            await provider.close()
            return report
        } catch {
            await provider.close()
            guard let failure = error as? FileFailure else { throw error }
            return await Self.failed(failure, files)
        }
    }

    private static func failed(_ failure: FileFailure, _ files: ProviderFiles) async -> PointReport {
        var text = "failed: \(printable(files.identifier)): \(printable(failure.reason))\n"
        for fault in await files.faults { text += "  fault: \(printable(fault))\n" }
        return PointReport(
            text: text,
            json: [
                ("extension", .string(files.identifier)), ("outcome", .string("\(failure.code)")),
                ("reason", .string(failure.reason)), ("faults", .array(await files.faults.map { .string($0) })),
            ], status: ExitStatus.notExpected)
    }

    private func report(_ files: ProviderFiles) async throws -> PointReport {
        switch work {
        case .look: return try await look(files)
        case .list(let path):
            let folder = try await ProvidedPath.item(path, of: files)
            let items = folder.kind == .folder ? try await files.items(in: folder.identifier) : [folder]
            return await listed(items, files, [])
        case .print(let path):
            let item = try await ProvidedPath.item(path, of: files)
            let bytes = try await Self.contents(of: item, files)
            let text = String(decoding: bytes, as: UTF8.self)
            return PointReport(
                text: text.hasSuffix("\n") || text.isEmpty ? text : text + "\n",
                json: [
                    ("extension", .string(files.identifier)), ("outcome", .string("read")),
                    ("item", Self.json(item)), ("contents", .string(text)),
                ], status: 0)
        case .put(let source, let path):
            let item = try await Self.put(source, at: path, files)
            return PointReport(
                text: "stored: \(printable(item.name)), \(written(bytes: item.size ?? 0))\n",
                json: [
                    ("extension", .string(files.identifier)), ("outcome", .string("stored")), ("item", Self.json(item)),
                ], status: 0)
        }
    }

    /// Enumerates the top folder, and opens and closes the first file.
    private func look(_ files: ProviderFiles) async throws -> PointReport {
        let items = try await files.items(in: files.root)
        var opened: [(String, JSON)] = []
        var line = ""
        if let first = items.first(where: { $0.kind == .file }) {
            do {
                let bytes = try await Self.contents(of: first, files)
                line = "opened \(printable(first.name)): \(written(bytes: bytes.count))\n"
                opened = [("opened", .string(first.name)), ("size", .integer(bytes.count))]
            } catch {
                line = "\(printable(first.name)) cannot be opened: \(printable("\(error)"))\n"
                opened = [("opened", .string(first.name)), ("reason", .string("\(error)"))]
            }
        }
        var report = await listed(items, files, opened)
        report = PointReport(text: report.text + line, json: report.json, status: report.status)
        return report
    }

    private func listed(
        _ items: [ProvidedItem], _ files: ProviderFiles, _ more: [(String, JSON)]
    ) async -> PointReport {
        var table = Table(
            .init(heading: "NAME"), .init(heading: "SIZE"), .init(heading: "HERE"), .init(heading: "IDENTIFIER"))
        for item in items {
            table.add(
                item.kind == .folder ? item.name + "/" : item.name,
                item.kind == .file ? item.size.map { "\($0)" } ?? "?" : "", item.isDownloaded ? "yes" : "",
                item.identifier)
        }
        var text = table.text(emptyNote: "no items")
        let faults = await files.faults
        for fault in faults { text += "fault: \(printable(fault))\n" }
        return PointReport(
            text: text,
            json: [
                ("extension", .string(files.identifier)), ("outcome", .string("listed")),
                ("replicated", .boolean(files.isReplicated)), ("items", .array(items.map { Self.json($0) })),
                ("faults", .array(faults.map { .string($0) })),
            ] + more, status: 0)
    }

    static func json(_ item: ProvidedItem) -> JSON {
        let kind =
            switch item.kind {
            case .file: "file"
            case .folder: "folder"
            case .symbolicLink: "symbolicLink"
            }
        return [
            "identifier": .string(item.identifier), "name": .string(item.name), "kind": .string(kind),
            "size": .optional(item.size), "downloaded": .boolean(item.isDownloaded),
        ]
    }

    static func contents(of item: ProvidedItem, _ files: ProviderFiles) async throws -> [UInt8] {
        try await files.read(item.identifier) { try bytes(of: $0) }
    }

    private static func bytes(of raw: Int32) throws -> [UInt8] {
        let size = try FileStatus(of: raw).size
        guard size <= largest else {
            throw FileFailure(.failed, "the file has \(written(bytes: size)), more than are printed")
        }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = try bytes.withUnsafeMutableBytes { try readFile(raw, into: $0) }
        return Array(bytes.prefix(count))
    }

    static func put(_ source: String, at path: String, _ files: ProviderFiles) async throws -> ProvidedItem {
        guard let bytes = FileManager.default.contents(atPath: source) else {
            throw CommandError.missing("the file \(source) cannot be read", remedy: "Name a file")
        }
        let (folder, name) = try await ProvidedPath.place(path, of: files)
        let item = try await file(name, in: folder, files)
        try await files.write(item.identifier) { try replace($0, by: bytes) }
        return try await files.item(item.identifier)
    }

    /// The file of a name, which is made if it is not there.
    private static func file(
        _ name: String, in folder: ProvidedItem, _ files: ProviderFiles
    ) async throws(FileFailure) -> ProvidedItem {
        do throws(FileFailure) {
            return try await files.item(named: name, in: folder.identifier)
        } catch {
            guard error.code == .noSuchItem else { throw error }
            return try await files.create(NewItem(parent: folder.identifier, name: name, kind: .file))
        }
    }

    private static func replace(_ raw: Int32, by bytes: Data) throws {
        guard ftruncate(raw, 0) == 0 else { throw SystemError("ftruncate") }
        try bytes.withUnsafeBytes { try LinuxDescriptors.write($0, to: raw) }
    }
}

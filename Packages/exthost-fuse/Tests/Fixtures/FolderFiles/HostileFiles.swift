// HostileFiles: a provider that tells of items that no file system can have.

import Foundation
import Glibc
import LinuxDescriptors
public import PointHosts

/// A provider that lies. Its top folder has one valid file, `good`, and items with every fault.
public final class HostileFiles: ProvidedFiles {
    public let root = "root"
    /// The number of items in the folder `many`.
    private let many: Int
    private let items: [ProvidedItem]

    /// Makes the provider, with this number of items in its folder `many`.
    public init(many: Int) {
        self.many = many
        var items = [
            ProvidedItem(identifier: "good", parent: "root", name: "good", kind: .file, size: 5),
            ProvidedItem(identifier: "slash", parent: "root", name: "a/b", kind: .file),
            ProvidedItem(identifier: "up", parent: "root", name: "..", kind: .folder),
            ProvidedItem(identifier: "self", parent: "root", name: ".", kind: .folder),
            ProvidedItem(identifier: "empty", parent: "root", name: "", kind: .file),
            ProvidedItem(identifier: "zero", parent: "root", name: "ze\0ro", kind: .file),
            ProvidedItem(identifier: "long", parent: "root", name: String(repeating: "é", count: 128), kind: .file),
            ProvidedItem(identifier: "twice1", parent: "root", name: "twice", kind: .file, size: 5),
            ProvidedItem(identifier: "twice2", parent: "root", name: "twice", kind: .folder),
            ProvidedItem(identifier: "root", parent: "root", name: "loop", kind: .folder),
            ProvidedItem(identifier: "a", parent: "root", name: "a", kind: .folder),
            ProvidedItem(identifier: "b", parent: "a", name: "b", kind: .folder),
            ProvidedItem(identifier: "a", parent: "b", name: "a", kind: .folder),
            ProvidedItem(identifier: "stranger", parent: "nowhere", name: "stranger", kind: .file),
            ProvidedItem(identifier: "more", parent: "root", name: "more", kind: .file, size: 10),
            ProvidedItem(identifier: "less", parent: "root", name: "less", kind: .file, size: 2),
            ProvidedItem(identifier: "unknown", parent: "root", name: "unknown", kind: .file),
            ProvidedItem(identifier: "negative", parent: "root", name: "negative", kind: .file, size: -1),
            ProvidedItem(identifier: "huge", parent: "root", name: "huge", kind: .file, size: .max),
            ProvidedItem(
                identifier: "link", parent: "root", name: "link",
                kind: .symbolicLink(String(repeating: "x", count: 5_000))),
            ProvidedItem(identifier: "nolink", parent: "root", name: "nolink", kind: .symbolicLink("")),
            ProvidedItem(
                identifier: "time", parent: "root", name: "time", kind: .file, size: 5,
                modified: Date(timeIntervalSince1970: .infinity)),
            ProvidedItem(
                identifier: "future", parent: "root", name: "future", kind: .file, size: 5,
                modified: Date(timeIntervalSince1970: 1e300)),
            ProvidedItem(
                identifier: "attributes", parent: "root", name: "attributes", kind: .file, size: 5,
                extendedAttributes: [
                    "a": Data(count: 70_000), "good": Data("yes".utf8), "": Data("no".utf8), "z\0": Data(),
                    String(repeating: "n", count: 300): Data(),
                ]),
            ProvidedItem(identifier: "many", parent: "root", name: "many", kind: .folder),
            ProvidedItem(identifier: "deep", parent: "root", name: "deep", kind: .folder),
        ]
        // Two spellings of one name are two names.
        items.append(ProvidedItem(identifier: "nfc", parent: "root", name: "caf\u{E9}", kind: .file, size: 5))
        items.append(ProvidedItem(identifier: "nfd", parent: "root", name: "cafe\u{301}", kind: .file, size: 5))
        self.items = items
    }

    public func item(_ identifier: String) async throws(FileFailure) -> ProvidedItem {
        if identifier == root { return ProvidedItem(identifier: root, parent: root, name: "", kind: .folder) }
        if identifier.hasPrefix("deep"), identifier.count > 4 {
            return ProvidedItem(
                identifier: identifier, parent: String(identifier.dropLast()), name: "deep", kind: .folder)
        }
        guard let item = items.first(where: { $0.identifier == identifier }) else {
            throw FileFailure(.noSuchItem, "there is no \(identifier)")
        }
        return item
    }

    public func item(named name: String, in folder: String) async throws(FileFailure) -> ProvidedItem {
        // Each answer is to another question.
        if name == "wrong" { return ProvidedItem(identifier: "good", parent: folder, name: "good", kind: .file) }
        if name == "elsewhere" { return ProvidedItem(identifier: "good", parent: "a", name: name, kind: .file) }
        if name == "up" { return ProvidedItem(identifier: "root", parent: folder, name: name, kind: .folder) }
        for item in try await items(in: folder) where item.name.utf8.elementsEqual(name.utf8) { return item }
        throw FileFailure(.noSuchItem, "there is no \(name)")
    }

    public func items(in folder: String) async throws(FileFailure) -> [ProvidedItem] {
        if folder == "many" {
            return (0..<many).map {
                ProvidedItem(identifier: "many\($0)", parent: "many", name: "item \($0)", kind: .file, size: 5)
            }
        }
        if folder.hasPrefix("deep") {
            return [ProvidedItem(identifier: folder + "p", parent: folder, name: "deep", kind: .folder)]
        }
        if folder == root { return items.filter { $0.identifier != "b" && $0.parent != "b" } }
        return items.filter { $0.parent == folder }
    }

    public func open(_ identifier: String, forWriting: Bool) async throws(FileFailure) -> any FileLease {
        guard let file = tmpfile() else { throw FileFailure(.failed, "tmpfile") }
        fputs("hello", file)
        fflush(file)
        let descriptor = SharedDescriptor(owning: dup(fileno(file)))
        fclose(file)
        return Lease(identifier, descriptor)
    }

    public func create(_ item: NewItem) async throws(FileFailure) -> ProvidedItem {
        // Another name than it was asked for, and for a folder a file.
        ProvidedItem(
            identifier: "new", parent: item.parent, name: item.kind == .folder ? item.name : item.name + " 2",
            kind: .file)
    }

    public func change(_ identifier: String, _ change: ItemChange, replacing: String?) async throws(FileFailure)
        -> ProvidedItem
    {
        try await item(identifier)
    }

    public func delete(_ identifier: String) async throws(FileFailure) {}

    public func changes() -> AsyncStream<ProvidedChange> { AsyncStream { _ in } }

    private final class Lease: FileLease {
        let identifier: String
        let descriptor: SharedDescriptor
        init(_ identifier: String, _ descriptor: SharedDescriptor) {
            (self.identifier, self.descriptor) = (identifier, descriptor)
        }
        func noteChange() {}
        func flush() async throws(FileFailure) {}
        func close() async throws(FileFailure) {}
    }
}

// DocumentStorageTests: providers that keep their files in the document storage.

import ExtensionHostTesting
import Foundation
import Glibc
import PointHosts
import Testing

@Suite struct DocumentStorageTests {
    private func with(_ acts: String..., quietTime: Duration = .seconds(30), _ body: (FilesStage) async throws -> Void)
        async throws
    {
        try await FilesStage.with("Provider.Storage", quietTime: quietTime) { stage in
            try stage.act(acts.joined(separator: "\n"))
            #expect(!stage.files.isReplicated)
            try await body(stage)
        }
    }

    /// The storage, as the host sees it.
    private func path(_ stage: FilesStage, _ name: String) -> String {
        "\(stage.daemon.groupContainers ?? "")/\(FilesStage.group)/File Provider Storage/\(name)"
    }

    private func log(_ stage: FilesStage) -> [String] {
        let text = try? String(contentsOfFile: path(stage, "log.txt"), encoding: .utf8)
        return text?.split(separator: "\n").map(String.init) ?? []
    }

    // spec: FP-9, FP-10
    @Test("FP-9, FP-10: items and places are inverse, below the storage of the group") func itemsAndPlaces()
        async throws
    {
        try await with { stage in
            #expect(try await stage.files.items(in: stage.files.root).map(\.name) == ["Folder", "a.txt", "slow.txt"])
            #expect(try await stage.files.items(in: "Folder").map(\.identifier) == ["Folder/c.txt"])
            #expect(try await stage.files.identifier(ofPath: "Folder/c.txt") == "Folder/c.txt")
            #expect(try await stage.text("Folder/c.txt") == "gamma")
            try stage.act("outside")
            let failure = await FilesStage.failure { _ = try await stage.text("a.txt") }
            #expect(
                failure?.reason.contains("outside of the document storage") == true, "\(String(describing: failure))")
        }
    }

    // spec: FP-11
    @Test("FP-11: a placeholder tells of a file that is not here") func placeholders() async throws {
        try await with { stage in
            let placeholder = try await stage.files.placeholder(of: "Folder/c.txt")
            #expect(placeholder.name == "c.txt" && placeholder.size == 5 && placeholder.type == "public.plain-text")
            #expect(FileManager.default.fileExists(atPath: path(stage, "Folder/.c.txt.icloud")))
            #expect(log(stage).contains("providePlaceholder Folder/c.txt"))
        }
    }

    // spec: FP-12, FP-13, FP-14, FP-16
    @Test("FP-12 to FP-14, FP-16: readers share one provision, and the last one ends it") func readersShareAFile()
        async throws
    {
        try await with { stage in
            async let first = stage.files.open("slow.txt", forWriting: false)
            async let second = stage.files.open("slow.txt", forWriting: false)
            let leases = try await [first, second]
            #expect(await stage.files.leases == ["slow.txt": 2])
            #expect(log(stage).filter { $0 == "startProvidingItem slow.txt" }.count == 1)
            let third = try await stage.files.open("slow.txt", forWriting: false)
            try await leases[0].close()
            try await leases[0].close()
            try await leases[1].close()
            #expect(!log(stage).contains("stopProvidingItem slow.txt"))
            try await third.close()
            #expect(log(stage).filter { $0 == "stopProvidingItem slow.txt" }.count == 1)
            #expect(!FileManager.default.fileExists(atPath: path(stage, "slow.txt")))
            // The next reader asks again.
            #expect(try await stage.text("slow.txt") == "slow")
            #expect(log(stage).filter { $0 == "startProvidingItem slow.txt" }.count == 2)
        }
    }

    // spec: FP-12, FP-17
    @Test("FP-12, FP-17: the error of a provision reaches the reader") func anErrorReachesTheReader() async throws {
        try await with("fail startProvidingItem -1000") { stage in
            #expect(await FilesStage.failure { _ = try await stage.text("a.txt") }?.code == .notAuthenticated)
            #expect(await stage.files.leases.isEmpty)
        }
    }

    @Test("A link in the storage is not followed") func aLinkIsNotFollowed() async throws {
        try await with("link") { stage in
            let failure = await FilesStage.failure { _ = try await stage.text("a.txt") }
            #expect(failure?.code == .failed, "\(String(describing: failure))")
        }
    }

    // spec: FP-15
    @Test("FP-15: the provider hears of a change at the close, and after quiet time") func changesAreTold() async throws
    {
        try await with(quietTime: .milliseconds(50)) { stage in
            let lease = try await stage.files.open("a.txt", forWriting: true)
            FilesStage.replace(lease.descriptor.raw, "changed")
            lease.noteChange()
            try await eventually { log(stage).contains("itemChanged a.txt changed") }
            FilesStage.replace(lease.descriptor.raw, "again")
            lease.noteChange()
            try await lease.close()
            #expect(log(stage).contains("itemChanged a.txt again"))
            #expect(log(stage).last == "stopProvidingItem a.txt")
            #expect(try await stage.text("a.txt") == "again")
        }
    }

    // spec: FP-22
    @Test("FP-22: actions are calls with an item or an error") func actions() async throws {
        try await with { stage in
            let files = stage.files
            let made = try await files.create(NewItem(parent: files.root, name: "new.txt", kind: .file))
            try await stage.write("written", to: made.identifier)
            #expect(try await stage.text(made.identifier) == "written")
            let folder = try await files.create(NewItem(parent: files.root, name: "New", kind: .folder))
            let empty = try await files.items(in: folder.identifier)
            #expect(empty.isEmpty)
            #expect(try await files.change("a.txt", ItemChange(name: "b.txt"), replacing: nil).name == "b.txt")
            #expect(
                try await files.change("a.txt", ItemChange(parent: folder.identifier), replacing: nil).parent == "New")
            #expect(try await files.items(in: "New").map(\.name) == ["b.txt"])
            #expect(try await files.perform(.trash, on: "a.txt").parent == ProviderFiles.trash)
            #expect(try await files.perform(.untrash(parent: nil), on: "a.txt").parent == files.root)
            _ = try await files.perform(.setTagData(Data([1])), on: "a.txt")
            try await files.delete("a.txt")
            // An unwritten method is not supported.
            let unwritten = await FilesStage.failure {
                _ = try await files.perform(.setFavoriteRank(1), on: "slow.txt")
            }
            #expect(unwritten?.code == .notSupported, "\(String(describing: unwritten))")
            let link = await FilesStage.failure {
                _ = try await files.create(NewItem(parent: files.root, name: "l", kind: .symbolicLink("a")))
            }
            #expect(link?.code == .notSupported)
            let names = log(stage).compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(
                names.filter { !$0.hasPrefix("st") && !$0.hasPrefix("enumerate") && $0 != "itemChanged" } == [
                    "importDocument", "createDirectory", "renameItem", "reparentItem", "trashItem", "untrashItem",
                    "setTagData", "deleteItem",
                ])
        }
    }

    @Test("A file takes the place of another by its contents, so the place is never empty") func aFileReplacesAnother()
        async throws
    {
        try await with { stage in
            let files = stage.files
            let new = try await files.create(NewItem(parent: files.root, name: "new.txt", kind: .file))
            try await stage.write("newer", to: new.identifier)
            let moved = try await files.change(new.identifier, ItemChange(name: "a.txt"), replacing: "a.txt")
            #expect(moved.identifier == "a.txt")
            #expect(try await stage.text("a.txt") == "newer")
            let log = log(stage)
            let (change, deletion) = (
                log.firstIndex(of: "itemChanged a.txt newer"), log.firstIndex(of: "deleteItem new.txt")
            )
            #expect(change != nil && deletion != nil && change! < deletion!, "\(log)")
            #expect(!log.contains("deleteItem a.txt"))
        }
    }
}

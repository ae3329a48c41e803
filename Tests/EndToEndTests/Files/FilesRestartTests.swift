// FilesRestartTests: the files of a provider after their host was killed, and calls that meet each other.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import PointHosts
import TestPrograms
import Testing

@Suite struct FilesRestartTests {
    /// Runs a host that a step kills, in the daemon of a stage, and returns the end of the program.
    private func keep(_ action: String, until step: ContentStep, _ folder: String, _ daemon: TestDaemon) async throws {
        var environment = ProcessInfo.processInfo.environment
        environment["EXTHOST_GROUP_CONTAINERS"] = daemon.groupContainers
        let keeper = try Program(
            SampleApplications.buildFolder + "/FileKeeper",
            [daemon.address.path, FilesStage.identifier, folder, step.rawValue, action], environment: environment)
        let ending = try await keeper.ending()
        #expect(ending.exit == .signalled(SIGKILL, coreDumped: false), "\(ending)")
    }

    /// The names in the store's folder, except for those of the table.
    private func names(in folder: String) throws -> [String] {
        let store = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix("store-") })
        return try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(store)")
            .filter { !$0.hasPrefix("items.db") }.sorted()
    }

    // spec: FP-26
    @Test(
        "FP-26: a host that was killed while it stored fetched contents leaves nothing but whole files",
        arguments: [ContentStep.copied, .recorded, .adopted])
    func aHostIsKilledInAFetch(step: ContentStep) async throws {
        let folder = try TemporaryDirectory()
        defer { try? folder.remove() }
        try await FilesStage.with { stage in
            try await keep("read", until: step, folder.path, stage.daemon)
            #expect(try names(in: folder.path).count == 1)
            let next = try FileProviderHost(stage.host, store: folder.path)
            let files = try await next.files(of: FilesStage.identifier)
            // What is whole is kept, and all else is gone.
            #expect(try names(in: folder.path).count == (step == .adopted ? 1 : 0))
            #expect(try await files.item("a").isDownloaded == (step == .adopted))
            #expect(await files.pending.isEmpty)
            #expect(try await files.read("a") { FilesStage.text(of: $0) } == "alpha")
            #expect(try names(in: folder.path).count == 1)
            await next.close()
        }
    }

    // spec: FP-26
    @Test(
        "FP-26: a host that was killed while it replaced contents in place fetches them anew",
        arguments: [ContentStep.replacing, .replaced])
    func aHostIsKilledWhileItReplacesContents(step: ContentStep) async throws {
        let folder = try TemporaryDirectory()
        defer { try? folder.remove() }
        try await FilesStage.with(acts: "conflict") { stage in
            try await keep("write", until: step, folder.path, stage.daemon)
            try stage.act()
            let next = try FileProviderHost(stage.host, store: folder.path)
            let files = try await next.files(of: FilesStage.identifier)
            // The contents are half those of the program, half the server's: they are no changes.
            #expect(await files.pending.isEmpty)
            #expect(try names(in: folder.path).isEmpty)
            let text = try await files.read("a") { FilesStage.text(of: $0) }
            #expect(["alpha", "server"].contains(text))
            await next.close()
        }
    }

    // spec: FP-25, FP-32
    @Test(
        "FP-25, FP-32: a host that was killed while a file took another's place leaves the place with its new contents",
        arguments: [ContentStep.moved, .dropped, .settled])
    func aHostIsKilledInAReplacement(step: ContentStep) async throws {
        let folder = try TemporaryDirectory()
        defer { try? folder.remove() }
        let bundles = try TestBundles()
        try FilesStage.add(to: bundles, "Shelf.Shelf")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            try await keep("replace", until: step, folder.path, daemon)
            let host = try await daemon.host("files").application
            // The second host has a store of its own, and sees what the provider has.
            for store in [folder.path, nil] {
                let next = try FileProviderHost(host, store: store)
                let files = try await next.files(of: FilesStage.identifier)
                let item = try await files.item(named: "Welcome.txt", in: files.root)
                #expect(try await files.read(item.identifier) { FilesStage.text(of: $0) } == "newer")
                let (pending, faults) = (await files.pending, await files.faults)
                #expect(pending.isEmpty && faults.isEmpty, "\(pending) \(faults)")
                // The first file is deleted last, so it may still be there, as after any kill between two steps.
                let left = try await files.items(in: files.root).filter { $0.name == "new.txt" }
                for item in left {
                    #expect(try await files.read(item.identifier) { FilesStage.text(of: $0) } == "newer")
                }
                await next.close()
            }
        }
    }

    @Test("A file takes the place of one that is being stored after that, and so its contents stay")
    func aFileReplacesOneThatIsBeingStored() async throws {
        try await FilesStage.with(acts: "hang modifyItem a") { stage in
            let files = stage.files
            let new = try await files.create(NewItem(parent: files.root, name: "new.txt", kind: .file))
            try await stage.write("newer", to: new.identifier)
            let lease = try await files.open("a", forWriting: true)
            FilesStage.replace(lease.descriptor.raw, "older")
            lease.noteChange()
            async let stored: Void? = try? lease.flush()
            try await eventually { try await stage.log("modifyItem a").count == 1 }
            try stage.act()
            async let moved = files.change(new.identifier, ItemChange(name: "a.txt"), replacing: "a")
            // Each is a call of the provider, in which a replacement that did not wait would have come.
            for _ in 0..<20 { await stage.have("nothing") }
            #expect(try await stage.log("modifyItem a").count == 1)
            await stage.have("release")
            let place = try await moved
            #expect(place.identifier == "a")
            _ = await stored
            try await lease.close()
            #expect(try await stage.text("a") == "newer")
            try await files.evict("a")
            #expect(try await stage.text("a") == "newer")
            #expect(await files.pending.isEmpty)
        }
    }

    // spec: FP-17, FP-22
    @Test("FP-17, FP-22: a name that another machine has taken is a collision, and the list has that item then")
    func anotherMachineHasTheName() async throws {
        try await FilesStage.with { stage in
            let files = stage.files
            let before = try await files.items(in: "dir")
            #expect(before.map(\.name) == ["c.txt"])
            await stage.have("add")
            let failure = await FilesStage.failure {
                _ = try await files.create(NewItem(parent: "dir", name: "d.txt", kind: .file))
            }
            #expect(failure?.code == .filenameCollision && failure?.systemCode == EEXIST)
            #expect(try await stage.log().contains("createItem collides"))
            #expect(try await files.items(in: "dir").map(\.name) == ["c.txt", "d.txt"])
            #expect(try await stage.text("d") == "delta")
        }
    }

    // spec: FP-19
    @Test("FP-19: a list that is older than a change is not used") func anOldListIsNotUsed() async throws {
        try await FilesStage.with(acts: "anchors", "slow enumerateItems dir") { stage in
            let files = stage.files
            _ = try await files.find("txt")
            async let listed = files.items(in: "dir").map(\.name)
            try await eventually { try await stage.log().contains("enumerateItems dir") }
            // The list is made, and on its way. Now the provider gets a file, and tells of it.
            try stage.act("anchors")
            await stage.have("add")
            await files.refresh(ProviderFiles.workingSet)
            await stage.have("release")
            let names = try await listed
            #expect(names == ["c.txt", "d.txt"])
            #expect(try await stage.log().filter { $0 == "enumerateItems dir" }.count == 2)
        }
    }
}

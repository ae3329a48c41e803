// ShelfTests: the sample provider, by the tool and while it is killed.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import PointHosts
import TestPrograms
import Testing

@Suite struct ShelfTests {
    private func run(_ arguments: String...) async throws -> Program.Ending {
        let shelf = try samples() + "/Samples.app/PlugIns/Shelf.appex"
        return try await Program.control(["run", shelf, "--ephemeral"] + arguments).ending()
    }

    // spec: FP-33, PC-23
    @Test("FP-33, PC-23: run lists, prints and stores files") func runUsesFiles() async throws {
        let look = try await run()
        #expect(
            look.status == 0 && look.output.contains("Reports/") && look.output.contains("opened Welcome.txt"),
            "\(look)")
        let list = try await run("--ls", "/Reports", "--json")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [String: Any])
        let items = document["items"] as? [[String: Any]]
        #expect(document["replicated"] as? Bool == true && items?.count == 2, "\(list)")
        let text = try await run("--cat", "/Reports/slow report.txt")
        #expect(text.status == 0 && text.output == "Worth the wait.\n", "\(text)")
        let failing = try await run("--cat", "/Reports/failing report.txt")
        #expect(failing.status != 0 && failing.output.contains("-1004"), "\(failing)")
        let folder = try TemporaryDirectory()
        defer { try? folder.remove() }
        try Data("from here".utf8).write(to: URL(fileURLWithPath: folder.path + "/source"))
        let stored = try await run("--put", folder.path + "/source", "--put", "/Reports/new.txt")
        #expect(stored.status == 0 && stored.output.contains("stored: new.txt"), "\(stored)")
        let none = try await run("--cat", "/nowhere")
        #expect(none.status != 0 && none.output.contains("there is no nowhere"), "\(none)")
        let two = try await run("--cat", "/a", "--ls", "/")
        #expect(two.status == 64, "\(two)")
    }

    @Test("files shows what is stored here, and removes it, also while a host has the store")
    func filesIsAVerb() async throws {
        let folder = try TemporaryDirectory()
        defer { try? folder.remove() }
        try await FilesStage.with("Shelf.Shelf", store: folder.path) { stage in
            let socket = stage.daemon.address.path
            func files(_ arguments: String...) async throws -> Program.Ending {
                try await Program.control(["files"] + arguments + ["--store", folder.path], socket: socket).ending()
            }
            let item = try await ProvidedPath.item("/Welcome.txt", of: stage.files)
            let lease = try await stage.files.open(item.identifier, forWriting: false)
            let status = try await files("status", "--json")
            let stores = try #require(
                try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [[String: Any]])
            #expect(stores.first?["extension"] as? String == FilesStage.identifier && stores.count == 1, "\(status)")
            #expect(stores.first?["files"] as? Int == 1 && stores.first?["inUse"] as? Bool == true, "\(status)")
            let refused = try await files("evict", FilesStage.identifier, "/Welcome.txt")
            #expect(refused.status != 0 && refused.errors.contains("Welcome.txt is open"), "\(refused)")
            try await lease.close()
            let evicted = try await files("evict", FilesStage.identifier, "/Welcome.txt")
            #expect(evicted.status == 0 && evicted.output == "evicted /Welcome.txt\n", "\(evicted)")
            #expect(try await files("status").output.contains("0 KiB"))
            #expect(try await stage.text(item.identifier) == "Files of a provider.\n")
            await stage.provider.close()
            // Nobody has the store now, so the command opens it.
            let alone = try await files("evict", FilesStage.identifier, "/Welcome.txt")
            #expect(alone.status == 0, "\(alone)")
            let missing = try await files("evict", FilesStage.identifier, "/nowhere")
            #expect(missing.status == 66 && missing.errors.contains("there is no nowhere"), "\(missing)")
        }
    }

    /// Random changes while the provider's process is killed, against a dictionary that says what must be there.
    @Test("No change is lost or doubled while the provider is killed")
    func changesOutliveKills() async throws {
        let seed = UInt64(getenv("EXTHOST_SEED").map { String(cString: $0) } ?? "") ?? 30
        var random = Random(seed: seed)
        let count = isLong ? 4_000 : 200
        try await FilesStage.with("Shelf.Shelf") { stage in
            let files = stage.files
            var kills = 0
            let folder = try await files.create(NewItem(parent: files.root, name: "Trial", kind: .folder))
            var model: [String: (identifier: String, text: String)] = [:]
            for step in 0..<count {
                let name = "file \(random.next(12))"
                // The process ends within some of the changes, or just before them.
                var killer: Task<Bool, Never>?
                if random.next(4) == 0, let pid = await files.processIdentifier {
                    let delay = random.next(6_000)
                    killer = Task {
                        try? await Task.sleep(for: .microseconds(delay))
                        return kill(pid_t(pid), SIGKILL) == 0
                    }
                }
                let text = "\(step) \(String(repeating: "x", count: random.next(2_000)))"
                switch (random.next(5), model[name]) {
                case (_, nil):
                    let made = try await files.create(NewItem(parent: folder.identifier, name: name, kind: .file))
                    model[name] = (made.identifier, "")
                case (0, let file?):
                    try await files.delete(file.identifier)
                    model[name] = nil
                case (1, let file?):
                    let other = "file \(random.next(12))"
                    guard other != name else { break }
                    let moved = try await files.change(
                        file.identifier, ItemChange(name: other), replacing: model[other]?.identifier)
                    model[name] = nil
                    model[other] = (moved.identifier, file.text)
                case (_, let file?):
                    try await files.write(file.identifier) { FilesStage.replace($0, text) }
                    model[name] = (file.identifier, text)
                }
                if await killer?.value == true { kills += 1 }
            }
            // What another host would see: the lists and contents of the provider.
            await files.refresh(ProviderFiles.workingSet)
            let found = try await files.items(in: folder.identifier)
            #expect(found.map(\.name) == model.keys.sorted(), "seed \(seed), \(kills) kills")
            for item in found {
                try await files.evict(item.identifier)
                #expect(try await stage.text(item.identifier) == model[item.name]?.text, "seed \(seed), \(item.name)")
            }
            #expect(kills > 0)
            print("\(count) changes, \(kills) kills, seed \(seed)")
        }
    }
}

/// Numbers that a seed determines.
private struct Random {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}

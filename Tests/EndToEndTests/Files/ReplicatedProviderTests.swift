// ReplicatedProviderTests: providers whose files the host stores.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import PointHosts
import Testing

@Suite struct ReplicatedProviderTests {
    // spec: FP-25, FP-26, FP-32
    @Test("FP-25, FP-26, FP-32: the host fetches contents once, and stores them")
    func contentsAreFetchedOnce() async throws {
        try await FilesStage.with { stage in
            #expect(stage.files.isReplicated)
            let item = try await stage.files.item(named: "a.txt", in: stage.files.root)
            #expect(item.size == 5 && item.kind == .file && !item.isDownloaded)
            #expect(try await stage.text("a") == "alpha")
            #expect(try await stage.text("a") == "alpha")
            #expect(try await stage.files.item("a").isDownloaded)
            let log = try await stage.log()
            #expect(log.filter { $0 == "fetchContents a" }.count == 1, "\(log)")
            // The host took the file over before the handler returned.
            #expect(!log.contains("the fetched file is still here"))
            #expect(log.first?.hasPrefix("init") == true)
        }
    }

    // spec: FP-25
    @Test("FP-25: items are made, changed and deleted, each by one call") func itemsAreMadeChangedAndDeleted()
        async throws
    {
        try await FilesStage.with { stage in
            let files = stage.files
            let made = try await files.create(NewItem(parent: files.root, name: "new.txt", kind: .file))
            #expect(made.size == 0)
            try await stage.write("written", to: made.identifier)
            #expect(try await stage.text(made.identifier) == "written")
            let folder = try await files.create(NewItem(parent: files.root, name: "New", kind: .folder))
            let empty = try await files.items(in: folder.identifier)
            #expect(empty.isEmpty)
            let link = try await files.create(
                NewItem(parent: folder.identifier, name: "link", kind: .symbolicLink("../new.txt")))
            #expect(link.kind == .symbolicLink("../new.txt"))
            let moved = try await files.change(
                made.identifier, ItemChange(name: "old.txt", parent: folder.identifier, isExecutable: true),
                replacing: nil)
            #expect(moved.name == "old.txt" && moved.parent == folder.identifier && moved.isExecutable)
            #expect(try await files.items(in: folder.identifier).map(\.name) == ["link", "old.txt"])
            #expect(await FilesStage.failure { try await files.delete(folder.identifier) }?.systemCode == ENOTEMPTY)
            try await files.delete(link.identifier)
            try await files.delete(made.identifier)
            try await files.delete(folder.identifier)
            #expect(
                await FilesStage.failure { _ = try await files.item(named: "New", in: files.root) }?.code == .noSuchItem
            )
            let log = try await stage.log()
            #expect(
                log.filter { $0.hasPrefix("createItem") }.count == 3
                    && log.filter { $0.hasPrefix("deleteItem") }.count == 3)
        }
    }

    // spec: FP-25
    @Test("FP-25: a provider is invalidated at the end of its session") func aProviderIsInvalidated() async throws {
        try await FilesStage.with { stage in
            let pid = await stage.files.processIdentifier
            await stage.provider.close()
            try await eventually {
                try await stage.daemon.events().contains { $0.event == EventName.requestCompleted.rawValue }
            }
            #expect(await FilesStage.failure { _ = try await stage.files.item("a") }?.code == .providerEnded)
            // The process stays, and makes another object for the next session.
            let again = try await stage.provider.files(of: FilesStage.identifier)
            #expect(await again.processIdentifier == pid)
            let log = try await again.read("log") { FilesStage.text(of: $0) }.split(separator: "\n")
            #expect(
                log.filter { $0.hasPrefix("init") }.count == 2 && log.filter { $0 == "invalidate" }.count == 1, "\(log)"
            )
        }
    }

    // spec: FP-17
    @Test(
        "FP-17: the errors of a provider, as errors of the system",
        arguments: [
            (-1000, EACCES), (-1001, EEXIST), (-1003, EDQUOT), (-1004, EHOSTUNREACH), (-1005, ENOENT),
            (-1007, ENOTEMPTY), (3072, EINTR), (513, EACCES), (640, EDQUOT), (-2014, EIO),
        ])
    func errorsOfProviders(code: Int, system: Int32) async throws {
        try await FilesStage.with(acts: "fail item \(code)") { stage in
            #expect(await FilesStage.failure { _ = try await stage.files.item("a") }?.systemCode == system)
        }
    }

    // spec: FP-18
    @Test("FP-18: pages come until the last, from one enumerator, in any number of steps")
    func pagesCome() async throws {
        try await FilesStage.with(acts: "pages 2") { stage in
            let items = try await stage.files.items(in: stage.files.root)
            #expect(items.map(\.name) == ["Folder", "a.txt", "b.txt", "locked.txt", "log.txt"])
            let log = try await stage.log("enumerat").filter { $0.contains(stage.files.root) }
            #expect(log.filter { $0.hasPrefix("enumerateItems") }.count == 3)
            #expect(log.filter { $0.hasPrefix("enumerator ") }.count == 1, "\(log)")
        }
    }

    // spec: FP-18, FP-19
    @Test("FP-18, FP-19: after an expired page the host enumerates anew") func anExpiredPage() async throws {
        try await FilesStage.with(acts: "expire 1") { stage in
            let items = try await stage.files.items(in: stage.files.root)
            #expect(items.count == 5)
        }
    }

    // spec: FP-18, PC-7
    @Test("FP-18, PC-7: a second finish is misuse, and an observer that is let go fails the call")
    func observersAreFinishedOnce() async throws {
        try await FilesStage.with(acts: "finish twice") { stage in
            let items = try await stage.files.items(in: stage.files.root)
            #expect(items.count == 5)
            try await eventually {
                try await stage.daemon.events().contains { $0.event == EventName.contextFault.rawValue }
            }
            try stage.act("drop enumerateItems")
            let failure = await FilesStage.failure { _ = try await stage.files.items(in: "dir") }
            #expect(
                failure?.code == .failed && failure?.reason.contains("let go") == true, "\(String(describing: failure))"
            )
        }
    }

    @Test("A provider that enumerates in a circle, or tells of items that cannot be, does no harm")
    func aHostileProvider() async throws {
        try await FilesStage.with(acts: "hostile") { stage in
            let names = try await stage.files.items(in: stage.files.root).map(\.name)
            #expect(names.filter { $0 == "a.txt" }.count == 1)
            #expect(!names.contains { $0.isEmpty || $0.contains("/") || $0 == ".." || $0.utf8.count > 255 })
            let faults = await stage.files.faults
            #expect(faults.count == 11, "\(faults)")
            try stage.act("circle")
            #expect(
                await FilesStage.failure { _ = try await stage.files.items(in: "dir") }?.reason.contains("circle")
                    == true)
            try stage.act("folder fetchContents")
            #expect(await FilesStage.failure { _ = try await stage.text("b") }?.code == .failed)
        }
    }

    // spec: FP-19, FP-20
    @Test("FP-19, FP-20: after a signal the host asks for the changes since its anchor")
    func changesAreTold() async throws {
        try await FilesStage.with(acts: "anchors") { stage in
            let files = stage.files
            // The anchor of the working set comes with its items.
            #expect(try await files.find("a.txt").map(\.identifier) == ["a"])
            _ = try await files.items(in: files.root)
            #expect(try await stage.text("a") == "alpha")
            var changes = files.changes().makeAsyncIterator()
            await stage.have("change")
            await stage.have("delete")
            await stage.have("signal")
            #expect(await changes.next() == .deleted(identifier: "b", parent: files.root, name: "b.txt"))
            guard case .updated(let item) = await changes.next() else {
                Issue.record("no change came")
                return
            }
            #expect(item.identifier == "a")
            #expect(try await files.items(in: files.root).map(\.name) == ["Folder", "a.txt", "locked.txt", "log.txt"])
            #expect(try await stage.text("a") == "alpha two")
            let told = try #require(try await files.changes(since: Data("0".utf8), in: ProviderFiles.workingSet))
            #expect(told.updated.map(\.identifier) == ["a"] && told.deleted == ["b"] && told.anchor == Data("2".utf8))
            try stage.act("anchors", "expire changes")
            #expect(try await files.changes(since: Data("0".utf8), in: ProviderFiles.workingSet) == nil)
        }
    }

    // spec: FP-20
    @Test("FP-20: without an anchor a signalled container is enumerated again") func aSignalWithoutAnAnchor()
        async throws
    {
        try await FilesStage.with { stage in
            #expect(try await stage.files.items(in: "dir").map(\.name) == ["c.txt"])
            var changes = stage.files.changes().makeAsyncIterator()
            await stage.have("signal-folder")
            #expect(await changes.next() == .unknown)
            _ = try await stage.files.items(in: "dir")
            #expect(try await stage.log("enumerateItems dir").count == 2)
        }
    }

    // spec: FP-21
    @Test("FP-21: what is not in the working set is not found") func theWorkingSetIsSearched() async throws {
        try await FilesStage.with { stage in
            let found = try await stage.files.find("txt").map(\.name).sorted()
            #expect(found == ["a.txt", "c.txt", "locked.txt", "log.txt"])
            let none = try await stage.files.find("b.txt")
            #expect(none.isEmpty)
        }
    }

    // spec: FP-22
    @Test("FP-22: actions of people are changes of the item") func actionsOfPeople() async throws {
        try await FilesStage.with { stage in
            let files = stage.files
            let trashed = try await files.perform(.trash, on: "a")
            #expect(trashed.parent == ProviderFiles.trash)
            #expect(try await files.items(in: files.root).contains { $0.name == "a.txt" } == false)
            #expect(try await files.perform(.untrash(parent: nil), on: "a").parent == files.root)
            _ = try await files.perform(.setTagData(Data("red".utf8)), on: "a")
            _ = try await files.perform(.setFavoriteRank(3), on: "a")
            _ = try await files.perform(.setLastUsedDate(Date(timeIntervalSince1970: 7)), on: "a")
            #expect(
                try await stage.log("modifyItem").map { $0.split(separator: " ")[2] } == ["4", "4", "16", "32", "8"])
        }
    }

    // spec: FP-23
    @Test("FP-23: the host refuses by the capabilities before it asks") func capabilitiesRefuse() async throws {
        try await FilesStage.with { stage in
            let files = stage.files
            _ = try await files.items(in: files.root)
            #expect(try await stage.text("locked") == "read me")
            for body: @Sendable () async throws -> Void in [
                { try await stage.write("no", to: "locked") }, { try await files.delete("locked") },
                { _ = try await files.change("locked", ItemChange(name: "other"), replacing: nil) },
                { _ = try await files.change("locked", ItemChange(parent: "dir"), replacing: nil) },
                { _ = try await files.perform(.trash, on: "locked") },
            ] { #expect(await FilesStage.failure(body)?.code == .notPermitted) }
            #expect(try await stage.log().contains { $0.hasSuffix("locked") && !$0.hasPrefix("fetch") } == false)
        }
    }

    // spec: FP-24
    @Test("FP-24: each thumbnail comes once, and a second one is misuse") func thumbnailsCome() async throws {
        try await FilesStage.with(acts: "again") { stage in
            let images = try await stage.files.thumbnails(of: ["a", "b", "c"], width: 64, height: 64)
            #expect(images == ["a": Data("a 64.0".utf8), "c": Data("c 64.0".utf8)])
            try await eventually {
                try await stage.daemon.events().contains { $0.event == EventName.contextFault.rawValue }
            }
        }
    }

    // spec: FP-24, FP-25
    @Test(
        "FP-24, FP-25: a cancelled call cancels the progress", arguments: ["item", "fetchContents", "fetchThumbnails"])
    func aCancelledCallCancelsTheProgress(method: String) async throws {
        try await FilesStage.with(acts: "hang \(method)", limit: .seconds(3)) { stage in
            let failure = await FilesStage.failure {
                switch method {
                case "item": _ = try await stage.files.item("a")
                case "fetchContents": _ = try await stage.text("a")
                default: _ = try await stage.files.thumbnails(of: ["a"], width: 1, height: 1)
                }
            }
            #expect(failure?.code == .timedOut && failure?.systemCode == ETIMEDOUT, "\(String(describing: failure))")
            try stage.act()
            try await eventually { try await stage.log().contains("cancelled \(method)") }
        }
    }

    // spec: FP-27
    @Test("FP-27: fields that are left are asked for again") func remainingFields() async throws {
        try await FilesStage.with(acts: "remaining") { stage in
            let item = try await stage.files.change(
                "a", ItemChange(name: "z.txt", parent: "dir", modified: Date(timeIntervalSince1970: 9)), replacing: nil)
            #expect(item.name == "z.txt" && item.parent == "dir" && item.modified == Date(timeIntervalSince1970: 9))
            #expect(try await stage.log("modifyItem").map { $0.split(separator: " ")[2] } == ["2", "4", "128"])
        }
    }

    // spec: FP-27
    @Test("FP-27: an unreachable server stops the storing until the error is resolved") func anUnreachableServer()
        async throws
    {
        try await FilesStage.with(acts: "fail modifyItem -1004") { stage in
            let failure = await FilesStage.failure { try await stage.write("one", to: "a") }
            #expect(failure?.systemCode == EHOSTUNREACH)
            #expect(await stage.files.pending == ["a"])
            // The provider is not asked again, and what was written is not lost.
            #expect(await FilesStage.failure { try await stage.write("two", to: "a") }?.code == .serverUnreachable)
            #expect(try await stage.text("a") == "two")
            #expect(try await stage.log("modifyItem").count == 1)
            try stage.act()
            await stage.have("resolve")
            try await eventually { await stage.files.pending.isEmpty }
            #expect(try await stage.log("modifyItem").count == 2)
            #expect(try await stage.text("a") == "two")
        }
    }

    @Test("A change that meets another of the server's ends with the server's contents") func aConflict() async throws {
        try await FilesStage.with { stage in
            let lease = try await stage.files.open("a", forWriting: true)
            await stage.have("change")
            FilesStage.replace(lease.descriptor.raw, "mine")
            lease.noteChange()
            try await lease.close()
            #expect(try await stage.text("a") == "alpha two")
            #expect(await stage.files.pending.isEmpty)
        }
    }

    @Test("An item that gets another identifier keeps its open contents, and what is written to them later")
    func anotherIdentifier() async throws {
        try await FilesStage.with(acts: "renumber") { stage in
            let files = stage.files
            _ = try await files.items(in: files.root)
            let lease = try await files.open("a", forWriting: true)
            FilesStage.replace(lease.descriptor.raw, "one")
            lease.noteChange()
            try await lease.flush()
            try stage.act()
            #expect(try await files.item(named: "a.txt", in: files.root).identifier == "renumbered")
            FilesStage.replace(lease.descriptor.raw, "two")
            lease.noteChange()
            try await lease.close()
            #expect(try await stage.log("modifyItem renumbered").count == 1)
            try await files.evict("renumbered")
            #expect(try await stage.text("renumbered") == "two")
        }
    }

    @Test("An item that its provider takes back is gone, and so are its contents") func anItemTakenBack() async throws {
        try await FilesStage.with(acts: "rejects") { stage in
            _ = try await stage.files.items(in: stage.files.root)
            try await stage.write("mine", to: "a")
            try stage.act()
            #expect(
                await FilesStage.failure { _ = try await stage.files.item(named: "a.txt", in: stage.files.root) }?.code
                    == .noSuchItem)
        }
    }

    // spec: FP-15
    @Test("FP-15: a change is stored at the close, or after quiet time while the file is open")
    func changesAreStored() async throws {
        try await FilesStage.with(quietTime: .milliseconds(50)) { stage in
            let lease = try await stage.files.open("a", forWriting: true)
            FilesStage.replace(lease.descriptor.raw, "one")
            lease.noteChange()
            try await eventually { try await stage.log("modifyItem").count == 1 }
            #expect(await stage.files.leases == ["a": 1])
            try await lease.close()
            // Nothing was written since.
            #expect(try await stage.log("modifyItem").count == 1)
            #expect(await stage.files.leases.isEmpty)
        }
    }

    @Test("A file takes the place of another in one call, and open files stay what they are")
    func aFileReplacesAnother() async throws {
        try await FilesStage.with { stage in
            let files = stage.files
            let old = try await files.open("a", forWriting: false)
            let new = try await files.create(NewItem(parent: files.root, name: "new.txt", kind: .file))
            let open = try await files.open(new.identifier, forWriting: true)
            FilesStage.replace(open.descriptor.raw, "newer")
            open.noteChange()
            let moved = try await files.change(new.identifier, ItemChange(name: "a.txt"), replacing: "a")
            #expect(moved.identifier == "a" && moved.name == "a.txt" && moved.size == 5)
            #expect(try await stage.text("a") == "newer")
            var bytes = [UInt8](repeating: 0, count: 16)
            #expect(pread(old.descriptor.raw, &bytes, 16, 0) == 5 && bytes.prefix(5).elementsEqual("alpha".utf8))
            // What the first file's opener writes goes to its new place.
            FilesStage.replace(open.descriptor.raw, "newest")
            open.noteChange()
            try await open.close()
            try await old.close()
            #expect(try await stage.text("a") == "newest")
            #expect(
                await FilesStage.failure { _ = try await files.item(named: "new.txt", in: files.root) }?.code
                    == .noSuchItem)
        }
    }

    // spec: FP-25, FP-26
    @Test("FP-25, FP-26: what is stored outlives the host; so do changes that the provider has not got")
    func theStoreOutlivesTheHost() async throws {
        let folder = try TemporaryDirectory()
        defer { try? folder.remove() }
        try await FilesStage.with(acts: "fail modifyItem -1004", store: folder.path) { stage in
            #expect(try await stage.text("b") == "beta")
            #expect(await FilesStage.failure { try await stage.write("mine", to: "a") }?.code == .serverUnreachable)
            // A second host would have its own idea of the files.
            let other = try FileProviderHost(stage.host, store: folder.path)
            let second = await FilesStage.failure { _ = try await other.files(of: FilesStage.identifier) }
            #expect(second?.reason.contains("another process has the store") == true)
        }
        try await FilesStage.with(store: folder.path) { stage in
            try await eventually { await stage.files.pending.isEmpty }
            #expect(try await stage.text("a") == "mine")
            #expect(try await stage.text("b") == "beta")
            let log = try await stage.log()
            #expect(!log.contains("fetchContents a") && !log.contains("fetchContents b"), "\(log)")
            #expect(log.contains { $0.hasPrefix("modifyItem a") })
        }
    }

    // spec: FP-26
    @Test("FP-26: contents that are not in use are removed, and fetched again") func contentsAreEvicted() async throws {
        try await FilesStage.with { stage in
            let lease = try await stage.files.open("a", forWriting: false)
            #expect(await FilesStage.failure { try await stage.files.evict("a") }?.code == .notPermitted)
            try await lease.close()
            await stage.have("evict")
            try await eventually { try await stage.log().contains("evicted ") }
            #expect(try await stage.files.item("a").isDownloaded == false)
            #expect(try await stage.text("a") == "alpha")
            let log = try await stage.log()
            #expect(log.filter { $0 == "fetchContents a" }.count == 2 && log.contains("materializedItemsDidChange"))
        }
    }

    // spec: FP-28
    @Test("FP-28: an app's domains are its own, and each has a provider of its own") func domains() async throws {
        try await FilesStage.with { stage in
            let failure = await FilesStage.failure {
                _ = try await stage.provider.files(of: FilesStage.identifier, domain: "work")
            }
            #expect(failure?.code == .noSuchItem && failure?.reason.contains("Let its app add it") == true)
            await stage.have("add-domain")
            try await eventually { try await stage.log().contains("domains Work ") }
            let work = try await stage.provider.files(of: FilesStage.identifier, domain: "work")
            try await work.write("a") { FilesStage.replace($0, "at work") }
            #expect(try await stage.text("a") == "alpha")
            let log = try await work.read("log") { FilesStage.text(of: $0) }
            #expect(log.split(separator: "\n").contains("init work Work"), "\(log)")
            await stage.have("remove-domain")
            try await eventually { try await stage.log().contains("removed ") }
            #expect(await FilesStage.failure { _ = try await work.item("a") }?.code == .providerEnded)
            #expect(try await stage.files.item("a").size == 5)
        }
    }

    @Test("A provider that ends in a call is asked again, and one that always ends is told of", arguments: [2, 99])
    func aProviderThatEnds(times: Int) async throws {
        try await FilesStage.with { stage in
            try stage.act("die item \(times == 99 ? "" : "1")")
            // This item is not in the working set, which comes in the background.
            let result = await FilesStage.failure { _ = try await stage.files.item("b") }
            // Each process counts for itself, so this one ends at each call.
            #expect(result?.code == .providerEnded && result?.systemCode == EIO, "\(String(describing: result))")
            try stage.act()
            #expect(try await stage.files.item("b").name == "b.txt")
        }
    }

    // not simulated: N-116
    @Test("A provider does not learn where its files are mounted") func thePlaceOfAMountIsNotTold() async throws {
        try await FilesStage.with { stage in
            await stage.have("visible")
            try await eventually { try await !stage.log("visible ").isEmpty }
            let line = try #require(try await stage.log("visible ").first)
            #expect(line.contains("not known here") && line.contains("Ask the program that mounted"), "\(line)")
        }
    }

    @Test("An item that the provider deletes while its changes wait is made again") func aDeletedItemIsMadeAgain()
        async throws
    {
        try await FilesStage.with(acts: "anchors", "fail modifyItem -1004") { stage in
            let files = stage.files
            _ = try await files.find("txt")
            _ = try await files.items(in: files.root)
            #expect(await FilesStage.failure { try await stage.write("mine", to: "b") }?.code == .serverUnreachable)
            try stage.act("anchors")
            await stage.have("delete")
            await files.refresh(ProviderFiles.workingSet)
            let made = try await files.item(named: "b.txt", in: files.root)
            #expect(made.identifier != "b")
            #expect(try await stage.text(made.identifier) == "mine")
            #expect(await files.pending.isEmpty)
            #expect(try await stage.log("createItem") == ["createItem b.txt"])
        }
    }

    @Test("What is written while a change is stored is a further change") func writesDuringTheStoring() async throws {
        let folder = try TemporaryDirectory()
        defer { try? folder.remove() }
        try await FilesStage.with(acts: "hang modifyItem", store: folder.path, limit: .seconds(3)) { stage in
            let lease = try await stage.files.open("a", forWriting: true)
            FilesStage.replace(lease.descriptor.raw, "one")
            lease.noteChange()
            async let first: Void? = try? lease.flush()
            try await eventually { try await stage.log("modifyItem").count == 1 }
            FilesStage.replace(lease.descriptor.raw, "two")
            lease.noteChange()
            _ = await first
            #expect(await stage.files.pending == ["a"])
            try stage.act()
            async let second: Void = lease.flush()
            async let third: Void = lease.flush()
            _ = try await (second, third)
            #expect(await stage.files.pending.isEmpty)
            try await lease.close()
            try await stage.files.evict("a")
            #expect(try await stage.text("a") == "two")
            let stores = try FileStoreSummary.all(in: folder.path)
            #expect(
                stores.map(\.identifier) == [FilesStage.identifier] && stores[0].pending.isEmpty && stores[0].isInUse)
        }
    }

    // spec: FP-25
    @Test("FP-25: a deleted item stays away, whatever is answered to a question from before", arguments: [false, true])
    func anAnswerFromBeforeADeletion(toARefresh: Bool) async throws {
        try await FilesStage.with(acts: "anchors", "hang modifyItem", "hang tellChanges") { stage in
            let files = stage.files
            _ = try await files.find("txt")
            #expect(try await files.items(in: files.root).contains { $0.name == "a.txt" })
            let lease = try await files.open("a", forWriting: true)
            if toARefresh {
                await stage.have("change")
                async let refresh: Void = files.refresh(ProviderFiles.workingSet)
                try await eventually { try await stage.log("tellChanges a").count == 1 }
                try await files.delete("a")
                try stage.act("anchors")
                await stage.have("release")
                await refresh
            } else {
                FilesStage.replace(lease.descriptor.raw, "late")
                lease.noteChange()
                async let flush: Void = lease.flush()
                try await eventually { try await stage.log("modifyItem a").count == 1 }
                try await files.delete("a")
                await stage.have("release")
                // A deleted item needs no storing, so this is no failure.
                try await flush
            }
            #expect(try await !files.items(in: files.root).contains { $0.name == "a.txt" })
            #expect(await FilesStage.failure { _ = try await files.item("a") }?.code == .noSuchItem)
            try await lease.close()
            #expect(await files.pending.isEmpty)
            #expect(try await stage.log("modifyItem").count == (toARefresh ? 0 : 1))
        }
    }

    // spec: FP-15
    @Test("FP-15: a time that a program sets is no change of the contents", arguments: [false, true])
    func aTimeIsSet(isVersion: Bool) async throws {
        try await FilesStage.with(acts: isVersion ? "versions" : "anchors") { stage in
            let lease = try await stage.files.open("a", forWriting: true)
            /// As the mounted folder does it for an open file.
            func set(_ seconds: Int, of lease: any PointHosts.FileLease) async throws {
                let time = timespec(tv_sec: seconds, tv_nsec: 0)
                #expect(futimens(lease.descriptor.raw, [time, time]) == 0)
                let date = Date(timeIntervalSince1970: Double(seconds))
                let item = try await stage.files.change("a", ItemChange(modified: date), replacing: nil)
                #expect(item.modified == date)
            }
            try await set(978_307_200, of: lease)
            try await lease.close()
            #expect(try await stage.text("a") == "alpha")
            #expect(await stage.files.pending.isEmpty)
            let log = try await stage.log()
            #expect(log.filter { $0.hasPrefix("modifyItem") }.count == 1, "\(log)")
            #expect(log.filter { $0 == "fetchContents a" }.count == 1, "\(log)")
            // The provider refuses contents that are based on another version.
            let second = try await stage.files.open("a", forWriting: true)
            try await set(978_307_201, of: second)
            FilesStage.replace(second.descriptor.raw, "more")
            second.noteChange()
            try await second.close()
            #expect(try await stage.text("a") == "more")
        }
    }
}

// Discovery: bundles that come, go and change while it runs; orders by path; elections; what is remembered over a
// restart.

import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Locks
import SQLite
import Testing

/// A discovery and what it has delivered.
final class Found: Sendable {
    private let deliveries: AsyncStream<Discovery.Delivery>
    private let latest = Mutex<Discovery.Delivery?>(nil)
    let discovery: Discovery

    init(_ folders: [String], state: String? = nil) throws {
        if let state { Self.awaitEnd(of: state) }
        var settings = Discovery.Settings(folders: folders, state: state)
        settings.rest = 20
        settings.patience = 500
        let (stream, continuation) = AsyncStream.makeStream(of: Discovery.Delivery.self)
        deliveries = stream
        discovery = try Discovery(settings) { continuation.yield($0) }
    }

    /// Until the discovery before, which was let go, has given its database back, however long that takes it: the next
    /// one waits for half a second.
    static func awaitEnd(of state: String) {
        let path = "\(state)/\(RegistryStore.fileName)"
        // Only a failing test waits so long.
        let end = ContinuousClock.now + .seconds(120)
        while access(path, F_OK) == 0 {
            do throws(SQLiteError) {
                _ = try Database(path: path).integer("PRAGMA user_version")
                return
            } catch {
                // What is wrong with it otherwise is for the test.
                guard error.kind == .busy, ContinuousClock.now < end else { return }
                usleep(2000)
            }
        }
    }

    /// The first delivery, from the last one seen on, that satisfies `condition`; nil after a minute.
    func delivery(where condition: @escaping @Sendable (Discovery.Delivery) -> Bool) async -> Discovery.Delivery? {
        if let delivery = latest.withLock({ $0 }), condition(delivery) { return delivery }
        return await withTaskGroup(of: Discovery.Delivery?.self) { group in
            group.addTask { [self] in
                for await delivery in deliveries {
                    latest.withLock { $0 = delivery }
                    if condition(delivery) { return delivery }
                }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(60))  // the bound of the wait, not the wait
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    func first() async throws -> Discovery.Delivery { try #require(await delivery { _ in true }) }

    /// Waits until exactly these identifiers can be used.
    func winners(_ identifiers: [String]) async -> Bool {
        await delivery { $0.registry.winners.map(\.bundle.identifier) == identifiers } != nil
    }

    func add(_ path: String) async throws -> [RegisteredCopy] { try await ask { discovery.add(path, answer: $0) } }
    func remove(_ path: String) async throws -> [RegisteredCopy] {
        try await ask { discovery.remove(path, answer: $0) }
    }
    func elect(_ election: Election, _ identifier: String) async throws -> [RegisteredCopy] {
        try await ask { discovery.elect(election, identifier, answer: $0) }
    }

    private func ask(_ order: (@escaping Discovery.Answer) -> Void) async throws -> [RegisteredCopy] {
        try await withCheckedThrowingContinuation { continuation in
            order { continuation.resume(with: $0.mapError { $0 as any Error }) }
        }
    }
}

@Suite struct DiscoveryTests {
    private let folder: ApplicationsFolder
    private let state: ApplicationsFolder

    init() throws {
        folder = try ApplicationsFolder()
        state = try ApplicationsFolder()
    }

    // spec: CL-2, CL-3
    @Test("CL-2, CL-3: another platform disables and enables bundles while the discovery runs")
    func anotherPlatformDisablesAndEnables() async throws {
        try folder.good("App", "Share", identifier: "id.share")
        let found = try Found([folder.path])
        #expect(try await found.first().registry.winners.count == 1)
        found.discovery.run(on: PlatformProfile.named("ios-7"))
        let disabled = try #require(await found.delivery { $0.registry.winners.isEmpty })
        #expect(disabled.registry["id.share"]?.bundle.problems.first?.contains("profile ios-7") == true)
        #expect(disabled.change.changed == ["id.share"])
        found.discovery.run(on: PlatformProfile.named("ios-8"))
        #expect(await found.winners(["id.share"]))
        found.discovery.run(on: PlatformProfile.named("ios-7"))
        #expect(await found.winners([]))
        found.discovery.run(on: nil)
        #expect(await found.winners(["id.share"]))
    }

    // MARK: Watching

    @Test func aBundleThatComesChangesAndGoesIsSeen() async throws {
        let found = try Found([folder.path])
        #expect(try await found.first().registry.copies.isEmpty)
        let path = try folder.good("App", "Share", identifier: "id.share")
        let came = try #require(await found.delivery { !$0.registry.winners.isEmpty })
        #expect(came.registry["id.share"]?.bundle.path == path)

        try folder.write(
            "\(path)/Info.plist",
            ApplicationsFolder.plist(
                ApplicationsFolder.entries(identifier: "id.share", executable: "Share", version: "43")))
        // A walk that looks at the file just before it is written has its old stamp with what it reads then; the next
        // walk registers it anew.
        let changed = try #require(
            await found.delivery {
                $0.registry["id.share"]?.bundle.version == "43"
                    && $0.registry["id.share"]?.uuid != came.registry["id.share"]?.uuid
            })
        #expect(
            changed.change.changed == ["id.share"] && changed.change.added.isEmpty && changed.change.removed.isEmpty)

        #expect(chmod("\(path)/Share", 0o644) == 0)
        #expect(
            await found.delivery { $0.registry["id.share"]?.bundle.problems.first?.contains("chmod") == true } != nil)
        #expect(chmod("\(path)/Share", 0o755) == 0)
        #expect(await found.winners(["id.share"]))

        try folder.removeAtOnce("\(folder.path)/App.app")
        let gone = try #require(await found.delivery { $0.registry.copies.isEmpty })
        #expect(gone.change.removed == ["id.share"] && gone.change.description == "removed id.share")
    }

    @Test func foldersThatAppearLaterAreWatchedWhereverTheyBegin() async throws {
        let applications = "\(folder.path)/share/exthost/Applications"
        let found = try Found([applications])
        #expect(try await found.first().registry.copies.isEmpty)
        let hidden = try ApplicationsFolder()
        try hidden.good("App", "Share", identifier: "id.share")
        // Step by step, then all at once by a move.
        try folder.makeFolder("\(folder.path)/share")
        try folder.makeFolder("\(folder.path)/share/exthost")
        try folder.makeFolder(applications)
        #expect(rename("\(hidden.path)/App.app", "\(applications)/App.app") == 0)
        #expect(await found.winners(["id.share"]))
        #expect(rename("\(folder.path)/share", "\(folder.path)/elsewhere") == 0)
        #expect(await found.winners([]))
        #expect(rename("\(folder.path)/elsewhere", "\(folder.path)/share") == 0)
        #expect(await found.winners(["id.share"]))
    }

    /// A link to a folder of applications, led elsewhere in the way that is asked for, then back; what lies there is
    /// watched each time.
    @Test(arguments: ["rename", "remove"], [0, 1])
    func aLinkedFolderThatIsLedElsewhereIsFollowed(way: String, links: Int) async throws {
        let (one, two) = ("\(folder.path)/one", "\(folder.path)/two")
        for (path, name) in [(one, "One"), (two, "Two")] {
            let bundle = try folder.good("App", name, identifier: "id.\(name)")
            try folder.makeFolder(path)
            #expect(rename("\(folder.path)/App.app", "\(path)/App.app") == 0, "\(bundle)")
        }
        // Straight, or through a second link to the folder that the first one lies in.
        try folder.makeFolder("\(folder.path)/inner")
        let link = "\(folder.path)/inner/current"
        #expect(symlink("../one", link) == 0)
        if links == 1 { #expect(symlink("inner/current", "\(folder.path)/outer") == 0) }
        let found = try Found([links == 1 ? "\(folder.path)/outer/" : link])
        #expect(await found.winners(["id.One"]))
        #expect(await found.delivery { $0.watching == .inotify } != nil)
        func lead(to target: String) {
            if way == "rename" {
                #expect(symlink(target, link + ".new") == 0 && rename(link + ".new", link) == 0)
            } else {
                #expect(unlink(link) == 0 && symlink(target, link) == 0)
            }
        }
        lead(to: two)
        #expect(await found.winners(["id.Two"]))
        // It is the folder that is watched now, and not the one before.
        #expect(rename("\(two)/App.app", "\(two)/Gone") == 0)
        #expect(await found.winners([]))
        #expect(rename("\(two)/Gone", "\(two)/App.app") == 0)
        #expect(await found.winners(["id.Two"]))
        lead(to: "../nowhere")
        #expect(await found.winners([]))
        // A link that leads nowhere waits for what it leads to.
        #expect(rename(one, "\(folder.path)/nowhere") == 0)
        #expect(await found.winners(["id.One"]))
    }

    @Test func anAppThatIsALinkAndIsLedElsewhereIsFollowed() async throws {
        try folder.good("One", "One", identifier: "id.One")
        try folder.good("Two", "Two", identifier: "id.Two")
        let applications = "\(folder.path)/applications"
        try folder.makeFolder(applications)
        #expect(symlink("../One.app", "\(applications)/App.app") == 0)
        let found = try Found([applications])
        #expect(await found.winners(["id.One"]))
        #expect(await found.delivery { $0.watching == .inotify } != nil)
        #expect(symlink("../Two.app", "\(applications)/new") == 0)
        #expect(rename("\(applications)/new", "\(applications)/App.app") == 0)
        #expect(await found.winners(["id.Two"]))
        #expect(unlink("\(folder.path)/Two.app/PlugIns/Two.appex/Two") == 0)
        #expect(await found.winners([]))
    }

    /// Links that lead to one another end nowhere, and nobody follows them without end.
    @Test func linksInACircleHoldNothing() async throws {
        #expect(symlink("two", "\(folder.path)/one") == 0 && symlink("one", "\(folder.path)/two") == 0)
        let found = try Found(["\(folder.path)/one"])
        #expect(await found.delivery { $0.watching == .inotify && $0.registry.copies.isEmpty } != nil)
        #expect(unlink("\(folder.path)/one") == 0)
        let other = try ApplicationsFolder()
        try other.good("App", "Share", identifier: "id.share")
        #expect(symlink(other.path, "\(folder.path)/one") == 0)
        #expect(await found.winners(["id.share"]))
    }

    @Test func anAppPutInAnothersPlaceIsRead() async throws {
        try folder.good("App", "One", identifier: "id.one")
        let other = try ApplicationsFolder()
        try other.good("App", "Two", identifier: "id.two")
        let found = try Found([folder.path])
        #expect(await found.winners(["id.one"]))
        #expect(rename("\(folder.path)/App.app", "\(other.path)/Old.app") == 0)
        #expect(rename("\(other.path)/App.app", "\(folder.path)/App.app") == 0)
        #expect(await found.winners(["id.two"]))
        // The one put in its place is watched as the first was.
        #expect(unlink("\(folder.path)/App.app/PlugIns/Two.appex/Two") == 0)
        #expect(await found.winners([]))
    }

    @Test func twoHundredBundlesAtOnceAreAllFound() async throws {
        let found = try Found([folder.path])
        _ = try await found.first()
        for number in 0..<200 { try folder.good("App\(number % 20)", "Share\(number)", identifier: "id.n\(number)") }
        #expect(await found.delivery { $0.registry.winners.count == 200 } != nil)
        for number in 0..<20 { try removeTree("\(folder.path)/App\(number).app") }
        #expect(await found.delivery { $0.registry.copies.isEmpty } != nil)
    }

    /// Its thread sleeps in the kernel for as long as nothing happens.
    @Test func watchingAddsNoWakeUps() async throws {
        try folder.good("App", "Share", identifier: "id.share")
        func threads() throws -> Set<String> {
            let tasks = try listDirectory("/proc/self/task", maximumCount: 10_000)
            return Set(tasks.filter { name(of: $0) == "exthost-found" })
        }
        func name(of task: String) -> String? {
            (try? readFile("/proc/self/task/\(task)/comm", maximumSize: 64)).map {
                String(decoding: $0.dropLast(), as: UTF8.self)
            }
        }
        let others = try threads()
        let found = try Found([folder.path])
        #expect(await found.winners(["id.share"]))
        // An order is answered after everything before it; then the folders have to rest once.
        _ = try await found.elect(.use, "id.share")
        func naps() throws -> [String: Int] {
            var naps: [String: Int] = [:]
            for task in try threads().subtracting(others) {
                guard let status = try? readFile("/proc/self/task/\(task)/status", maximumSize: 64 * 1024) else {
                    continue
                }
                let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
                let count = lines.first { $0.hasPrefix("voluntary_ctxt_switches") }?.split(separator: "\t").last
                naps[task] = count.flatMap { Int($0) }
            }
            return naps
        }
        // Other tests start such threads meanwhile, and theirs may well wake up: one that does not must be there.
        var quiet = Set<String>()
        for _ in 0..<20 {
            let before = try naps()
            try await Task.sleep(for: .milliseconds(300))  // the time in which nothing is to happen
            let after = try naps()
            quiet = Set(before.filter { after[$0.key] == $0.value }.keys)
            if !quiet.isEmpty { break }
        }
        #expect(!quiet.isEmpty)
        withExtendedLifetime(found) {}
    }

    /// A link elsewhere to a bundle's program changes the file's status, and not the bundle.
    @Test func anotherLinkToItsProgramRegistersNothingAnew() async throws {
        let path = try folder.good("App", "Share", identifier: "id.share")
        let found = try Found([folder.path])
        let uuid = try await found.first().registry["id.share"]?.uuid
        #expect(link("\(path)/Share", "\(folder.path)/link") == 0)
        // Something that does count, so that the folders are walked.
        try folder.good("App", "Other", identifier: "id.other")
        let delivery = try #require(await found.delivery { $0.registry["id.other"] != nil })
        #expect(delivery.registry["id.share"]?.uuid == uuid && delivery.change.added == ["id.other"])
        #expect(delivery.change.changed.isEmpty)
    }

    // MARK: Orders

    // spec: F4, P-177
    @Test func aBundleAddedByItsPathIsThereUntilItIsRemovedAndOverARestart() async throws {
        let other = try ApplicationsFolder()
        let path = try other.good("Else", "Share", identifier: "id.else")
        do {
            let found = try Found([folder.path], state: state.path)
            #expect(try await found.first().registry.copies.isEmpty)
            #expect(try await found.add("\(other.path)/Else.app/").map(\.bundle.path) == [path])
            #expect(await found.winners(["id.else"]))
        }
        let found = try Found([folder.path], state: state.path)
        #expect(try await found.first().registry.winners.map(\.bundle.path) == [path])
        // It is watched as well.
        #expect(unlink("\(path)/Share") == 0)
        #expect(await found.winners([]))
        try other.removeAtOnce("\(other.path)/Else.app")
        let gone = try #require(
            await found.delivery { $0.registry.copies.first?.bundle.identifier.hasSuffix(".app") == true })
        #expect(gone.registry.copies[0].bundle.problems.first?.contains("exthostctl remove") == true)
        #expect(try await found.remove("\(other.path)/Else.app").count == 1)
        #expect(await found.delivery { $0.registry.copies.isEmpty } != nil)
        await #expect(throws: ExtensionHostError.self) { try await found.remove("\(other.path)/Else.app") }
    }

    // spec: P-178
    @Test func oneThatIsRemovedFromAFolderComesBackWhenItChangesAndNotBefore() async throws {
        let path = try folder.good("App", "Share", identifier: "id.share")
        do {
            let found = try Found([folder.path], state: state.path)
            #expect(await found.winners(["id.share"]))
            #expect(try await found.remove("\(folder.path)/App.app").map(\.bundle.path) == [path])
            #expect(await found.winners([]))
        }
        let found = try Found([folder.path], state: state.path)
        #expect(try await found.first().registry.copies.isEmpty)
        try folder.write(
            "\(path)/Info.plist",
            ApplicationsFolder.plist(
                ApplicationsFolder.entries(identifier: "id.share", executable: "Share", version: "43")))
        #expect(await found.winners(["id.share"]))
        // Or when it is added again.
        _ = try await found.remove(path)
        #expect(await found.winners([]))
        #expect(try await found.add(path).map(\.bundle.identifier) == ["id.share"])
        #expect(await found.winners(["id.share"]))
    }

    // spec: P-102, P-170
    @Test func ofEqualCopiesTheOneAddedLastIsUsedOverARestart() async throws {
        let first = try folder.good("A", "Share", identifier: "id.share")
        let second = try folder.good("B", "Share", identifier: "id.share")
        do {
            let found = try Found([folder.path], state: state.path)
            #expect(try await found.first().registry["id.share"]?.bundle.path == first)
            _ = try await found.add("\(folder.path)/B.app")
            #expect(await found.delivery { $0.registry["id.share"]?.bundle.path == second } != nil)
        }
        let found = try Found([folder.path], state: state.path)
        #expect(try await found.first().registry["id.share"]?.bundle.path == second)
    }

    @Test(arguments: [
        ("relative.app", "absolute"), ("/a/../b.app", "absolute"), ("/nowhere.app", "there is no"),
        ("/etc", "not a bundle"),
    ])
    func whatIsNoBundleIsNotAdded(_ path: String, _ words: String) async throws {
        let found = try Found([folder.path])
        let error = await #expect(throws: ExtensionHostError.self) { try await found.add(path) }
        #expect(error?.message.contains(words) == true && error?.remedy?.isEmpty == false)
        try folder.makeFolder("\(folder.path)/Empty.app")
        let empty = await #expect(throws: ExtensionHostError.self) { try await found.add("\(folder.path)/Empty.app") }
        #expect(empty?.code == .noSuchExtension)
    }

    // MARK: Elections

    // spec: F3, P-179
    @Test func anElectionIsOfAllCopiesIsKeptAndIsTakenBackByDefault() async throws {
        try folder.good("A", "Share", identifier: "id.share")
        try folder.good("B", "Share", identifier: "id.share")
        do {
            let found = try Found([folder.path], state: state.path)
            #expect(try await found.elect(.ignore, "id.share").map(\.election) == [.ignore, .ignore])
            let delivery = try #require(await found.delivery { $0.registry["id.share"]?.election == .ignore })
            #expect(delivery.registry["id.share"]?.isOffered == false && delivery.change.changed == ["id.share"])
        }
        do {
            let found = try Found([folder.path], state: state.path)
            #expect(try await found.first().registry["id.share"]?.prefix == "-")
            #expect(try await found.elect(.use, "id.share")[0].prefix == "+")
            #expect(try await found.elect(.default, "id.share")[0].prefix == " ")
        }
        let found = try Found([folder.path], state: state.path)
        #expect(try await found.first().registry.elections.isEmpty)
        let error = await #expect(throws: ExtensionHostError.self) { try await found.elect(.use, "id.nobody") }
        #expect(error?.code == .noSuchExtension)
    }

    /// An extension that is installed again is what the user said it is.
    // spec: P-179
    @Test func anElectionOutlastsItsExtension() async throws {
        try folder.good("A", "Share", identifier: "id.share")
        let found = try Found([folder.path], state: state.path)
        _ = try await found.elect(.ignore, "id.share")
        try removeTree("\(folder.path)/A.app")
        #expect(await found.delivery { $0.registry.copies.isEmpty } != nil)
        try folder.good("B", "Share", identifier: "id.share")
        #expect(await found.delivery { $0.registry["id.share"]?.election == .ignore } != nil)
        try removeTree("\(folder.path)/B.app")
        #expect(await found.delivery { $0.registry.copies.isEmpty } != nil)
        #expect(try await found.elect(.default, "id.share").isEmpty)
    }
}

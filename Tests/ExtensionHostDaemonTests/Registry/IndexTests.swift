// IndexTests: a start with an index finds what a start without one would, whatever has changed meanwhile.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import SQLite
import Testing

@Suite struct IndexTests {
    private let folder: ApplicationsFolder
    private let state: ApplicationsFolder

    init() throws {
        folder = try ApplicationsFolder()
        state = try ApplicationsFolder()
    }

    // MARK: Fixture

    /// Two flat bundles in one app, two in the other layout, one with a warning and types, and one with faults.
    private func makeBundles() throws {
        for name in ["One", "Two"] { try folder.good("Flat", name, identifier: "id.\(name)") }
        for name in ["Three", "Four"] { try folder.good("Deep", name, identifier: "id.\(name)", contents: true) }
        let other = try folder.good("Other", "Five", identifier: "id.Five")
        let types =
            "<key>UTExportedTypeDeclarations</key><array><dict><key>UTTypeIdentifier</key><string>id.type</string></dict></array>"
        try folder.write(
            other + "/Info.plist",
            ApplicationsFolder.plist(ApplicationsFolder.entries(identifier: "id.Five", executable: "Five") + [types]))
        try folder.good("Other", "Bad", identifier: "id.Bad")
        #expect(unlink("\(folder.path)/Other.app/PlugIns/Bad.appex/Bad") == 0)
    }

    /// Changes the database as it lies there; a discovery that is ending may have it for another moment.
    private func change<Result>(_ body: (Database) throws -> Result) async throws -> Result {
        // Only a failing test waits so long.
        let end = ContinuousClock.now + .seconds(120)
        while true {
            do {
                let database = try Database(path: "\(state.path)/\(RegistryStore.fileName)")
                return try body(database)
            } catch let error as SQLiteError where error.kind == .busy && ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(2))
            }
        }
    }

    /// Changes the index as it lies there.
    private func changeFile(_ body: (inout [UInt8]) throws -> Void) throws {
        let path = "\(state.path)/\(IndexFile.name)"
        var bytes = try readFile(path, maximumSize: 1 << 22)
        try body(&bytes)
        try write(bytes, to: path)
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        #expect(unlink(path) == 0)
        let file = try createFile(path)
        try bytes.withUnsafeBytes { try LinuxSystem.write($0, to: file.raw) }
    }

    private static func place(of text: String, in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.indices.first { bytes[$0...].starts(with: text.utf8) }
    }

    private static func place(of text: String, in bytes: [UInt8], from start: Int = 0) -> Int? {
        place(of: text, in: bytes[start...])
    }

    /// Starts and ends discoveries until the index has all that it can have of so many bundles: what was written a
    /// moment ago is not trusted yet.
    private func keepIndex(of count: Int, listed: Int) async throws {
        // Only a failing test waits so long.
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end {
            do {
                let found = try Found([folder.path], state: state.path)
                _ = try await found.first()
                // Answered after the index was written.
                _ = try? await found.remove("/nowhere")
            }
            let kept = IndexFile(folder: state.path)?.wholeCount ?? 0
            if kept == listed { return }
            #expect(kept <= count)
        }
        Issue.record("the index was never whole")
    }

    /// The first picture of a start with the index.
    private func start(_ folders: [String]? = nil) async throws -> ExtensionRegistry {
        let found = try Found(folders ?? [folder.path], state: state.path)
        return try await found.first().registry
    }

    /// What there is, by reading all of it.
    private func expectTheSameAsByReading(_ registry: ExtensionRegistry, _ comment: Comment? = nil) {
        let read = ExtensionRegistry.scan([folder.path])
        #expect(registry.copies.map(\.bundle) == read.copies.map(\.bundle), comment)
        #expect(registry.winners.map(\.bundle.path) == read.winners.map(\.bundle.path), comment)
        #expect(registry.declaredTypes == read.declaredTypes, comment)
        for (one, other) in zip(registry.copies, read.copies) {
            #expect(one.ruleProblem == other.ruleProblem && one.ruleWarning == other.ruleWarning, comment)
            #expect(one.bundle.declaration == other.bundle.declaration, comment)
        }
    }

    // MARK: The same

    @Test func theIndexHoldsAllThatReadingFinds() async throws {
        try makeBundles()
        try await keepIndex(of: 6, listed: 5)
        let registry = try await start()
        expectTheSameAsByReading(registry)
        #expect(registry.copies.count == 6 && registry.winners.count == 5)
        #expect(registry["id.Bad"]?.bundle.problems.first?.contains("missing") == true)
        // It is the index that was asked: what was changed there shows.
        try changeFile { bytes in
            let row = try #require(Self.place(of: "/One.appex", in: bytes))
            let name = try #require(Self.place(of: "A Name", in: bytes, from: row))
            bytes[name] = UInt8(ascii: "B")
            bytes = IndexFile.sealed(bytes)
        }
        let changed = try await start()
        #expect(changed["id.One"]?.bundle.displayName == "B Name")
        #expect(changed["id.Two"]?.bundle.displayName == "A Name")
    }

    /// A folder that is named twice, or by two paths of which one leads to the other, has each bundle once by each
    /// path.
    @Test func aFolderThatIsSearchedTwiceHasItsBundlesOnce() async throws {
        try makeBundles()
        try await keepIndex(of: 6, listed: 5)
        let app = "\(folder.path)/Flat.app"
        let registry = try await start([folder.path, folder.path + "/", app])
        #expect(registry.copies.count == 6)
        #expect(try await start([app, folder.path]).copies.count == 6)
    }

    /// What a start may find in place of the file that the last one wrote.
    enum Damage: String, CaseIterable, Sendable {
        case gone, empty, truncated, halfZeros, garbage, older, newer, unsealed, entriesCut, folder, link, foreign
    }

    @Test(arguments: Damage.allCases) func aDamagedIndexIsThrownAwayAndNothingIsLost(_ damage: Damage) async throws {
        try makeBundles()
        try await keepIndex(of: 6, listed: 5)
        let before = try await start()
        let path = "\(state.path)/\(IndexFile.name)"
        try changeFile { bytes in
            switch damage {
            case .gone, .folder, .link, .foreign: break
            case .empty: bytes = []
            case .truncated: bytes.removeLast(bytes.count / 2)
            case .halfZeros: bytes.replaceSubrange(4096..., with: repeatElement(0, count: max(bytes.count - 4096, 0)))
            case .garbage: bytes = bytes.indices.map { _ in UInt8.random(in: 0...255) }
            case .older, .newer:
                bytes[7] = damage == .older ? bytes[7] - 1 : bytes[7] + 1
                bytes = IndexFile.sealed(bytes)
            case .unsealed:
                let name = try #require(Self.place(of: "A Name", in: bytes))
                bytes[name] = UInt8(ascii: "C")
            case .entriesCut:
                bytes.removeLast(10)
                bytes = IndexFile.sealed(bytes)
            }
        }
        switch damage {
        case .gone: #expect(unlink(path) == 0)
        case .folder: #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        case .link: #expect(rename(path, path + ".old") == 0 && symlink(path + ".old", path) == 0)
        case .foreign:
            // Whole, of the same bundles, and of another database.
            let other = try ApplicationsFolder()
            let found = try Found([folder.path], state: other.path)
            _ = try await found.first()
            _ = try? await found.remove("/nowhere")
            #expect(rename("\(other.path)/\(IndexFile.name)", path) == 0)
        default: break
        }
        let after = try await start()
        expectTheSameAsByReading(after, "\(damage)")
        // Registrations come from the database.
        #expect(after.copies.map(\.uuid) == before.copies.map(\.uuid), "\(damage)")
        #expect(after.copies.map(\.registered) == before.copies.map(\.registered), "\(damage)")
        // And the next start has an index again.
        if damage != .folder { try await keepIndex(of: 6, listed: 5) }
    }

    @Test(arguments: ["stampless", "rowless", "nameless"])
    func aRegistrationThatCannotBeReadIsMadeAnew(_ damage: String) async throws {
        try makeBundles()
        try await keepIndex(of: 6, listed: 5)
        let before = try await start()
        #expect(unlink("\(state.path)/\(IndexFile.name)") == 0)
        try await change { database in
            let row = "WHERE path LIKE '%Two.appex'"
            switch damage {
            case "stampless": try database.execute("UPDATE registration SET stamp = NULL \(row)")
            case "nameless": try database.execute("UPDATE registration SET uuid = 'no uuid' \(row)")
            default: try database.execute("DELETE FROM registration \(row)")
            }
        }
        let after = try await start()
        expectTheSameAsByReading(after)
        #expect(after["id.One"]?.uuid == before["id.One"]?.uuid && after["id.Two"]?.uuid != before["id.Two"]?.uuid)
    }

    /// The layout before this one had both in the database.
    @Test func aDatabaseOfTheFirstLayoutKeepsItsRegistrations() async throws {
        try makeBundles()
        try await keepIndex(of: 6, listed: 5)
        let before = try await start()
        #expect(unlink("\(state.path)/\(IndexFile.name)") == 0)
        try await change { database in
            try database.execute(
                """
                CREATE TABLE copy (path TEXT PRIMARY KEY, uuid TEXT NOT NULL, time INTEGER NOT NULL, stamp BLOB, bundle BLOB) STRICT;
                INSERT INTO copy SELECT path, uuid, time, stamp, randomblob(300) FROM registration;
                INSERT INTO election VALUES ('id.One', 'ignore', 1);
                DROP TABLE registration;
                DROP TABLE generation;
                DROP TABLE value;
                PRAGMA user_version = 1;
                """)
        }
        let after = try await start()
        expectTheSameAsByReading(after)
        #expect(after.copies.map(\.uuid) == before.copies.map(\.uuid))
        #expect(after["id.One"]?.election == .ignore)
        let old = try await change { try $0.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'copy'") }
        #expect(old == 0)
    }

    /// A start with an index does not read registrations; what is wrong with them is found after it, and costs nothing.
    @Test func damageInTheRegistrationsBesideAWholeIndexLosesNothing() async throws {
        for number in 0..<40 { try folder.good("App", "E\(number)", identifier: "id.e\(number)") }
        do {
            let found = try Found([folder.path], state: state.path)
            _ = try await found.first()
            _ = try await found.elect(.ignore, "id.e1")
            _ = try await found.remove("\(folder.path)/App.app/PlugIns/E3.appex")
        }
        try await keepIndex(of: 40, listed: 40)
        let before = try await start()
        let path = "\(state.path)/\(RegistryStore.fileName)"
        // Nobody has it, and all of it is in one file.
        try await change { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        var bytes = try readFile(path, maximumSize: 1 << 22)
        var damaged = 0
        for start in stride(from: 4096, to: bytes.count, by: 4096)
        where Self.place(of: "/App.app/PlugIns/E", in: bytes[start..<start + 4096]) != nil
            && Self.place(of: "removed", in: bytes[start..<start + 4096]) == nil
        {
            bytes.replaceSubrange(start..<start + 4096, with: repeatElement(0xff, count: 4096))
            damaged += 1
        }
        #expect(damaged > 1)
        try write(bytes, to: path)
        do {
            let found = try Found([folder.path], state: state.path)
            #expect(try await found.first().registry.copies == before.copies)
            let said = await found.delivery {
                $0.notices.contains { $0.contains("is replaced by a new file with all its contents") }
            }
            #expect(said != nil && said?.stateProblem == nil)
            // It can be written again.
            _ = try await found.elect(.ignore, "id.e2")
        }
        #expect(unlink("\(state.path)/\(IndexFile.name)") == 0)
        let after = try await start()
        #expect(after.copies.map(\.uuid) == before.copies.map(\.uuid))
        #expect(after["id.e1"]?.election == .ignore && after["id.e2"]?.election == .ignore && after["id.e3"] == nil)
        let registered = try await change { try $0.integer("SELECT count(*) FROM registration") }
        #expect(registered == 40)
    }

    // MARK: Changes

    /// The bundles that reading finds now are those that a start finds, and in its first picture; but a program that
    /// changed is seen by the walk after that.
    private func expectSeen(_ comment: Comment, afterTheFirstPicture: Bool) async throws {
        let found = try Found([folder.path], state: state.path)
        guard afterTheFirstPicture else {
            return expectTheSameAsByReading(try await found.first().registry, comment)
        }
        let read = ExtensionRegistry.scan([folder.path]).copies.map(\.bundle)
        #expect(await found.delivery { $0.registry.copies.map(\.bundle) == read } != nil, comment)
    }

    /// What may happen to bundles while no daemon runs.
    enum Change: String, CaseIterable, Sendable {
        case rewritten, replaced, programGone, programMode, programReplaced, bundleCame, bundleWent, bundleMoved,
            appRewritten
        case appWent, appCame, appMoved, plugInsReplaced, flatBesideDeep, bundleBecameLink, bundleReplaced,
            appBecameLink

        func happen(in folder: ApplicationsFolder, beside other: ApplicationsFolder) throws {
            let one = "\(folder.path)/Flat.app/PlugIns/One.appex"
            let two = "\(folder.path)/Flat.app/PlugIns/Two.appex"
            let three = "\(folder.path)/Deep.app/Contents/PlugIns/Three.appex"
            func plist(_ identifier: String, _ executable: String, version: String = "42") -> String {
                ApplicationsFolder.plist(
                    ApplicationsFolder.entries(identifier: identifier, executable: executable, version: version))
            }
            switch self {
            case .rewritten:
                // In place, with the same size, and the time of the last change put back: only the status tells.
                var status = stat()
                #expect(stat("\(one)/Info.plist", &status) == 0)
                try folder.write("\(one)/Info.plist", plist("id.One", "One", version: "24"))
                let times = [status.st_atim, status.st_mtim]
                #expect(utimensat(AT_FDCWD, "\(one)/Info.plist", times, 0) == 0)
            case .replaced:
                try folder.write("\(one)/new", plist("id.New", "One"))
                #expect(rename("\(one)/new", "\(one)/Info.plist") == 0)
            case .programGone: #expect(unlink("\(one)/One") == 0)
            case .programMode: #expect(chmod("\(one)/One", 0o644) == 0)
            case .programReplaced:
                #expect(symlink("/bin/true", "\(one)/new") == 0 && rename("\(one)/new", "\(one)/One") == 0)
            case .bundleCame: try folder.good("Flat", "Six", identifier: "id.Six")
            case .bundleWent: try removeTree(one)
            case .bundleMoved: #expect(rename(one, "\(folder.path)/Flat.app/PlugIns/Uno.appex") == 0)
            case .appRewritten:
                try folder.write(
                    "\(folder.path)/Flat.app/Info.plist",
                    ApplicationsFolder.plist([ApplicationsFolder.string("CFBundleIdentifier", "other.prefix")]))
            case .appWent: try removeTree("\(folder.path)/Flat.app")
            case .appCame: try folder.good("Zuletzt", "Six", identifier: "id.Six")
            case .appMoved: #expect(rename("\(folder.path)/Flat.app", "\(folder.path)/Round.app") == 0)
            case .plugInsReplaced:
                // As many as there were, under other names.
                for name in ["Seven", "Eight"] { try other.good("Flat", name, identifier: "id.\(name)") }
                #expect(rename("\(folder.path)/Flat.app/PlugIns", "\(other.path)/Old") == 0)
                #expect(rename("\(other.path)/Flat.app/PlugIns", "\(folder.path)/Flat.app/PlugIns") == 0)
            case .flatBesideDeep: try folder.write("\(three)/Info.plist", plist("id.Three", "Three"))
            case .bundleBecameLink:
                #expect(rename(one, "\(other.path)/One.appex") == 0 && symlink("\(other.path)/One.appex", one) == 0)
            case .bundleReplaced:
                // Names and their number stay.
                #expect(rename(one, "\(other.path)/One.appex") == 0 && rename(two, one) == 0)
                #expect(rename("\(other.path)/One.appex", two) == 0)
            case .appBecameLink:
                try other.good("Flat", "Nine", identifier: "id.Nine")
                #expect(rename("\(folder.path)/Flat.app", "\(other.path)/Away.app") == 0)
                #expect(symlink("\(other.path)/Flat.app", "\(folder.path)/Flat.app") == 0)
            }
        }
    }

    @Test(arguments: Change.allCases) func whatChangedMeanwhileIsSeen(_ change: Change) async throws {
        try makeBundles()
        try await keepIndex(of: 6, listed: 5)
        let before = ExtensionRegistry.scan([folder.path])
        let other = try ApplicationsFolder()
        try change.happen(in: folder, beside: other)
        let after = ExtensionRegistry.scan([folder.path])
        // Files that moved as they are make the same bundle; everything else another one.
        if change != .bundleBecameLink { #expect(before.copies != after.copies) }
        let isOfProgram = [.programGone, .programMode, .programReplaced].contains(change)
        try await expectSeen("\(change)", afterTheFirstPicture: isOfProgram)
        // And again, with what that start has kept.
        try await expectSeen("\(change), the start after", afterTheFirstPicture: isOfProgram)
        withExtendedLifetime(other) {}
    }

    /// A time that no count of nanoseconds holds.
    @Test func filesFromTheFarFutureAreReadLikeOthers() async throws {
        try makeBundles()
        let times = [timespec(tv_sec: 15_032_385_535, tv_nsec: 0), timespec(tv_sec: 15_032_385_535, tv_nsec: 0)]
        for path in ["Flat.app/PlugIns", "Flat.app/PlugIns/One.appex/Info.plist", "Flat.app/PlugIns/One.appex/One"] {
            #expect(utimensat(AT_FDCWD, "\(folder.path)/\(path)", times, 0) == 0)
        }
        expectTheSameAsByReading(try await start())
        try await keepIndex(of: 6, listed: 5)
        expectTheSameAsByReading(try await start())
    }
}

// GroupStoreTests: two stores of one file, as two processes have them.

import Foundation
import Glibc
import LinuxSystem
import PropertyListCoding
import Testing

@testable import AppGroups

private func set(_ store: GroupStore, _ key: String, _ value: PropertyList?) -> Bool {
    store.change { values in
        values[key] = value
        return true
    }
}

@Suite struct GroupStoreTests {
    // spec: P-544
    @Test func aValueSetInOneIsReadInTheOtherAtOnce() throws {
        let folder = try GroupFolder()
        let (first, second) = (try folder.store(), try folder.store())
        #expect(second.values().isEmpty)
        for number in 0..<500 {
            // The same size each time, often within one tick of the file system's clock.
            #expect(set(first, "n", .string(String(format: "%04d", number))))
            #expect(second.values()["n"]?.string == String(format: "%04d", number))
            #expect(set(second, "n", .string(String(format: "%04d", 9999 - number))))
            #expect(first.values()["n"]?.string == String(format: "%04d", 9999 - number))
        }
    }

    @Test func anySequenceOfChangesIsWhatOneDictionaryWouldHold() async throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            let folder = try GroupFolder()
            let stores = [try folder.store(), try folder.store(), try folder.store()]
            var model: PropertyListDictionary = [:]
            for _ in 0..<60 {
                let key = "k\(Int.random(in: 0..<8, using: &random))"
                let value: PropertyList? =
                    Bool.random(using: &random) ? .integer(.random(in: 0..<5, using: &random)) : nil
                _ = set(stores[Int.random(in: 0..<3, using: &random)], key, value)
                model[key] = value
                let reader = stores[Int.random(in: 0..<3, using: &random)]
                #expect(reader.values() == model)
            }
            await Task.yield()
        }
    }

    /// Each key has one writer in each store, and one key has all: the last value of one of them.
    // spec: P-544
    @Test func writersAtTheSameTimeLoseNothing() async throws {
        let folder = try GroupFolder()
        let stores = try (0..<3).map { _ in try folder.store() }
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<6 {
                let store = stores[writer / 2]
                group.addTask {
                    for number in 0..<60 {
                        _ = set(store, "w\(writer)-\(number)", .integer(Int64(number)))
                        _ = set(store, "all", .string("\(writer)-\(number)"))
                        await Task.yield()
                    }
                }
            }
        }
        let values = try folder.store().values()
        #expect(values.count == 6 * 60 + 1)
        #expect(values["all"]?.string?.hasSuffix("-59") == true)
        for store in stores { #expect(store.values() == values) }
    }

    @Test func allThatAPropertyListHoldsComesBack() throws {
        let folder = try GroupFolder()
        let value: PropertyList = [
            "text": "ä\u{1F600}", "numbers": [0, -1, .integer(.max), .integer(.min), 1.5, .real(-.infinity)],
            "truth": [true, false],
            "date": .date(1234.25), "data": .data([0, 1, 255]), "nested": ["a": ["b": [["c": "d"]]]],
            "empty": [[], [:], "", .data([])],
        ]
        #expect(set(try folder.store(), "all", value))
        #expect(try folder.store().values()["all"] == value)
    }

    // MARK: Damage

    private enum Foreign: String, CaseIterable, Sendable {
        case nothing, text, cut, array, large, link, folder, pipe
    }

    @Test(arguments: Foreign.allCases) private func whatIsNoStoreGoesAside(_ kind: Foreign) throws {
        let folder = try GroupFolder()
        let store = try folder.store()
        #expect(set(store, "old", "value"))
        let secret = folder.path + "/secret"
        try Data("secret".utf8).write(to: URL(fileURLWithPath: secret))
        let whole = try readFile(folder.file, maximumSize: 4096)
        try FileManager.default.removeItem(atPath: folder.file)
        switch kind {
        case .nothing: try Data().write(to: URL(fileURLWithPath: folder.file))
        case .text: try Data("hello".utf8).write(to: URL(fileURLWithPath: folder.file))
        case .cut: try Data(whole.dropLast(9)).write(to: URL(fileURLWithPath: folder.file))
        case .array: try Data(PropertyList.array([1]).encodeBinary()).write(to: URL(fileURLWithPath: folder.file))
        case .large:
            #expect(truncate(folder.file, 1) != 0)
            try Data([0]).write(to: URL(fileURLWithPath: folder.file))
            #expect(truncate(folder.file, 1 << 30) == 0)
        case .link: #expect(symlink(secret, folder.file) == 0)
        case .folder: #expect(mkdir(folder.file, 0o700) == 0)
        case .pipe: #expect(mkfifo(folder.file, 0o600) == 0)
        }
        #expect(store.values().isEmpty)
        #expect(set(store, "new", "value"))
        #expect(try folder.store().values() == ["new": "value"])
        let names = try listDirectory(folder.preferences, maximumCount: 100)
        #expect(names.filter { $0.hasPrefix("\(GroupFolder.name).plist.damaged-") }.count == 1)
        #expect(try readFile(secret, maximumSize: 100) == Array("secret".utf8))
    }

    @Test func aFileWrittenByHandIsRead() throws {
        let folder = try GroupFolder()
        let store = try folder.store()
        #expect(set(store, "old", 1))
        try Data("<plist version=\"1.0\"><dict><key>hand</key><true/></dict></plist>".utf8)
            .write(to: URL(fileURLWithPath: folder.file))
        #expect(store.values() == ["hand": true])
        #expect(set(store, "new", 2))
        #expect(try folder.store().values() == ["hand": true, "new": 2])
    }

    @Test func aLinkInTheContainerLeadsNowhere() throws {
        let folder = try GroupFolder()
        let elsewhere = folder.path + "/elsewhere"
        #expect(mkdir(elsewhere, 0o700) == 0)
        #expect(mkdir(folder.container, 0o700) == 0)
        #expect(mkdir(folder.container + "/Library", 0o700) == 0)
        #expect(symlink(elsewhere, folder.preferences) == 0)
        let store = try folder.store()
        #expect(!set(store, "key", "value"))
        #expect(store.synchronize() == false)
        #expect(try listDirectory(elsewhere, maximumCount: 10).isEmpty)
    }

    @Test func aRemovedContainerIsBegunAnew() throws {
        let folder = try GroupFolder()
        let (first, second) = (try folder.store(), try folder.store())
        #expect(set(first, "old", 1))
        #expect(second.values().count == 1)
        try removeTree(folder.container)
        #expect(second.values().isEmpty)
        #expect(set(second, "new", 2))
        #expect(first.values() == ["new": 2])
    }

    @Test func aWriterThatWasKilledLeavesNothingInTheWay() throws {
        let folder = try GroupFolder()
        let store = try folder.store()
        #expect(set(store, "old", 1))
        try Data("half".utf8).write(to: URL(fileURLWithPath: folder.preferences + "/.\(GroupFolder.name).plist.new"))
        #expect(set(store, "new", 2))
        #expect(try folder.store().values() == ["old": 1, "new": 2])
    }

    // MARK: What cannot be kept

    @Test func whatCouldNotBeReadAgainIsNotWritten() throws {
        let folder = try GroupFolder()
        let store = try folder.store()
        #expect(set(store, "old", 1))
        #expect(!set(store, "much", .data([UInt8](repeating: 0, count: 17 << 20))))
        #expect(!store.synchronize())
        #expect(store.synchronize())
        #expect(store.values() == ["old": 1])
        #expect(try folder.store().values() == ["old": 1])
    }

    /// Where this user may mount.
    @Test(.enabled(if: geteuid() == 0)) func aFullDiskLeavesTheOldState() throws {
        let folder = try GroupFolder()
        #expect(mkdir(folder.container, 0o700) == 0)
        guard mount("tmpfs", folder.container, "tmpfs", 0, "size=64k") == 0 else { return }
        defer { umount2(folder.container, Int32(MNT_DETACH)) }
        let store = try folder.store()
        #expect(set(store, "old", .data([UInt8](repeating: 1, count: 10_000))))
        #expect(!set(store, "much", .data([UInt8](repeating: 2, count: 100_000))))
        #expect(store.values().count == 1)
        #expect(try listDirectory(folder.preferences, maximumCount: 10).count == 2)
        #expect(set(store, "small", 1))
        #expect(try folder.store().values().count == 2)
    }

    @Test func aFileThatOthersMayNotReadIsMade() throws {
        let folder = try GroupFolder()
        #expect(set(try folder.store(), "key", 1))
        var status = stat()
        #expect(stat(folder.file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(stat(folder.container, &status) == 0 && status.st_mode & 0o777 == 0o700)
    }

    // MARK: News

    @Test(arguments: [true, false]) func changesOfAnotherProcessAreTold(_ watching: Bool) async throws {
        let folder = try GroupFolder()
        let (mine, other) = (try folder.store(), try folder.store())
        mine.prepare()
        let (news, continuation) = AsyncStream.makeStream(of: Void.self)
        let watch = StoreWatch(watching: watching)
        watch.watch(mine) { continuation.yield() }
        #expect(set(other, "key", 1))
        for await _ in news { break }
        #expect(mine.values() == ["key": 1])
        // One's own are none; the next of the other's are.
        #expect(set(mine, "key", 2))
        #expect(!mine.hasNews())
        #expect(set(other, "key", 3))
        for await _ in news { break }
        #expect(mine.values() == ["key": 3])
    }
}

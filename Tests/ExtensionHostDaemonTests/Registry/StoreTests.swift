// RegistryStore: nothing acknowledged is lost, whenever its process is killed; full disks, newer, strange and damaged
// files by name.

import ExtensionProtocol
@testable import ExtensionRegistry
import Foundation
import Glibc
import LinuxSystem
import SQLite
import Testing

@Suite final class StoreTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-state") }

    deinit { try? folder.remove() }

    private static func value(_ number: Int) -> Election? {
        switch number / 10 % 3 {
        case 0: .ignore
        case 1: .use
        default: nil
        }
    }

    /// What must stand there after these, and what may: the one after the last was perhaps on its way.
    private func check(_ acknowledged: some BidirectionalCollection<Int>, attempted next: Int?, _ comment: Comment)
        throws
    {
        try checkIntegrity(comment)
        let store = try RegistryStore(folder: folder.path)
        #expect(store.setAside == nil, comment)
        for identifier in 0..<10 {
            let last = acknowledged.last { $0 % 10 == identifier }
            var allowed = [last.flatMap(Self.value)]
            if let next, next % 10 == identifier { allowed.append(Self.value(next)) }
            #expect(allowed.contains(store.contents.elections["id.\(identifier)"]), comment)
        }
    }

    private func checkIntegrity(_ comment: Comment) throws {
        let statement = try Database(path: "\(folder.path)/\(RegistryStore.fileName)").statement(
            "PRAGMA integrity_check")
        #expect(try statement.step() && statement.text(0) == "ok", comment)
    }

    /// At every step of the file system there is: before and after each write, sync, truncation and removal, with and
    /// without the loss of what was not synced.
    @Test(arguments: [false, true])
    func nothingAcknowledgedIsLostWhereverItsProcessIsKilled(_ loses: Bool) throws {
        // A whole life from the first opening on, so that migration and checkpoint are killed, too.
        let whole = try WriterRun.run([folder.path, "0", "12", "0", "0"])
        let steps = try #require(whole.steps)
        #expect(whole.acknowledged == Array(0..<12) && steps > 40)
        var kills = 0
        for step in 1...steps {
            try removeTree(folder.path)
            #expect(mkdir(folder.path, 0o700) == 0)
            let run = try WriterRun.run([folder.path, "0", "12", "\(step)", loses ? "1" : "0"])
            guard run.wasKilled else { continue }  // files are closed in fewer steps when the end is not reached
            kills += 1
            try check(run.acknowledged, attempted: run.acknowledged.count, "killed at step \(step) of \(steps)")
        }
        #expect(kills >= steps - 4)
    }

    /// One store over two hundred lives, each ended at a moment of chance.
    @Test func twoHundredKillsAtRandomLoseNothing() throws {
        var acknowledged: [Int] = []
        var next = 0
        var random = SystemRandomNumberGenerator()
        // On a disk that needs longer for one change than any of them lives, later ones live longer.
        var round = 0
        while round < 200 || next == 0 && round < 220 {
            let delay = Int.random(in: 0...(round < 200 ? 8_000 : 2_000_000), using: &random)
            round += 1
            let run = try WriterRun.run([folder.path, "\(next)", "100000"], killedAfter: delay)
            #expect(run.wasKilled)
            #expect(run.acknowledged == Array(next..<next + run.acknowledged.count))
            acknowledged += run.acknowledged
            next += run.acknowledged.count
            try check(acknowledged.suffix(30), attempted: next, "after \(next) elections, killed after \(delay) µs")
            // The next life starts where this one is known to have ended; the one on its way is elected again.
        }
        #expect(next > 0)
    }

    // MARK: What keeps it from being used

    @Test func aNewerDatabaseIsNamedAndLeftAlone() throws {
        _ = try RegistryStore(folder: folder.path)
        let path = "\(folder.path)/\(RegistryStore.fileName)"
        do {
            let database = try Database(path: path)
            try database.execute("PRAGMA user_version = 7; CREATE TABLE later (x)")
        }
        let before = try readFile(path, maximumSize: 1 << 20)
        let error = try #require(throws: ExtensionHostError.self) { try RegistryStore(folder: folder.path) }
        #expect(
            error.code == .stateUnavailable && error.message.contains("newer daemon")
                && error.message.contains("layout is 7"))
        #expect(error.remedy?.contains("Update exthostd") == true)
        #expect(try readFile(path, maximumSize: 1 << 20) == before)
    }

    @Test func aStrangeDatabaseIsNamedAndLeftAlone() throws {
        let path = "\(folder.path)/\(RegistryStore.fileName)"
        do {
            let database = try Database(path: path)
            try database.execute("CREATE TABLE songs (title)")
        }
        let error = try #require(throws: ExtensionHostError.self) { try RegistryStore(folder: folder.path) }
        #expect(error.code == .stateUnavailable && error.message.contains("another program"))
        #expect(try Database(path: path).integer("SELECT count(*) FROM songs") == 0)
    }

    @Test(arguments: ["garbage", "header", "pages"])
    func aDamagedFileIsPutAsideByNameAndNeverRemoved(_ damage: String) throws {
        let path = "\(folder.path)/\(RegistryStore.fileName)"
        do {
            let store = try RegistryStore(folder: folder.path)
            for number in 0..<200 { try store.setElection(.ignore, of: "id.\(number)", at: number) }
        }
        var bytes = try readFile(path, maximumSize: 1 << 20)
        switch damage {
        case "garbage": bytes = Array("this is no database, whatever its name says".utf8)
        case "header": bytes.replaceSubrange(0..<16, with: repeatElement(0x20, count: 16))
        default: bytes.replaceSubrange(4096..<bytes.count, with: repeatElement(0xff, count: bytes.count - 4096))
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let store = try RegistryStore(folder: folder.path)
        let aside = try #require(store.setAside)
        #expect(aside.hasPrefix(path + ".damaged-") && store.contents.elections.isEmpty)
        #expect(try readFile(aside, maximumSize: 1 << 20) == bytes)
        try store.setElection(.use, of: "id", at: 1)
        #expect(store.contents.elections == ["id": .use])
    }

    /// The index is nearly all of a file, and elections come from people.
    @Test func damageInTheIndexCostsNoElectionAndNoOrder() async throws {
        let applications = try ApplicationsFolder()
        for number in 0..<40 { try applications.good("App", "E\(number)", identifier: "id.e\(number)") }
        try await Self.keep(applications.path, in: folder.path)
        let path = "\(folder.path)/\(RegistryStore.fileName)"
        // Its log goes with it, and its lock after that.
        Found.awaitEnd(of: folder.path)
        var bytes = try readFile(path, maximumSize: 1 << 22)
        // Every page but the first with a bundle's path in it.
        let page = 4096
        let mark = Array("/App.app/PlugIns/E".utf8)
        var damaged = 0
        for start in stride(from: page, to: bytes.count, by: page) {
            let contents = bytes[start..<min(start + page, bytes.count)]
            guard contents.indices.contains(where: { contents[$0...].starts(with: mark) }),
                !contents.indices.contains(where: { contents[$0...].starts(with: "removed".utf8) })
            else { continue }
            bytes.replaceSubrange(start..<start + page, with: repeatElement(0xff, count: page))
            damaged += 1
        }
        #expect(damaged > 1)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        do {
            let store = try RegistryStore(folder: folder.path)
            #expect(store.setAside != nil && store.contents.elections == ["id.e1": .ignore, "id.e2": .use])
            #expect(
                store.contents.orders.count == 1 && store.contents.orders.keys.allSatisfy { $0.hasSuffix("/E3.appex") })
        }
        // And on the disk.
        try checkElections(["id.e1": .ignore, "id.e2": .use])
    }

    /// A discovery's whole life with two elections and an order.
    private static func keep(_ applications: String, in state: String) async throws {
        let found = try Found([applications], state: state)
        _ = try await found.first()
        _ = try await found.elect(.ignore, "id.e1")
        _ = try await found.elect(.use, "id.e2")
        _ = try await found.remove("\(applications)/App.app/PlugIns/E3.appex")
    }

    private func checkElections(_ expected: [String: Election]) throws {
        let database = try Database(path: "\(folder.path)/\(RegistryStore.fileName)")
        let statement = try database.statement("SELECT identifier, value FROM election")
        var found: [String: Election] = [:]
        while try statement.step() { found[statement.text(0)] = Election(rawValue: statement.text(1)) }
        #expect(found == expected)
    }

    @Test func aSecondDaemonIsToldOfTheFirst() throws {
        let first = try RegistryStore(folder: folder.path)
        try first.setElection(.use, of: "id", at: 1)
        let error = try #require(throws: ExtensionHostError.self) { try RegistryStore(folder: folder.path) }
        #expect(error.code == .stateUnavailable && error.message.contains("another daemon"))
        withExtendedLifetime(first) {}
    }

    @Test func aFolderThatCannotBeMadeIsNamed() throws {
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        let error = try #require(throws: ExtensionHostError.self) {
            try RegistryStore(folder: folder.path + "/file/state")
        }
        #expect(
            error.code == .stateUnavailable && error.message.contains("cannot be made")
                && error.remedy?.contains("XDG_STATE_HOME") == true)
    }

    /// A limit on the size of files stands for the disk: the kernel refuses the write in the same place.
    @Test func aFullDiskChangesNothingAndIsNamed() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryDirectory(prefix: "exthost-full")
            let store = try RegistryStore(folder: folder.path)
            try store.setElection(.use, of: "id.first", at: 1)
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 96 * 1024, rlim_max: rlim_t.max)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            var kept: [String: Election] = ["id.first": .use]
            var failure: ExtensionHostError?
            for number in 0..<10_000 {
                do throws(ExtensionHostError) {
                    try store.setElection(.ignore, of: "id.\(number)", at: number)
                    kept["id.\(number)"] = .ignore
                } catch {
                    failure = error
                    break
                }
            }
            let error = try #require(failure)
            #expect(error.code == .stateUnavailable && error.remedy?.isEmpty == false, "\(error)")
            #expect(store.contents.elections == kept)
            // With room again it goes on, and nothing was lost.
            limit.rlim_cur = rlim_t.max
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            try store.setElection(.use, of: "id.last", at: 1)
            #expect(store.contents.elections["id.last"] == .use)
            try folder.remove()
        }
    }

    // spec: PC-19, PC-20
    @Test func consentsAndAnnotationsOutliveTheirStore() throws {
        let mine = StoredValues.Owner("id.widget", of: 7)
        var values = StoredValues()
        values.consents = ["fullAccess", "enabled"]
        values.annotations = ["hasContent": [1, 2, 3], "empty": []]
        do {
            let store = try RegistryStore(folder: folder.path)
            try store.setValues(values, of: mine)
            try store.setValues(values, of: .init("id.widget", of: 8))
            try store.setElection(.ignore, of: "id.widget", at: 1)
        }
        values.annotations["hasContent"] = nil
        do {
            let store = try RegistryStore(folder: folder.path)
            #expect(store.contents.values.count == 2 && store.contents.values[mine]?.annotations["empty"] == [])
            try store.setValues(values, of: mine)
            try store.setValues(StoredValues(), of: .init("id.widget", of: 8))
        }
        let store = try RegistryStore(folder: folder.path)
        #expect(store.contents.values == [mine: values] && store.contents.elections["id.widget"] == .ignore)
    }
}

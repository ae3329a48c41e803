// OrderKillTests: orders and the index survive the end of their process at any moment: what was answered stands, and no
// file is damaged.

import ExtensionProtocol
import ExtensionRegistry
import Foundation
import Glibc
import LinuxSystem
import SQLite
import Testing

@Suite final class OrderKillTests {
    private let applications: ApplicationsFolder
    private let elsewhere: ApplicationsFolder
    private let state: TemporaryDirectory

    init() throws {
        applications = try ApplicationsFolder()
        elsewhere = try ApplicationsFolder()
        state = try TemporaryDirectory(prefix: "exthost-state")
        for name in ["One", "Two"] { try applications.good("Flat", name, identifier: "id.\(name)") }
        try elsewhere.good("Other", "Three", identifier: "id.Three")
    }

    deinit { try? state.remove() }

    private var other: String { elsewhere.path + "/Other.app" }
    private var two: String { applications.path + "/Flat.app/PlugIns/Two.appex" }

    private func arguments(_ first: Int, _ count: Int, _ rest: String...) -> [String] {
        ["orders", state.path, applications.path, other, "\(first)", "\(count)"] + rest
    }

    /// What there is after so many orders (`OrderWriter`).
    private struct Expected {
        var isAdded = false
        var isRemoved = false
        var elections: [String: Election] = [:]

        init(after count: Int) {
            let last = count % 8
            isAdded = (1...6).contains(last)
            isRemoved = (3...4).contains(last)
            if (2...5).contains(last) { elections["id.One"] = .ignore }
            if last >= 4 { elections["id.Three"] = .use }
        }

        var identifiers: Set<String> {
            Set(["id.One"] + (isRemoved ? [] : ["id.Two"]) + (isAdded ? ["id.Three"] : []))
        }
    }

    private func isKept(_ expected: Expected, _ store: RegistryStore.Contents) -> Bool {
        let isRemoved = if case .removed = store.orders[two] { true } else { false }
        return (store.orders[other] == .added) == expected.isAdded && isRemoved == expected.isRemoved
            && store.orders.count == (expected.isAdded ? 1 : 0) + (expected.isRemoved ? 1 : 0)
            && store.elections == expected.elections
    }

    /// What was answered stands, or the order that was under way with it; a start finds what reading finds, each bundle
    /// as it was registered.
    private func check(_ run: WriterRun, after answered: Int, _ comment: Comment) async throws {
        do {
            let statement = try Database(path: "\(state.path)/\(RegistryStore.fileName)").statement(
                "PRAGMA integrity_check")
            #expect(try statement.step() && statement.text(0) == "ok", comment)
        }
        let contents: RegistryStore.Contents
        do {
            let store = try RegistryStore(folder: state.path)
            #expect(store.setAside == nil, comment)
            contents = store.contents
        }
        let expected = [answered, answered + 1].map { Expected(after: $0) }.first { isKept($0, contents) }
        guard let expected else {
            Issue.record("after \(answered) orders there are \(contents.orders) and \(contents.elections); \(comment)")
            return
        }
        let registry = try await start()
        #expect(Set(registry.copies.map(\.bundle.identifier)) == expected.identifiers, comment)
        let read = ExtensionRegistry.scan([applications.path, other])
        for copy in registry.copies {
            #expect(copy.bundle == read[copy.bundle.identifier]?.bundle && copy.isWinner, comment)
            #expect(copy.election == expected.elections[copy.bundle.identifier] ?? .default, comment)
            // What a start has registered is kept by the first order of a path, which registers one anew.
            guard run.acknowledged.contains(where: { $0 % 2 == 0 }), let known = run.registered[copy.bundle.identifier],
                answered % 8 != 4 || copy.bundle.path != two
            else {
                continue
            }
            #expect("\(copy.uuid)/\(copy.registered)" == known, comment)
        }
    }

    /// The first picture of a start with what is kept; from a copy, as a discovery that ends may have its database for
    /// another moment.
    private func start() async throws -> ExtensionRegistry {
        let copy = try TemporaryDirectory(prefix: "exthost-state")
        defer { try? copy.remove() }
        // Closed in order, the database has no log any more.
        try FileManager.default.copyItem(
            atPath: "\(state.path)/\(RegistryStore.fileName)", toPath: "\(copy.path)/\(RegistryStore.fileName)")
        let found = try Found([applications.path], state: copy.path)
        let registry = try await found.first().registry
        // Answered when the index is written.
        _ = try? await found.remove("/nowhere")
        return registry
    }

    /// Until what the index says of the bundles is trusted, so that it is written: files that changed a moment ago may
    /// change again unseen.
    private func letFilesSettle() async throws {
        let newest = try [two, elsewhere.path + "/Other.app/PlugIns/Three.appex"].map { path in
            var status = stat()
            guard stat(path + "/Info.plist", &status) == 0 else { throw SystemError("stat") }
            return status.st_ctim
        }
        var now = timespec()
        repeat {
            await Task.yield()
            clock_gettime(CLOCK_REALTIME, &now)
        } while newest.contains { Double(now.tv_sec - $0.tv_sec) + Double(now.tv_nsec - $0.tv_nsec) / 1e9 < 0.1 }
    }

    private static let isLong = getenv("EXTHOST_LONG_TESTS") != nil

    /// At every step of the file system, or every fourth in the short form: before and after each write, sync,
    /// truncation and removal, with and without the loss of what was not synced.
    @Test(arguments: [false, true])
    func nothingAnsweredIsLostWhereverItsProcessIsKilled(_ loses: Bool) async throws {
        try await letFilesSettle()
        let whole = try WriterRun.run(arguments(0, 8, "0", "0"))
        let steps = try #require(whole.steps)
        #expect(whole.acknowledged == Array(0..<8) && whole.registered.count == 2 && steps > 100)
        try await check(whole, after: 8, "not killed")
        var kills = 0
        let chosen = Self.isLong ? Array(1...steps) : Array(stride(from: loses ? 3 : 1, through: steps, by: 4))
        for step in chosen {
            try removeTree(state.path)
            #expect(mkdir(state.path, 0o700) == 0)
            let run = try WriterRun.run(arguments(0, 8, "\(step)", loses ? "1" : "0"))
            guard run.wasKilled else { continue }  // files are closed in fewer steps when the end is not reached
            kills += 1
            try await check(run, after: run.acknowledged.count, "killed at step \(step) of \(steps)")
        }
        #expect(kills >= chosen.count - 4)
    }

    /// One state folder over many lives, each ended at a moment of chance.
    @Test func killsAtRandomLoseNothing() async throws {
        try await letFilesSettle()
        var next = 0
        var random = SystemRandomNumberGenerator()
        let rounds = Self.isLong ? 200 : 40
        // On a disk that needs longer for one order than any of them lives, later ones live longer.
        var round = 0
        while round < rounds || next == 0 && round < rounds + 20 {
            let delay = Int.random(in: 0...(round < rounds ? 20_000 : 2_000_000), using: &random)
            round += 1
            let run = try WriterRun.run(arguments(next, 100_000), killedAfter: delay)
            #expect(run.wasKilled && run.acknowledged == Array(next..<next + run.acknowledged.count))
            next += run.acknowledged.count
            try await check(run, after: next, "after \(next) orders, killed after \(delay) µs")
            // An order that was carried out and not answered is given again, and then refused where it can be done once
            // only.
            next = try order(after: next)
        }
        #expect(next > 0)
    }

    /// The number of the order that comes next by what stands there.
    private func order(after answered: Int) throws -> Int {
        let contents = try RegistryStore(folder: state.path).contents
        return isKept(Expected(after: answered), contents) ? answered : answered + 1
    }
}

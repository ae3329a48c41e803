// ContainerTests: what an extension may leave where, what it shares with its app, and what becomes of it.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

let testGroup = "group.org.exthost.tests"
private let tutorialGroup = "group.cn.vimfung.ShareExtensionDemo"

extension TestBundles {
    /// An app and its extension `share` with the tutorial's code, and the groups that either is to hold.
    static func tutorial(extension own: [String]?, app: [String]?, in identifier: String = "org.exthost.tests") throws
        -> TestBundles
    {
        let bundles = try TestBundles(application: identifier)
        try bundles.add(
            "share", identifier: "\(identifier).share", program: SampleApplications.buildFolder + "/TutorialShare",
            principalClass: "TutorialShare.ShareViewController")
        try bundles.entitle("Tests.app", app)
        try bundles.entitle("Tests.app/PlugIns/share.appex", own)
        return bundles
    }

    /// The puppet, which holds the group of the tests.
    static func withPuppetInGroup() throws -> TestBundles {
        let bundles = try withPuppet()
        for bundle in ["Tests.app", "Tests.app/PlugIns/puppet.appex"] { try bundles.entitle(bundle, [testGroup]) }
        return bundles
    }

    func entitle(_ bundle: String, _ groups: [String]?) throws {
        guard let groups else { return }
        let entries = ["com.apple.security.application-groups": groups]
        try PropertyListSerialization.data(fromPropertyList: entries, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: "\(path)/\(bundle)/Entitlements.plist"))
    }
}

@Suite struct ContainerTests {
    /// What the extension said of its folders.
    private func share(_ daemon: TestDaemon, _ identifier: String = "org.exthost.tests.share") async throws -> [String:
        String]
    {
        let host = try await daemon.host("notes")
        let request = try await host.begin(identifier, items: [.url("https://example.org/shared")])
        let outcome = await request.outcome
        guard case .completed(let items) = outcome else {
            Issue.record("the outcome was \(outcome)")
            return [:]
        }
        return items.first?.userInfo as? [String: String] ?? [:]
    }

    private func app(_ daemon: TestDaemon, groups: String = tutorialGroup) async throws -> String {
        let environment = [
            "EXTHOST_APP_GROUPS": groups, "EXTHOST_GROUP_CONTAINERS": daemon.groupContainers ?? "",
            "HOME": "/nonexistent",
            "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "",
        ]
        return try await Program.ending(
            of: SampleApplications.buildFolder + "/TutorialApp", environment: environment
        ).output
    }

    /// The round trip of the Share tutorial: written in the extension, read and reset in the app.
    // spec: P-540
    @Test(arguments: isSanitized ? ["none"] : ["none", "best"])
    func whatTheExtensionWroteTheAppReadsAndResets(sandbox: String) async throws {
        let bundles = try TestBundles.tutorial(extension: [tutorialGroup], app: [tutorialGroup])
        try await withTestDaemon(applications: [bundles.path], arguments: ["--sandbox", sandbox]) { daemon in
            #expect(try await app(daemon) == "nothing new\n")
            let said = try await share(daemon)
            #expect(said["group"] == daemon.groupContainers.map { "\($0)/\(tutorialGroup)" })
            #expect(try await app(daemon) == "New Share: https://example.org/shared\nstr = abc\n")
            #expect(try await app(daemon) == "nothing new\nstr = abc\n")
            _ = try await share(daemon)
            #expect(try await app(daemon) == "New Share: https://example.org/shared\nstr = abc\n")
        }
    }

    // spec: P-541
    @Test(
        arguments: [([tutorialGroup], nil), (nil, [tutorialGroup]), (["group.*"], ["group.*"])]
            as [([String]?, [String]?)])
    func aGroupThatEitherDoesNotHoldIsRefused(_ own: [String]?, _ app: [String]?) async throws {
        let bundles = try TestBundles.tutorial(extension: own, app: app)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            #expect(try await share(daemon)["group"] == "none")
            let detail = try await daemon.control.show("org.exthost.tests.share")
            #expect(detail.groups.isEmpty)
            #expect(detail.refused.contains { $0.hasPrefix((own ?? app)?.first ?? "") })
        }
    }

    /// The group is named after the vendor of the first, or after none of both; nobody signs.
    @Test func anAppJoinsAnotherVendorsGroupWithTheOperatorsConsentOnly() async throws {
        for (group, owner) in [("group.org.exthost.vault", "org.exthost"), (tutorialGroup, nil)] {
            let first = try TestBundles.tutorial(extension: [group], app: [group])
            let second = try TestBundles.tutorial(extension: [group], app: [group], in: "net.other.tests")
            let identifiers = ["org.exthost.tests.share", "net.other.tests.share"]
            func holders(_ arguments: [String], of folders: [String]) async throws -> [String] {
                try await withTestDaemon(applications: folders, arguments: arguments) { daemon in
                    var holders: [String] = []
                    for identifier in identifiers.suffix(folders.count) {
                        let detail = try await daemon.control.show(identifier)
                        let holds = detail.groups == [group]
                        // The extension asks for this one only.
                        if group == tutorialGroup {
                            let said = try await share(daemon, identifier)
                            #expect((said["group"] != "none") == holds, "\(said)")
                        }
                        let told = detail.refused.contains { $0.contains(group) && $0.contains("SharedGroups") }
                        #expect(told == !holds, "\(detail.refused)")
                        if holds { holders.append(identifier) }
                        let listed = try await daemon.control.extensions(groups: true).first {
                            $0.identifier == identifier
                        }
                        let notes = (listed?.warnings ?? []).filter {
                            $0.contains(group) && $0.contains("SharedGroups")
                        }
                        let isStrange = owner.map(identifier.hasPrefix) != true && folders.count > 1
                        #expect(notes.count == (isStrange ? 1 : 0), "\(listed?.warnings ?? [])")
                        #expect(notes.allSatisfy { $0.hasPrefix("it has") == holds }, "\(notes)")
                        let text = try await Program.control(["list", "-i", identifier], socket: daemon.address.path)
                            .ending()
                        #expect(text.output.contains("warning: it") == isStrange, "\(text)")
                    }
                    return holders
                }
            }
            let owners = identifiers.filter { owner.map($0.hasPrefix) == true }
            #expect(try await holders([], of: [first.path, second.path]) == owners)
            #expect(try await holders(["--share-group", group], of: [first.path, second.path]) == identifiers)
            #expect(try await holders(["--share-group", "all"], of: [first.path, second.path]) == identifiers)
            // Nobody else names it.
            #expect(try await holders([], of: [second.path]) == [identifiers[1]])
        }
    }

    // spec: P-542
    @Test func eachExtensionHasAHomeOfItsOwn() async throws {
        let bundles = try TestBundles.tutorial(extension: nil, app: nil)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let said = try await share(daemon)
            let home = try #require(said["home"])
            #expect(home.hasSuffix("/Containers/Data/PlugIn/org.exthost.tests.share"))
            #expect(said["temporary"]?.hasPrefix(home + "/tmp") == true)
            // The names by which the source step calls them.
            #expect(said["library"] == home + "/Library" && said["caches"] == home + "/Library/Caches")
            #expect(said["support"] == home + "/Library/Application Support" && said["tilde"] == "~/Documents")
            #expect(access(home + "/Library/Application Support", W_OK) == 0)
            var status = stat()
            #expect(stat(home, &status) == 0 && status.st_mode & 0o777 == 0o700 && status.st_uid == geteuid())
        }
    }

    @Test func aLinkInPlaceOfAContainerIsNotFollowed() async throws {
        let bundles = try TestBundles.tutorial(extension: [tutorialGroup], app: [tutorialGroup])
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let elsewhere = try TemporaryDirectory(prefix: "exthost-elsewhere")
            defer { try? elsewhere.remove() }
            let groups = try #require(daemon.groupContainers)
            try FileManager.default.createDirectory(atPath: groups, withIntermediateDirectories: true)
            #expect(symlink(elsewhere.path, "\(groups)/\(tutorialGroup)") == 0)
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.share", items: [.url("https://example.org")])
            #expect(await request.outcome.cause == .launchFailed)
            #expect(try listDirectory(elsewhere.path, maximumCount: 10).isEmpty)
        }
    }

    // spec: P-543
    @Test func removingAnAppSaysWhatItDeletesAndKeepsWhatOthersHold() async throws {
        let first = try TestBundles.tutorial(extension: [tutorialGroup], app: [tutorialGroup])
        let second = try TestBundles.tutorial(
            extension: [tutorialGroup], app: [tutorialGroup], in: "org.exthost.others")
        try await withTestDaemon(applications: [first.path, second.path]) { daemon in
            let home = try #require(try await share(daemon)["home"])
            let other = try #require(try await share(daemon, "org.exthost.others.share")["home"])
            let group = try #require(daemon.groupContainers.map { "\($0)/\(tutorialGroup)" })

            let removed = try await daemon.control.removal(path: first.path + "/Tests.app")
            #expect(removed.deleted == [home])
            #expect(removed.kept == [group])
            try await gone(home)
            #expect(access(group, F_OK) == 0 && access(other, F_OK) == 0)

            let last = try await daemon.control.removal(path: second.path + "/Tests.app")
            #expect(last.deleted == [other, group])
            #expect(last.kept.isEmpty)
            try await gone(other)
            try await gone(group)
        }
    }

    /// SQLite with a write-ahead log, and POSIX locks: both write at the same time, and nothing is lost.
    // spec: P-575
    @Test func aDatabaseOfTheGroupServesExtensionAndProgram() async throws {
        let script = try TestBundles.source("Tests/Fixtures/Python/database.py")
        let bundles = try TestBundles()
        try bundles.add(
            "database", script: script,
            beside: ["exthost.py": try TestBundles.source("Sources/Samples/Python/exthost.py")])
        for bundle in ["Tests.app", "Tests.app/PlugIns/database.appex"] { try bundles.entitle(bundle, [testGroup]) }
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let folder = try #require(daemon.groupContainers) + "/" + testGroup
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let host = try await daemon.host("notes")
            let program = try Program.run(
                "/usr/bin/python3", ["-B", bundles.path + "/Tests.app/PlugIns/database.appex/database", folder],
                socket: "/nonexistent")
            let request = try await host.begin("org.exthost.tests.database", items: [order("write")])
            let result = try items(of: await request.outcome)
            #expect(result.first?.userInfo?["mode"] as? String == "wal")
            #expect(try await program.ending().status == 0)
            #expect(try String(contentsOfFile: folder + "/count", encoding: .utf8) == "400")
            let counting = try Program.run(
                "/usr/bin/python3",
                [
                    "-c",
                    "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM row').fetchone()[0])",
                    folder + "/store.db",
                ], socket: "/nonexistent")
            #expect(try await counting.ending().output == "400\n")
        }
    }

    /// An extension that is suspended while it changes defaults would keep the other processes of the group from
    /// theirs, and that would not be its author's fault.
    // spec: P-549
    @Test(arguments: ["namespace", "guardian", "session"])
    func anExtensionThatChangesDefaultsIsSuspendedWithoutTheirLock(means: String) async throws {
        let bundles = try TestBundles.withPuppetInGroup()
        // By the system's clock: a virtual one would wait a second of running for one that never rests, at each move.
        let arguments = ["--tree-kill", means, "--timer", "suspend=20ms", "--timer", "request=1h"]
        try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin(puppet, items: [order("defaults", testGroup)])
            try await eventually { output.text.contains("setting\n") }
            let pid = try #require(request.processIdentifier)
            let folder = try #require(daemon.groupContainers) + "/\(testGroup)/Library/Preferences"
            for _ in 0..<10 {
                try await host.setState(.background)
                // Stopped for good, and the lock is free.
                try await eventually {
                    try await daemon.control.processes().first?.state == "suspended" && isStopped(pid_t(pid))
                        && isFree("\(folder)/.\(testGroup).plist.lock")
                }
                #expect(try await daemon.control.processes().first?.state == "suspended")
                try await host.setState(.active)
                try await eventually { !isStopped(pid_t(pid)) }
            }
            try await request.cancel()
        }
    }

    private func isFree(_ path: String) throws -> Bool {
        let file = SharedDescriptor(owning: open(path, O_RDWR | O_CLOEXEC))
        return try lockOpenFile(file.raw, byte: 0)
    }

    private func gone(_ path: String) async throws {
        try await eventually { access(path, F_OK) != 0 }
    }
}

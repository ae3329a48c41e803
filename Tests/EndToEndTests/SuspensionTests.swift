// SuspensionTests: extensions whose hosts are away stand still, and what they may hold then.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@Suite struct SuspensionTests {
    private func state(of pid: Int) throws -> Character? {
        let text = String(decoding: try readFile("/proc/\(pid)/stat", maximumSize: 4096), as: UTF8.self)
        return text.split(separator: ")").last?.dropFirst().first
    }

    // spec: P-027, P-550
    @Test(arguments: ["namespace", "guardian", "session"])
    func anExtensionStandsStillWhileItsHostIsInTheBackgroundAndItsTimeWithIt(means: String) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: ["--tree-kill", means]) {
            daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")], timeout: .seconds(30))
            let pid = try #require(request.processIdentifier)
            try await host.setState(.background)
            try await daemon.clock.advance(by: .milliseconds(4900))
            #expect(try await daemon.control.processes().first?.state == "busy")
            try await daemon.clock.advance(by: .milliseconds(100))
            #expect(try await daemon.control.processes().first?.state == "suspended")
            try await eventually { try state(of: pid) == "T" }
            // Of its 30 s it has used 5.
            try await daemon.clock.advance(by: .seconds(1000))
            #expect(try await daemon.control.requests().count == 1)
            try await host.setState(.active)
            try await eventually { try state(of: pid) != "T" }
            try await daemon.clock.advance(by: .milliseconds(24_900))
            #expect(try await daemon.control.requests().count == 1)
            try await daemon.clock.advance(by: .milliseconds(100))
            #expect(await request.outcome.cause == .requestTimeout)
            let steps = try await daemon.events().filter {
                [.processSuspended, .processResumed, .hostStateChanged].contains(EventName(rawValue: $0.event))
            }
            // It goes on with the first of the two edges.
            #expect(
                steps.map { $0.to ?? $0.event } == [
                    "inactive", "background", "process.suspended", "inactive", "process.resumed", "active",
                ])
        }
    }

    // spec: P-553
    @Test func aProcessOfTwoHostsStandsStillOnlyWhenBothAreAwayAndANewRequestWakesIt() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let (one, other) = (try await daemon.host("one"), try await daemon.host("other"))
            let first = try await one.begin(puppet, items: [order("hang")])
            let second = try await other.begin(puppet, items: [order("hang")])
            #expect(first.processIdentifier == second.processIdentifier)
            func state() async throws -> String? { try await daemon.control.processes().first?.state }
            try await one.setState(.background)
            try await daemon.clock.advance(by: .seconds(60))
            #expect(try await state() == "busy")
            try await other.setState(.background)
            try await daemon.clock.advance(by: .seconds(5))
            #expect(try await state() == "suspended")
            // The end of a request is dealt with though the process stands still.
            try await second.cancel()
            #expect(await second.outcome.cause == .cancelledByHost)
            try await daemon.clock.advance(by: .seconds(5))
            #expect(try await state() == "suspended")
            let third = try await daemon.host("third")
            #expect(await (try await third.begin(puppet, items: [order("count")])).outcome.kind == .completed)
            #expect(third.name == "third" && first.processIdentifier != nil)
        }
    }

    // spec: P-550
    @Test func aSuspendedExtensionHearsInOrderWhatItsHostWentThrough() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin(puppet, items: [order("notices", "4")])
            try await eventually { output.text.contains("watching") }
            try await host.setState(.background)
            try await daemon.clock.advance(by: .seconds(5))
            try await host.setState(.active)
            let seen = try items(of: await request.outcome).first?.userInfo?["seen"] as? [String]
            #expect(
                seen == [
                    "NSExtensionHostWillResignActiveNotification", "NSExtensionHostDidEnterBackgroundNotification",
                    "NSExtensionHostWillEnterForegroundNotification", "NSExtensionHostDidBecomeActiveNotification",
                ])
        }
    }

    // spec: P-029
    @Test(arguments: [("strict", true), ("ios-12", false)])
    func aProfileSaysWhetherAHostThatHasOnlyResignedToBeActiveIsAway(profile: String, isAway: Bool) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: ["--profile", profile]) {
            daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin(puppet, items: [order("notices", "2")])
            let pid = try #require(request.processIdentifier)
            try await eventually { output.text.contains("watching") }
            try await host.setState(.inactive)
            try await daemon.clock.advance(by: .milliseconds(4900))
            #expect(try await daemon.control.processes().first?.state == "busy")
            try await daemon.clock.advance(by: .milliseconds(100))
            #expect(try await daemon.control.processes().first?.state == (isAway ? "suspended" : "busy"))
            if isAway { try await eventually { isStopped(pid_t(pid)) } }
            try await host.setState(.active)
            let outcome = await request.outcome
            #expect(outcome.kind == .completed)
            let seen = try items(of: outcome).first?.userInfo?["seen"] as? [String]
            #expect(
                seen == ["NSExtensionHostWillResignActiveNotification", "NSExtensionHostDidBecomeActiveNotification"])
            let steps = try await daemon.events().filter { $0.pid == pid }.map(\.event)
            #expect(steps.contains("process.suspended") == isAway && steps.contains("process.resumed") == isAway)
        }
    }

    @Test func theTimeOfALoadStandsStillWithItsExtensionThoughItsHostWorksOn() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let load = HeldLoad()
            let request = try await host.begin(puppet, items: [order("progress", attachments: [load.provider])])
            await load.asked.wait()
            try await host.setState(.background)
            try await daemon.clock.advance(by: .seconds(5))
            #expect(try await daemon.control.processes().first?.state == "suspended")
            load.work.completedUnitCount = 50
            // It is looked at twenty times a second, and told when it has changed.
            let seen = load.work.reads
            try await eventually { load.work.reads > seen + 5 }
            try await host.application.fence()
            try await daemon.clock.advance(by: .seconds(1000))
            #expect(!load.work.isCancelled)
            try await host.setState(.active)
            load.answer(Data(count: 7))
            #expect(try items(of: await request.outcome).first?.userInfo?["bytes"] as? Int == 7)
            load.release()
        }
    }

    // spec: G3, P-551
    @Test(arguments: [("posix", "POSIX WRITE"), ("flock", "FLOCK WRITE"), ("ofd", "OFDLCK WRITE")])
    func aLockHeldInASharedContainerEndsTheProcessAndIsNamed(kind: String, name: String) async throws {
        let bundles = try TestBundles.withPuppetInGroup()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let group = try sharedFolder(of: daemon)
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin(puppet, items: [order("lock", "\(kind):\(group)/store.db")])
            try await eventually { output.text.contains("locked\n") }
            try await host.setState(.background)
            try await daemon.clock.advance(by: .seconds(5))
            #expect(await request.outcome.cause == .lockHeldAtSuspension)
            let why = try #require(await request.explanation)
            #expect(why.message.contains("\(name) on \(group)/store.db"))
            #expect(await request.exit?.record.cause == .lockHeldAtSuspension)
            let death = try #require(try await daemon.control.exits().last)
            #expect(death.exit.cause == .lockHeldAtSuspension && death.decidedBy == "daemon")
            #expect(try await daemon.events().contains { $0.cause == .lockHeldAtSuspension && $0.host == host.name })
        }
    }

    /// Its view of the file system has the folder under the name with the link, and everybody else's without.
    @Test func aLockIsNamedByTheFilesRealPathWhereTheContainersLieBehindALink() async throws {
        let bundles = try TestBundles.withPuppetInGroup()
        for folder in ["run", "real"] {
            try FileManager.default.createDirectory(
                atPath: "\(bundles.path)/\(folder)", withIntermediateDirectories: false)
        }
        try #require(symlink("real", bundles.path + "/link") == 0)
        let daemon = try await Program.daemon(
            in: bundles.path + "/run", state: bundles.path + "/link",
            ["--applications", bundles.path, "--timer", "suspend=100ms"])
        let output = Output()
        let host = try await HostApplication.connect(
            name: "notes", to: DaemonAddress(path: bundles.path + "/run/exthost/host.sock")
        ) { output.add($0.bytes) }
        let group = "/data/exthost/Containers/Shared/AppGroup/\(testGroup)"
        let request = try await host.begin(
            puppet, items: [order("lock", "posix:\(bundles.path)/link\(group)/store.db")])
        try await eventually { output.text.contains("locked\n") }
        try await host.setState(.background)
        #expect(await request.outcome.cause == .lockHeldAtSuspension)
        let message = try #require(await request.explanation).message
        #expect(message.contains("POSIX WRITE on \(bundles.path)/real\(group)/store.db"), "\(message)")
        try daemon.end()
        _ = try await daemon.ending()
    }

    /// The program cannot be stopped, and what it has started takes the lock when it was told to: after the first look.
    // spec: P-551
    @Test func aLockInTheTreeOfAProgramThatDoesNotStopIsFoundToo() async throws {
        let bundles = try TestBundles()
        try bundles.addHostile("locksLate")
        // Where the group is stopped only, a descendant can go on.
        let arguments = ["--tree-kill", "session"]
        try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: arguments) { daemon in
            let group = try sharedFolder(of: daemon)
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.locksLate", items: [order("", "\(group)/store.db")])
            let pid = try #require(request.processIdentifier)
            try await eventually { try state(of: pid) == "D" }
            try await host.setState(.background)
            try await daemon.clock.advance(by: .seconds(5))
            #expect(await request.outcome.cause == .lockHeldAtSuspension)
            #expect((await request.explanation)?.message.contains("FLOCK WRITE on \(group)/store.db") == true)
        }
    }

    /// A group's folder below the shared containers of a private daemon.
    private func sharedFolder(of daemon: TestDaemon) throws -> String {
        let group =
            URL(fileURLWithPath: daemon.address.path).deletingLastPathComponent().path
            + "/Containers/Shared/AppGroup/\(testGroup)"
        try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: true)
        return group
    }

    // spec: P-552
    @Test func aLockElsewhereHarmsNobody() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            // In the extension's own container, which it shares with nobody.
            let own =
                URL(fileURLWithPath: daemon.address.path).deletingLastPathComponent().path
                + "/Containers/Data/PlugIn/\(puppet)/own.db"
            let request = try await host.begin(puppet, items: [order("lock", "posix:\(own)")])
            try await eventually { output.text.contains("locked\n") }
            try await host.setState(.background)
            try await daemon.clock.advance(by: .seconds(5))
            #expect(try await daemon.control.processes().first?.state == "suspended")
            try await request.cancel()
        }
    }

    @Test func aSuspendedExtensionEndsWithItsDaemonInOrder() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")])
            try await host.setState(.background)
            try await daemon.clock.advance(by: .seconds(5))
            try await daemon.stop()
            #expect(await request.outcome.cause == .daemonStopping)
        }
    }
}

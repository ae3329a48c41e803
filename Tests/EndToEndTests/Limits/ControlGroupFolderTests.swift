// ControlGroupFolderTests: no control group stays, however a daemon ends.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import Glibc
import Testing

@Suite(.enabled(if: LimitBackEnds.hasVersion1)) struct ControlGroupFolderTests {
    private static let options = ["--limits-by", "cgroup1", "--limit", "memory=256MiB", "--limit", "tasks=200"]

    @Test func groupsAreThereForAProcessAndGoWithIt() async throws {
        let bundles = try TestBundles.withPuppet()
        let daemon = try await TestDaemon.start(applications: [bundles.path], arguments: Self.options)
        let host = try await daemon.host("notes")
        let request = try await host.begin(puppet, items: [order("hang")])
        let folders = LimitBackEnds.folders(of: daemon.processIdentifier)
        #expect(folders.count == 2)
        let name = "1-\(puppet)-\(request.identifier.description.prefix(8))"
        for folder in folders {
            let members = try String(contentsOfFile: "\(folder)/\(name)/cgroup.procs", encoding: .utf8)
            #expect(members.split(separator: "\n").contains("\(request.processIdentifier ?? 0)"), "\(folder)")
        }
        _ = try await daemon.control.kill(.identifier(puppet))
        _ = await request.exit
        for folder in folders { #expect(!FileManager.default.fileExists(atPath: "\(folder)/\(name)"), "\(folder)") }
        try await daemon.stop()
        #expect(LimitBackEnds.folders(of: daemon.processIdentifier) == [])
    }

    @Test func aKilledDaemonLeavesNone() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: Self.options) { daemon in
            let host = try await daemon.host("notes")
            _ = try await host.begin(puppet, items: [order("hang")])
            #expect(LimitBackEnds.folders(of: daemon.processIdentifier).count == 2)
            #expect(kill(pid_t(daemon.processIdentifier), SIGKILL) == 0)
            try await eventually { LimitBackEnds.folders(of: daemon.processIdentifier) == [] }
        }
    }

    /// Where that had no chance either, the next daemon does it, before its first launch with a limit.
    @Test func theNextDaemonRemovesWhatAnotherHasLeft() async throws {
        // No process has this number: it is above the largest (proc(5), pid_max).
        let left = try #require(LimitBackEnds.own("memory")) + "/exthost-\(5_000_000 + getpid())-1"
        // Another test's daemon may take the outer one away before the inner one is there.
        try await eventually {
            (try? FileManager.default.createDirectory(atPath: left + "/3", withIntermediateDirectories: true)) != nil
        }
        defer {
            rmdir(left + "/3")
            rmdir(left)
        }
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: Self.options) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("nothing")])
            #expect(await request.outcome.kind == .completed)
            try await eventually { !FileManager.default.fileExists(atPath: left) }
        }
    }
}

// CrowdTests: one process that takes all it can get of connections and requests, and what is left for others.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@Suite struct CrowdTests {
    private static let kit = SampleApplications.root + "/Sources/Samples/Python"

    private func crowd(_ what: String, at daemon: TestDaemon) throws -> Program {
        try Program.run(
            "/usr/bin/python3", ["-B", HostilePeer.folder + "/crowd.py", Self.kit, what], socket: daemon.address.path)
    }

    /// The flood goes on for a minute, or until it is interrupted.
    @Test func whoConnectsAndLeavesWithoutAPauseKeepsNobodyWaiting() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=10min"]) { daemon in
            let host = try await daemon.host("notes")
            #expect(await (try await host.begin(puppet, items: [order("count")])).outcome.kind == .completed)
            let flood = try crowd("flood", at: daemon)
            try await flood.shows("flooding")
            for _ in 0..<20 {
                #expect(await (try await host.begin(puppet, items: [order("count")])).outcome.kind == .completed)
            }
            let late = try await daemon.host("late")
            #expect(await (try await late.begin(puppet, items: [order("count")])).outcome.kind == .completed)
            try flood.interrupt()
            #expect(try await flood.ending().output.hasSuffix("interrupted\n"))
            // Whoever has left already is no event.
            #expect(try await daemon.events().allSatisfy { $0.event != EventName.peerRefused.rawValue })
        }
    }

    /// A daemon that has 1,024 descriptors and cannot have more. One process makes connections until it gets none.
    @Test(arguments: [("hosts", "has 128 "), ("strangers", "that have not sent hello")])
    func idleConnectionsLeaveOthersTheirLaunches(what: String, words: String) async throws {
        let bundles = try TestBundles.withPuppet()
        let program = bundles.path + "/daemon"
        try Data("#!/bin/sh\nexec prlimit --nofile=1024:1024 \(SampleApplications.buildFolder)/exthostd \"$@\"\n".utf8)
            .write(to: URL(fileURLWithPath: program))
        try #require(chmod(program, 0o755) == 0)
        try waitForWriters(of: program)
        let daemon = try await TestDaemon.start(program, applications: [bundles.path])
        let crowd = try crowd(what, at: daemon)
        try await crowd.shows("and no more")
        // Another process, and a launch.
        let host = try await daemon.host("notes")
        let request = try await host.begin(puppet, items: [order("count")])
        #expect(await request.outcome.kind == .completed)
        try crowd.interrupt()
        let output = try await crowd.ending().output
        #expect(output.contains(words) && output.contains("which is the limit"), "\(output)")
        try await daemon.stop()
    }

    /// The hosts of one process have a limit together. It leaves room for those of another process of the same user.
    @Test func theHostsOfOneProcessDoNotUseUpTheirUsersQuota() async throws {
        let bundles = try TestBundles.withPuppet()
        let configuration = bundles.path + "/quota.plist"
        try bundles.write(
            ["HostQuota": ["Requests": 3], "ProcessQuota": ["Requests": 5], "UserQuota": ["Requests": 8]],
            to: configuration)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--config", configuration]) { daemon in
            let hosts = [try await daemon.host("one"), try await daemon.host("two")]
            var open: [ExtensionRequest] = []
            for number in 0..<5 { open.append(try await hosts[number % 2].begin(puppet, items: [order("hang")])) }
            let refused = try await hosts[1].begin(puppet, items: [order("count")])
            #expect(await refused.outcome.cause == .quota)
            let why = await refused.explanation
            #expect(why?.message.contains("5 open requests, which is the limit of one process") == true)
            #expect(why?.remedy?.contains("ProcessQuota") == true)
            let arguments = ["run", puppet, "--title", "count", "--force", "--expect", "completed"]
            let other = try await Program.control(arguments, socket: daemon.address.path).ending()
            #expect(other.status == 0, "\(other.output)\(other.errors)")
            try await open[0].cancel()
            #expect(await (try await hosts[1].begin(puppet, items: [order("count")])).outcome.kind == .completed)
        }
    }
}

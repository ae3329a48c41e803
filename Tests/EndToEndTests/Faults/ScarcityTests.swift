// ScarcityTests: a daemon that runs out of descriptors goes on with what it has, says so, and recovers.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct ScarcityTests {
    @Test func connectionsThatTheDaemonHasNoDescriptorsForWaitAndHurtNobody() async throws {
        try await besideAHealthyRequest(try TestBundles.withPuppet()) { daemon in
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.processIdentifier)/fd").count
            let before = try await refusals(daemon).count
            try await limitDescriptors(of: daemon, to: open + 8)
            var strangers: [SharedDescriptor] = []
            for _ in 0..<20 {
                strangers.append(SharedDescriptor(try Socket.connect(to: daemon.address.path).release()))
            }
            // What is connected is served on, and hears of it.
            try await eventually { try await refusals(daemon).count > before }
            strangers = []
            let host = try await daemon.host("late")
            let count = try await refusals(daemon).count
            // The healthy request's process serves this one, too: no launch with so few descriptors.
            let request = try await host.begin(puppet, items: [order("count")])
            #expect(await request.outcome.kind == .completed)
            // It did not turn in circles meanwhile.
            #expect(count < 100 * faultRepetitions)
            try await limitDescriptors(of: daemon, to: 1024)
        }
    }

    @Test(arguments: [true, false])
    func theDaemonTakesAllTheDescriptorsItMayAndExtensionsGetTheUsualNumber(_ isLimited: Bool) async throws {
        let bundles = try TestBundles.withPuppet()
        let arguments = isLimited ? [] : ["--limit", "descriptors=off"]
        try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")])
            let own = try openFiles("self")
            let daemons = try openFiles("\(daemon.processIdentifier)")
            let extensions = try openFiles("\(try #require(request.processIdentifier))")
            #expect(daemons == [own[1], own[1]])
            #expect(extensions == (isLimited ? own.map { "\(min(Int($0) ?? .max, 768))" } : own))
        }
    }

    private func refusals(_ daemon: TestDaemon) async throws -> [EventRecord] {
        try await daemon.events().filter {
            $0.event == EventName.peerRefused.rawValue && $0.detail?.contains("accepted") == true
        }
    }

    private func limitDescriptors(of daemon: TestDaemon, to count: Int) async throws {
        let arguments = ["--pid", "\(daemon.processIdentifier)", "--nofile=\(count):"]
        let ending = try await Program.run("/usr/bin/prlimit", arguments, socket: daemon.address.path).ending()
        try #require(ending.status == 0, "\(ending.errors)")
    }
}

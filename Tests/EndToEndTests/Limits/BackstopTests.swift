// BackstopTests: what an extension is limited to where nobody has set a limit, and that it can be switched off.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import TestPrograms
import Testing

@Suite struct BackstopTests {
    /// The kernel counts tasks in a user namespace of the extension's own, or, for root, in its pid namespace (Linux
    /// 6.14).
    private static let areTasksRefused: Bool = {
        if geteuid() != 0 { return true }
        let release = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? ""
        let numbers = release.split(separator: ".").prefix(2).compactMap { Int($0.prefix { $0.isNumber }) }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= (6, 14)
    }()

    private func started(_ arguments: [String]) async throws -> Int? {
        let bundles = try TestBundles.withPuppet()
        return try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("threads", "1500")])
            return try items(of: await request.outcome).first?.userInfo?["started"] as? Int
        }
    }

    @Test(.enabled(if: areTasksRefused)) func tasksAreRefusedWhereNobodyHasSetALimit() async throws {
        let count = try #require(try await started([]))
        // The init, the program and its own threads are among the 1,024; root's numbers of 300 and less are not given
        // out again.
        #expect(count > 512 && count <= 1324)
    }

    @Test func tasksAreNotRefusedWhereTheLimitIsOff() async throws {
        #expect(try await started(["--limit", "tasks=off"]) == 1500)
    }

    /// A set limit takes the place of the backstop, and is in force by its own means.
    @Test func aSetLimitTakesItsPlace() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--limit", "descriptors=2000"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")])
            #expect(try openFiles("\(try #require(request.processIdentifier))") == ["2000", "2000"])
        }
    }

    /// Seen by looking: no probe, no group; and a certificate names no limit that nobody has set.
    @Test func aBackstopTakesNoProbeAndNoGroup() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")])
            #expect(try await daemon.control.status().limits == "none")
            #expect(LimitBackEnds.folders(of: daemon.processIdentifier) == [])
            try await eventually { LimitBackEnds.wakeUps(of: daemon.processIdentifier) != nil }
            try await request.cancel()
            #expect(await request.exit?.record.memoryLimit == nil)
        }
    }

    @Test func theConfigurationShowsThem() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--limit", "output=off"]) { daemon in
            let ending = try await Program.run(
                SampleApplications.buildFolder + "/exthostctl", ["config", "show"], socket: daemon.address.path
            ).ending()
            let lines = ending.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(lines.contains(["Limits.tasks", "1024", "built", "in"]), "\(ending)")
            #expect(lines.contains(["Limits.output", "off", "--limit"]), "\(ending)")
            let memory = lines.first { $0.first == "Limits.memory" }.flatMap { Int($0[1]) }
            let all = sysconf(Int32(_SC_PHYS_PAGES)) * Int(getpagesize())
            #expect(memory == all / 2)
        }
    }
}

/// The soft and the hard limit of a process.
func openFiles(_ process: String) throws -> [String] {
    let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
    let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
    return line.split(separator: " ").dropFirst(3).prefix(2).map(String.init)
}

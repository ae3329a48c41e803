// CertificateTests: the end of what a process said, whole, however much of it there is.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import TestPrograms
import Testing

@Suite struct CertificateTests {
    private static func words(_ count: Int) -> String {
        String(decoding: (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }, as: UTF8.self)
    }

    @Test(arguments: [0, 1, 30_000, 65_536, 100_000])
    func theLast64KiBOfStandardErrorAreKept(_ count: Int) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("complain", "\(count)")])
            #expect(await request.exit?.record.cause == .crashed)
            let death = try #require(try await daemon.control.exits().last)
            #expect(death.stderrTail.hasSuffix(Self.words(count).suffix(65_536)), "\(death.stderrTail.count)")
            #expect(death.stderrTail.utf8.count <= 65_536)
            #expect(death.requests == [request.identifier] && death.decidedBy == "system")
            // One that travels alone has the last of it.
            let last = try #require(try await daemon.control.status().lastDeath)
            #expect(death.stderrTail.hasSuffix(last.stderrTail) && last.stderrTail.utf8.count <= 4096)
        }
    }

    @Test func manyOfThemComeInPages() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            for count in 0..<70 {
                let request = try await host.begin(puppet, items: [order("complain", "\(count)")])
                _ = await request.exit
            }
            let deaths = try await daemon.control.exits()
            #expect(deaths.count == 70)
            for (count, death) in deaths.enumerated() { #expect(death.stderrTail.hasSuffix(Self.words(count))) }
        }
    }

    /// The kernel writes a core where it may and where its pattern is a file; what systemd-coredump would keep is put
    /// in its place.
    private static let canDump: Bool = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        let pattern = (try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)) ?? "|"
        return limit.rlim_max > 1 << 28 && pattern.trimmingCharacters(in: .whitespacesAndNewlines) == "core"
    }()

    @Test(.enabled(if: canDump)) func aCoreIsNamedOnceItIsThere() async throws {
        let bundles = try TestBundles.withPuppet()
        let folder = bundles.path + "/cores"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try Data(#"[{"userInfo": {"do": "dump"}}]"#.utf8).write(to: URL(fileURLWithPath: bundles.path + "/items.json"))
        let program = try Program.control(
            [
                // By this pattern the core goes to the working directory, which is nothing that a confined extension
                // may write to.
                "with", "--applications", bundles.path, "--sandbox", "none", "--", "sh", "-c",
                """
                exthostctl=$0; $exthostctl run \(puppet) --items '\(bundles.path)/items.json' --wait-exit -q
                $exthostctl exits --json
                boot=$(tr -d - < /proc/sys/kernel/random/boot_id)
                pid=$($exthostctl exits --json | sed 's/.*"pid": \\([0-9]*\\).*/\\1/')
                touch "$EXTHOST_COREDUMPS/core.puppet.0.$boot.$pid.$(($(date +%s) + 1))000000.zst"
                $exthostctl exits --json; $exthostctl exits
                """, SampleApplications.buildFolder + "/exthostctl",
            ], environment: ["EXTHOST_COREDUMPS": folder])
        let ending = try await program.ending()
        let lines = ending.output.split(separator: "\n").filter { $0.hasPrefix("[{") }
        try #require(lines.count == 2, "\(ending)")
        #expect(!lines[0].contains("coreDump") && lines[1].contains(#""coreDump": "core.puppet.0."#), "\(ending)")
        #expect(ending.output.split(separator: "\n").last?.contains("core.puppet.0.") == true, "\(ending)")
    }

    @Test func nobodyIsSaidToHaveReachedALimitWhoHasNot() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(
            applications: [bundles.path], arguments: ["--limit", "memory=512MiB", "--limit", "cpu=10min"]
        ) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("crash")])
            let exit = try #require(await request.exit?.record)
            #expect(
                exit.cause == .crashed && exit.reached == nil && exit.memoryLimit == 512 << 20 && exit.coreDump == nil)
        }
    }
}

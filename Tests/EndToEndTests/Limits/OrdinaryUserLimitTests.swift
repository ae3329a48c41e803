// OrdinaryUserLimitTests: limits for a user who may make no control groups.

import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

/// Only root can become somebody else; for others every test of limits is this one.
@Suite(.enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0)) struct OrdinaryUserLimitTests {
    @Test(arguments: [
        ("fill", "200", "memoryLimit", "memory: 67108864 bytes"), ("burn", "", "cpuLimit", "cpu: 1.0 s"),
        ("threads", "60", "completed", "tasks: 24 tasks"), ("open", "100", "completed", "descriptors: 40 descriptors"),
    ])
    func limitsActWithoutRightsToo(_ act: String, _ argument: String, _ cause: String, _ limit: String) async throws {
        // What root has built need not be another's to read.
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        // By another process: a child that another test forks meanwhile would hold a copy made here open for writing.
        let programs = ["exthostd", "exthostctl", "exthost-init"].map { SampleApplications.buildFolder + "/" + $0 }
        #expect(try await Program.run("/bin/cp", programs + [folder.path], socket: "").ending().status == 0)
        // libdispatch ends a program that has no descriptor left while work waits for a thread.
        let bundles = try TestBundles.withPuppet(act == "open" ? .python : .swift)
        chmod(bundles.path, 0o755)
        chmod(folder.path, 0o755)
        let items = folder.path + "/items.json"
        try Data(#"[{"userInfo": {"do": "\#(act)", "argument": "\#(argument)"}}]"#.utf8).write(
            to: URL(fileURLWithPath: items))
        chmod(items, 0o644)
        let control = folder.path + "/exthostctl"
        let run = try Program.run(
            "/usr/bin/setpriv",
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", "env", "-u", "EXTHOSTD", "-u", "EXTHOST_INIT",
                "HOME=/",
                control,
                // Idle for its usual time: the last look comes in it.
                "with", "--applications", bundles.path, "--limit", "memory=64MiB", "--limit", "cpu=1s",
                "--limit",
                "tasks=24", "--limit", "descriptors=40", "--", "sh", "-c",
                """
                '\(control)' run \(puppet) --items '\(items)' --json -q --wait-exit; '\(control)' status
                for i in $(seq 300); do '\(control)' watch --since 0 --no-follow --json | grep -m1 limit.reached && break; sleep 0.1; done
                """,
            ], socket: "")
        let ending = try await run.ending()
        #expect(ending.output.contains(#""cause": "\#(cause)""#), "\(ending)")
        #expect(ending.output.contains("memory:poll,cpu:rlimit,tasks:rlimit,descriptors:rlimit,output"), "\(ending)")
        #expect(ending.output.contains(limit), "\(ending)")
        if act == "threads" || act == "open" {
            // Refused, not only counted.
            let name = act == "open" ? #""opened": "# : #""started": "#
            let number = ending.output.components(separatedBy: name).last.flatMap { Int($0.prefix { $0.isNumber }) }
            #expect(try #require(number) < 40, "\(ending)")
        }
    }

    /// The kernel counts all tasks of the user there, and the machine has only so many: 32,000 processes were too many
    /// for it.
    @Test func underAGuardianTheBackstopRefusesTasks() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let programs = ["exthostd", "exthostctl", "exthost-init"].map { SampleApplications.buildFolder + "/" + $0 }
        #expect(try await Program.run("/bin/cp", programs + [folder.path], socket: "").ending().status == 0)
        let bundles = try TestBundles.withPuppet()
        let items = folder.path + "/items.json"
        try Data(#"[{"userInfo": {"do": "threads", "argument": "3000"}}]"#.utf8).write(to: URL(fileURLWithPath: items))
        for path in [bundles.path, folder.path, items] { chmod(path, 0o755) }
        // A user of its own: what others start meanwhile counts, too.
        let ending = try await Program.run(
            "/usr/bin/setpriv",
            [
                "--reuid=65527", "--regid=65527", "--clear-groups", "env", "-u", "EXTHOSTD", "-u", "EXTHOST_INIT",
                "HOME=/",
                folder.path + "/exthostctl", "with", "--applications", bundles.path, "--tree-kill", "guardian", "--",
                folder.path + "/exthostctl", "run", puppet, "--items", items, "--json", "-q",
            ], socket: ""
        ).ending()
        let number = ending.output.components(separatedBy: #""started": "#).last.flatMap {
            Int($0.prefix { $0.isNumber })
        }
        #expect(try #require(number, "\(ending)") < 1100, "\(ending)")
        #expect(number ?? 0 > 512, "\(ending)")
    }
}

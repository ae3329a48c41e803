// RefusalRecordTests: what a confined extension was refused is told to its author, wherever the author looks.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import TestPrograms
import Testing

/// What is tried, what it is called, and what helps.
private struct Row: Sendable {
    let kind: String
    let call: String
    let about: String
    var allowance: String?
    let remedy: String
}

private let network = "com.apple.security.network.client = true"
private let rows = [
    Row(kind: "network", call: "socket", about: "AF_INET SOCK_STREAM", allowance: network, remedy: "entitlements"),
    Row(kind: "socket", call: "socket", about: "AF_UNIX SOCK_DGRAM", remedy: "stream or packet sockets"),
    Row(kind: "tracing", call: "ptrace", about: "16 1", remedy: "--wait-for-debugger"),
    Row(kind: "mount", call: "mount", about: "/tmp", remedy: "do it in the app"),
    Row(kind: "namespace", call: "unshare", about: "flags 0x10000000", remedy: "do it in the app"),
    Row(kind: "keyring", call: "keyctl", about: "", remedy: "do it in the app"),
    Row(kind: "kernel", call: "bpf", about: "", remedy: "do it in the app"),
    Row(kind: "clock", call: "clock_settime", about: "", remedy: "do it in the app"),
    Row(kind: "priority", call: "setpriority", about: "0 1", remedy: "who = 0"),
    Row(kind: "terminal", call: "ioctl", about: "request 0x5412", remedy: "the extension's log"),
    Row(kind: "program", call: "personality", about: "", remedy: "do it in the app"),
    Row(kind: "metadata", call: "name_to_handle_at", about: "/usr", remedy: "files of the container"),
]

@Suite(.disabled(if: isSanitized, "a sanitizer has threads and calls of its own")) struct RefusalRecordTests {
    private func tells(_ daemon: TestDaemon) async throws -> Bool {
        try await daemon.control.status().sandbox == "namespaces,landlock:7,seccomp"
    }

    private func order(_ kinds: [String], _ argument: String = "", in bundles: TestBundles) throws -> String {
        let path = bundles.path + "/order.json"
        let order = [["userInfo": ["do": kinds.joined(separator: ","), "argument": argument]]]
        try JSONSerialization.data(withJSONObject: order).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func eachKindIsToldInTheOutcomeTheLogAndTheEvents() async throws {
        let bundles = try TestBundles.withRefused()
        let path = try order(rows.map(\.kind), in: bundles)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=1ms"]) { daemon in
            guard try await tells(daemon) else { return }
            let report = try await json(["run", refused, "--items", path], daemon)
            let outcomes = (report["items"] as? [[String: Any]])?.first?["userInfo"] as? [String: String]
            #expect(outcomes == Dictionary(uniqueKeysWithValues: rows.map { ($0.kind, "EPERM") }))
            let told = try #require(report["refusals"] as? [[String: Any]])
            let request = try #require(report["request"] as? String)
            let lines = try await jsonLines(["logs", String(request.prefix(8))], daemon).filter {
                $0["stream"] as? String == "sandbox"
            }
            let events = try await daemon.events().filter { $0.event == "access.refused" }
            for row in rows {
                let found = try #require(told.first { $0["kind"] as? String == row.kind }, "\(row.kind)")
                #expect(found["layer"] as? String == "seccomp" && found["call"] as? String == row.call, "\(found)")
                #expect(
                    found["about"] as? String == row.about && found["allowance"] as? String == row.allowance, "\(found)"
                )
                #expect((found["remedy"] as? String)?.contains(row.remedy) == true, "\(found)")
                let start = "seccomp refused \(row.call)" + (row.about.isEmpty ? ":" : " (\(row.about)):")
                #expect(lines.contains { ($0["text"] as? String)?.hasPrefix(start) == true }, "\(start)")
                let event = try #require(events.first { $0.detail?.hasPrefix(start) == true }, "\(start)")
                #expect(event.request?.description == request && event.pid == report["pid"] as? Int)
            }
            #expect(told.count == rows.count && lines.count == rows.count && events.count == rows.count)
        }
    }

    @Test func peopleReadThemBelowTheOutcome() async throws {
        let bundles = try TestBundles.withRefused()
        let path = try order(["network", "mount"], in: bundles)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=1h"]) { daemon in
            guard try await tells(daemon) else { return }
            let output = try await control(["run", refused, "--items", path], daemon).output
            let line =
                "  refused: seccomp refused socket (AF_INET SOCK_STREAM): allowed by \(network) in Entitlements.plist\n"
            #expect(output.contains(line), "\(output)")
            #expect(output.contains("  refused: seccomp refused mount (/tmp): No entitlement allows this"), "\(output)")
            // The process serves on, and each is told once of it.
            #expect(try await !control(["run", refused, "--items", path], daemon).output.contains("refused:"))
        }
    }

    /// It says no hello; what it is refused is known all the same.
    @Test func anExtensionThatEndsEarlyIsToldWhatItWasRefused() async throws {
        let bundles = try TestBundles()
        let script = """
            #!/usr/bin/python3
            import socket
            socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            """
        try bundles.add("curious", script: script)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            guard try await tells(daemon) else { return }
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.curious", items: [.text("x")])
            #expect(await request.outcome.cause == .exitedEarly)
            #expect(await request.refusals.map(\.allowance) == [network])
        }
    }

    /// Without a view it is the filter that keeps from what other processes share.
    @Test func withoutAViewSharedObjectsAreToldToo() async throws {
        let bundles = try TestBundles.withRefused()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--tree-kill", "guardian"]) { daemon in
            guard try await daemon.control.status().sandbox.contains("seccomp") else { return }
            let host = try await daemon.host("notes")
            let request = try await host.begin(refused, items: [EndToEndTests.order("sharedObject")])
            #expect(try items(of: await request.outcome).first?.userInfo?["sharedObject"] as? String == "EPERM")
            #expect(await request.refusals.map(\.kind) == ["sharedObject"])
        }
    }

    @Test func anAuthorIsToldOfPathsToo() async throws {
        let bundles = try TestBundles.withRefused()
        let secret = bundles.path + "/secret"
        try Data("secret".utf8).write(to: URL(fileURLWithPath: secret))
        let extensionPath = bundles.path + "/Tests.app/PlugIns/refused.appex"
        let path = try order(["file"], secret, in: bundles)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            guard try await tells(daemon) else { return }
            // Who names an extension by its path is its author.
            let report = try await json(["run", extensionPath, "--items", path, "--force"], daemon)
            let told = try #require(report["refusals"] as? [[String: Any]], "\(report)")
            let found = try #require(told.first { $0["about"] as? String == secret }, "\(told)")
            #expect(found["kind"] as? String == "file" && found["layer"] as? String == "namespaces", "\(told)")
            #expect((found["remedy"] as? String)?.contains("com.apple.security.application-groups") == true)
            #expect(found["allowance"] is NSNull && told.count < 3, "\(told)")
            // Of an installed one nobody has asked.
            #expect(try await json(["run", refused, "--items", path], daemon)["refusals"] == nil)
            // A group that it does not hold: the line that would give it.
            let group = try #require(daemon.groupContainers) + "/group.org.exthost.tests"
            try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: group + "/shared"))
            let shared = try order(["file"], group + "/shared", in: bundles)
            let other = try await json(["run", extensionPath, "--items", shared, "--force"], daemon)
            let lines = (other["refusals"] as? [[String: Any]])?.compactMap { $0["allowance"] as? String }
            #expect(lines == [#"com.apple.security.application-groups = ["group.org.exthost.tests"]"#], "\(other)")
        }
    }

    /// A file system is asked on a thread whether a path exists that nobody has looked up yet. The extension answers,
    /// or ends, long before it has answered thirty times; the end of the request names the refusals all the same.
    @Test(arguments: ["thirty", "thirty,leave"], [TestDaemon.ClockKind.real, .virtual])
    func whatIsLookedUpOnAThreadBelongsToTheEndOfTheRequestToo(acts: String, clock: TestDaemon.ClockKind) async throws {
        let bundles = try TestBundles.withRefused()
        let folder = bundles.path + "/outside"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try Data().write(to: URL(fileURLWithPath: folder + "/secret"))
        // The first use of a link changes its times, so the kernel does not answer from memory (RESOLVE_CACHED,
        // openat2(2)).
        for number in 0..<30 {
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(number)", withDestinationPath: ".")
        }
        let extensionPath = bundles.path + "/Tests.app/PlugIns/refused.appex"
        let path = try order([acts], folder, in: bundles)
        try await withTestDaemon(applications: [bundles.path], clock: clock) { daemon in
            guard try await tells(daemon) else { return }
            let report = try await json(["run", extensionPath, "--items", path, "--force"], daemon)
            #expect(report["outcome"] as? String == (acts == "thirty" ? "completed" : "interrupted"), "\(report)")
            // As many as are shown.
            #expect((report["refusals"] as? [[String: Any]])?.count == 16, "\(report)")
            let request = try #require(report["request"] as? String)
            let events = try await daemon.events()
            let refused = events.filter { $0.event == "access.refused" && $0.detail?.contains(folder + "/") == true }
            #expect(
                refused.count == 30 && refused.allSatisfy { $0.request?.description == request }, "\(refused.count)")
        }
    }
}

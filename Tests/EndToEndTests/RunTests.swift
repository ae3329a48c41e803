// RunTests: what a user may do to a running `run`, and the forms of files that it shares.

import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@Suite struct RunTests {
    /// An items file that gives the puppet its order.
    private func write(_ act: String, _ argument: String, to bundles: TestBundles) throws -> String {
        let path = bundles.path + "/order.json"
        try Data(#"[{"userInfo": {"do": "\#(act)", "argument": "\#(argument)"}}]"#.utf8).write(
            to: URL(fileURLWithPath: path))
        return path
    }

    @Test func interruptingTheWaitForTheExitPrintsTheOutcomeThatIsKnownAndEndsWith130() async throws {
        let bundles = try TestBundles.withPuppet()
        let items = try write("handler", "ignore", to: bundles)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "postComplete=5min"]) { daemon in
            let program = try Program.control(
                ["run", puppet, "--items", items, "--wait-exit", "--json"], socket: daemon.address.path)
            // An interruption that comes before the outcome is known to it finds a request that cannot be cancelled any
            // more.
            try await daemon.event { $0.event == "request.completed" }
            try program.interrupt()
            let ending = try await program.ending()
            #expect(ending.status == 130)
            #expect(
                ending.output.contains(#""outcome": "completed""#) && ending.output.contains(#""exit": null"#),
                "\(ending)")
            _ = try await control(["kill", puppet], daemon)
        }
    }

    @Test func interruptingAPrivateDaemonsRunCancelsAndLeavesNoDaemon() async throws {
        let program = try Program.control(
            ["--ephemeral", "run", "org.exthost.samples.hang", "--text", "x", "--expect", "cancelled"],
            environment: ["EXTHOST_APPLICATIONS": try samples()])
        try await program.shows("this sample never completes")
        try program.interrupt()
        let ending = try await program.ending()
        #expect(ending.status == 130 && ending.output.hasPrefix("cancelled (cancelledByHost)"), "\(ending)")
    }

    /// No other daemon can go on with the request of a run: the run ends as if there were no daemon, by its own
    /// decision and not by a time limit.
    @Test func aPrivateDaemonThatIsKilledEndsItsRunAndLeavesNoFolder() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-run-tests")
        defer { try? folder.remove() }
        for initProgram in [SampleApplications.buildFolder + "/exthost-init", "/nonexistent/exthost-init"] {
            let program = try Program.control(
                ["--ephemeral", "run", "org.exthost.samples.hang", "--text", "x"],
                environment: [
                    "EXTHOST_APPLICATIONS": try samples(), "TMPDIR": folder.path, "EXTHOST_INIT": initProgram,
                    "EXTHOST_SANDBOX": "none",
                ])
            try await program.shows("this sample never completes")
            let daemon = try #require(
                try await Program.run("/usr/bin/pgrep", ["-P", "\(program.pid)", "exthostd"], socket: "").ending()
                    .output
                    .split(separator: "\n").first.flatMap { pid_t($0) })
            try #require(kill(daemon, SIGKILL) == 0)
            let ending = try await program.ending()
            #expect(ending.status == 69 && ending.output.hasPrefix("interrupted (connectionLost)"), "\(ending)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test func aHostsNameIsTheOneGivenAndMadeUniqueWhereItIsTaken() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let host = try await daemon.host("notes")
            let ending = try await control(
                ["run", "org.exthost.samples.share", "--url", "https://a.b", "--host", "notes"], daemon)
            #expect(ending.status == 0)
            #expect(try await daemon.events().contains { $0.event == "request.completed" && $0.host == "notes-2" })
            host.disconnect()
        }
    }

    @Test func filesAreSharedByTheirTypeAndAddressAndAnItemsFileNamesThemFromItsOwnFolder() async throws {
        let bundles = try TestBundles.withPuppet()
        let order = try write("return", "", to: bundles)
        let picture = bundles.path + "/picture.png"
        try Data([1, 2]).write(to: URL(fileURLWithPath: picture))
        let items = bundles.path + "/items.json"
        try Data(#"[{"attachments": [{"values": {"public.png": {"file": "picture.png"}}}]}]"#.utf8)
            .write(to: URL(fileURLWithPath: items))
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let report = try await json(
                ["run", puppet, "--items", order, "--file", picture, "--url", "file://\(picture)", "--items", items],
                daemon)
            let attachments = try #require(report["items"] as? [[String: Any]]).compactMap {
                $0["attachments"] as? [[String: Any]]
            }
            let values = attachments.map { $0.map { $0["values"] as? [String: String] } }
            let address = "file://\(picture)"
            #expect(
                values == [
                    [], [["public.png": address, "public.file-url": address], ["public.file-url": address]],
                    [["public.png": address]],
                ])
        }
    }

    @Test(arguments: [["--release"], ["--setting", "A=1"], ["--output", "/tmp"], ["--extension", "Share"]])
    func whatIsOfAFolderOfSourcesIsRefusedElsewhere(_ options: [String]) async throws {
        let ending = try await Program.control(
            ["run", "org.example.app.share", "--text", "x"] + options, socket: "/nowhere"
        ).ending()
        #expect(ending.status == 64, "\(ending)")
        #expect(
            ending.errors.contains("\(options[0]) needs a folder of sources, and org.example.app.share is not"),
            "\(ending)")
    }
}

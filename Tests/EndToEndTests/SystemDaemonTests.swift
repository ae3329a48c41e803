// SystemDaemonTests: the system's daemon: whose rights extensions have, who sees and orders what, and what is run for
// nobody.

import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

/// Only root can serve other users. These have no accounts, which none needs; nobody else starts their processes.
@Suite(
    .enabled(
        if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0, "the system's daemon takes root, and setpriv"),
    .disabled(if: isSanitized, "a sanitizer has threads and calls of its own"))
struct SystemDaemonTests {
    private static let ann = 65_533
    private static let ben = 65_532

    /// A daemon of its own folders, whose socket everybody may use.
    private final class Stage: Sendable {
        private let folder: TemporaryDirectory
        private let bundles: TestBundles
        private let daemon: Program
        var socket: String { folder.path + "/run/host.sock" }
        var containers: String { folder.path + "/state/Containers" }
        var bundle: String { bundles.path + "/Tests.app/PlugIns/puppet.appex" }
        private var control: String { folder.path + "/exthostctl" }

        init(_ arguments: [String] = []) async throws {
            folder = try TemporaryDirectory(prefix: "exthost-tests")
            bundles = try TestBundles.withPuppet()
            for path in [folder.path, bundles.path] { chmod(path, 0o755) }
            for name in ["run", "state"] { mkdir("\(folder.path)/\(name)", 0o711) }
            // What root has built need not be another's to read.
            let copy = try Program.run(
                "/bin/cp", [SampleApplications.buildFolder + "/exthostctl", folder.path], socket: "")
            try #require(try await copy.ending().status == 0)
            daemon = try await Program.systemDaemon(
                runtime: folder.path + "/run", state: folder.path + "/state",
                ["--applications", bundles.path] + arguments)
            chmod(socket, 0o666)
        }

        func end() async throws {
            try daemon.end()
            _ = try await daemon.ending()
            try folder.remove()
        }

        /// A verb as that user; 0: as root.
        func start(_ arguments: [String], as user: Int, groups: String? = nil) throws -> Program {
            let list = groups.map { ["--groups=\($0)"] } ?? ["--clear-groups"]
            return try Program.run(
                "/usr/bin/setpriv", ["--reuid=\(user)", "--regid=\(user)"] + list + [control] + arguments,
                socket: socket,
                environment: ["HOME": "/"])
        }

        func run(_ arguments: [String], as user: Int, groups: String? = nil) async throws -> Program.Ending {
            try await start(arguments, as: user, groups: groups).ending()
        }

        func items(_ act: String, _ argument: String = "") throws -> String {
            let path = folder.path + "/\(act).json"
            try Data(#"[{"userInfo": {"do": "\#(act)", "argument": "\#(argument)"}}]"#.utf8).write(
                to: URL(fileURLWithPath: path))
            chmod(path, 0o644)
            return path
        }
    }

    private func withStage(_ arguments: [String] = [], _ body: (Stage) async throws -> Void) async throws {
        let stage = try await Stage(arguments)
        try await body(stage)
        try await stage.end()
    }

    private func list(_ ending: Program.Ending) throws -> [[String: Any]] {
        try #require(try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [[String: Any]], "\(ending)")
    }

    private func document(_ ending: Program.Ending) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any], "\(ending)")
    }

    /// Of `/proc/PID/status`.
    private func words(_ name: String, of pid: Int) throws -> [String] {
        let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
        return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().map(String.init)
    }

    /// A request that hangs, and its process.
    private func hang(_ stage: Stage, as user: Int, groups: String? = nil) async throws -> (
        host: Program, request: String, pid: Int
    ) {
        let program = try stage.start(
            ["run", puppet, "--items", try stage.items("hang"), "--host", "notes", "--json"], as: user, groups: groups)
        var found: (String, Int)?
        try await eventually {
            let requests = try self.list(try await stage.run(["requests", "--json"], as: user))
            guard let record = requests.first, record["state"] as? String == "active",
                let request = record["request"] as? String, let pid = record["pid"] as? Int
            else { return false }
            found = (request, pid)
            return true
        }
        let (request, pid) = try #require(found)
        return (program, request, pid)
    }

    @Test func anExtensionHasItsHostsRightsAndNoOthers() async throws {
        try await withStage { stage in
            let (host, request, pid) = try await hang(stage, as: Self.ann, groups: "65530,65531")
            #expect(try words("Uid", of: pid) == Array(repeating: "65533", count: 4))
            #expect(try words("Gid", of: pid) == Array(repeating: "65533", count: 4))
            #expect(try words("Groups", of: pid) == ["65530", "65531"])
            for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
                #expect(try words(set, of: pid) == ["0000000000000000"], "\(set)")
            }
            let own = "\(stage.containers)/65533"
            var status = stat()
            for path in [own, "\(own)/Data/PlugIn/\(puppet)", "\(own)/Data/PlugIn/\(puppet)/tmp"] {
                #expect(
                    stat(path, &status) == 0 && status.st_uid == 65_533 && status.st_mode & 0o7777 == 0o700, "\(path)")
            }
            #expect(try await stage.run(["cancel", request], as: Self.ann).status == 0)
            #expect(try await host.ending().status == 10)
        }
    }

    @Test func processesAreNotSharedBetweenUsers() async throws {
        try await withStage(["--timer", "idle=1h"]) { stage in
            let items = try stage.items("count")
            var pids: [Int] = []
            for user in [Self.ann, Self.ben, Self.ann] {
                let ending = try await stage.run(["run", puppet, "--items", items, "--json"], as: user)
                #expect(ending.status == 0, "\(ending)")
                pids.append(try #require(try document(ending)["pid"] as? Int))
            }
            #expect(pids[0] == pids[2] && pids[0] != pids[1])
            // The same user in another group is another matter.
            let ending = try await stage.run(
                ["run", puppet, "--items", items, "--json"], as: Self.ann, groups: "65530")
            #expect(try document(ending)["pid"] as? Int != pids[0])
        }
    }

    /// Each user's are kept waiting for that user, with that user's rights.
    @Test func aProcessThatWaitsIsGivenToItsOwnUserOnly() async throws {
        let points = try TestBundles()
        let arguments = try PrewarmingStage.points(1, in: points, "com.apple.share-services")
        try await withStage(arguments) { stage in
            let items = try stage.items("count")
            func use(_ user: Int, groups: String? = nil) async throws -> Int {
                let ending = try await stage.run(["run", puppet, "--items", items, "--json"], as: user, groups: groups)
                #expect(ending.status == 0, "\(ending)")
                return try #require(try document(ending)["pid"] as? Int)
            }
            func waiting(_ user: Int) async throws -> Int {
                var pids: [Int] = []
                try await eventually {
                    let all = try list(try await stage.run(["ps", "--json"], as: user))
                    pids = all.filter { $0["state"] as? String == "prewarmed" }.compactMap { $0["pid"] as? Int }
                    return pids.count == 1
                }
                return pids[0]
            }
            _ = try await use(Self.ann)
            let anns = try await waiting(Self.ann)
            #expect(try words("Uid", of: anns) == Array(repeating: "65533", count: 4))
            #expect(try list(try await stage.run(["ps", "--json"], as: Self.ben)).isEmpty)
            #expect(try await use(Self.ben) != anns)
            let bens = try await waiting(Self.ben)
            #expect(try words("Uid", of: bens) == Array(repeating: "65532", count: 4))
            // Nor to the same user with other groups.
            #expect(try await use(Self.ann, groups: "65530") != anns)
            #expect(try await use(Self.ben) == bens)
            #expect(try await use(Self.ann) == anns)
        }
        withExtendedLifetime(points) {}
    }

    @Test func aUserSeesAndOrdersOnlyItsOwn() async throws {
        try await withStage { stage in
            let (host, request, pid) = try await hang(stage, as: Self.ann)
            for verb in ["ps", "requests", "hosts", "exits"] {
                #expect(try list(try await stage.run([verb, "--json"], as: Self.ben)).isEmpty, "\(verb)")
            }
            let status = try document(try await stage.run(["status", "--json"], as: Self.ben))
            #expect(status["processes"] as? Int == 0 && status["requests"] as? Int == 0 && status["hosts"] as? Int == 0)
            let watched = try await stage.run(["watch", "--since", "0", "--no-follow", "--json"], as: Self.ben).output
            #expect(
                !watched.contains(request) && !watched.contains("\"pid\": \(pid)") && !watched.contains("65533/"),
                "\(watched)")
            #expect(watched.contains("daemon.started"))
            #expect(try await stage.run(["cancel", request], as: Self.ben).status == 66)
            #expect(try await stage.run(["kill", puppet], as: Self.ben).status == 66)
            #expect(try await stage.run(["logs", request], as: Self.ben).status == 66)
            #expect(try await stage.run(["logs", puppet], as: Self.ben).output.isEmpty)
            #expect(try await stage.run(["host", "state", "65533/notes", "background"], as: Self.ben).status == 66)
            for verb in [["elect", "ignore", puppet], ["add", stage.bundle], ["remove", stage.bundle], ["stats"]] {
                #expect(try await stage.run(verb, as: Self.ben).status == 77, "\(verb)")
            }

            let hosts = try list(try await stage.run(["hosts", "--json"], as: 0))
            #expect(hosts.contains { $0["host"] as? String == "65533/notes" }, "\(hosts)")
            #expect(try list(try await stage.run(["ps", "--json"], as: 0)).count == 1)
            #expect(
                try await stage.run(["watch", "--since", "0", "--no-follow", "--json"], as: 0).output.contains(request))
            #expect(try await stage.run(["logs", puppet], as: Self.ann).output.contains("hanging"))
            #expect(try await stage.run(["logs", "65533/\(puppet)"], as: 0).output.contains("hanging"))
            #expect(try await stage.run(["stats"], as: 0).status == 0)
            #expect(try await stage.run(["kill", puppet], as: Self.ann).status == 0)
            #expect(try await host.ending().status == 11)
            #expect(try list(try await stage.run(["exits", "--json"], as: Self.ann)).count == 1)
            #expect(try list(try await stage.run(["exits", "--json"], as: Self.ben)).isEmpty)
            let calm = try document(try await stage.run(["status", "--json"], as: Self.ben))
            #expect(calm["lastDeath"] is NSNull, "\(calm)")
        }
    }

    @Test func rootHasNoExtensionRunThere() async throws {
        try await withStage { stage in
            let ending = try await stage.run(["run", puppet, "--items", try stage.items("count"), "--json"], as: 0)
            #expect(ending.status == 13, "\(ending)")
            #expect(try document(ending)["cause"] as? String == "notPermitted")
        }
    }

    /// Each is what another than root could use to run something as somebody else.
    @Test(arguments: ["chmod o+w $B", "chmod g+w $B/Info.plist", "chown 65532 $B/..", "chown 65532 $B/puppet"])
    func whatOthersCouldChangeIsRunForNobody(_ change: String) async throws {
        try await withStage { stage in
            let items = try stage.items("count")
            #expect(try await stage.run(["run", puppet, "--items", items], as: Self.ann).status == 0)
            // A program that is linked into the bundle is everybody's in these tests: that of the bundle alone is
            // changed.
            let script = "cp $B/puppet $B/own && mv $B/own $B/puppet && \(change) && touch $B/.. && touch $B"
            #expect(
                try await Program.run("/bin/sh", ["-c", script], socket: "", environment: ["B": stage.bundle]).ending()
                    .status
                    == 0)
            let ending = try await stage.run(["run", puppet, "--items", items, "--json"], as: Self.ann)
            #expect(ending.status == 13, "\(ending)")
            try await eventually {
                try await stage.run(["list", "-A", "-D", "-v"], as: Self.ann).output.contains(
                    "Only root may have the right")
            }
        }
    }

    @Test func aConnectionBringsNothingAlong() async throws {
        try await withStage { stage in
            for user in [Self.ann, 0] {
                let ending = try await stage.run(["run", stage.bundle, "--items", try stage.items("count")], as: user)
                #expect(
                    ending.status == 13
                        && ending.errors.contains(user == 0 ? "none that a connection" : "may not register"),
                    "\(ending)")
            }
        }
    }

    /// One user's failures are not another's.
    @Test func aBreakerIsItsUsersOwn() async throws {
        try await withStage(["--breaker", "2"]) { stage in
            let crash = try stage.items("crash")
            // A try after the pause, which a busy machine may let run out, makes the next one longer.
            var endings: [Int32] = []
            repeat {
                endings.append(
                    try await stage.run(["run", puppet, "--items", crash, "--wait-exit"], as: Self.ann).status ?? -1)
            } while endings.last == 11 && endings.count < 10
            #expect(endings.count > 2 && endings.last == 13, "\(endings)")
            let count = try stage.items("count")
            #expect(try await stage.run(["run", puppet, "--items", count], as: Self.ben).status == 0)
            #expect(try await stage.run(["reset", puppet], as: Self.ann).status == 0)
            #expect(try await stage.run(["run", puppet, "--items", count], as: Self.ann).status == 0)
        }
    }

    /// Held by a lock of its user's shared defaults, which root's daemon has no right to by itself.
    @Test func aUsersContainersAreMadeWithItsRights() async throws {
        try await withStage { stage in
            // A link in the place of its folder is not followed.
            mkdir(stage.containers, 0o711)
            let target = stage.containers + "/../target"
            mkdir(target, 0o777)
            symlink(target, stage.containers + "/65532")
            let ending = try await stage.run(
                ["run", puppet, "--items", try stage.items("count"), "--json"], as: Self.ben)
            #expect(ending.status == 11, "\(ending)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: target).isEmpty)
        }
    }
}

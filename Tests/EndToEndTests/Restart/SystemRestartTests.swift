// SystemRestartTests: the system's daemon is killed and followed by another: what runs for a user is still that user's,
// and nobody else's.

import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

/// Only root can serve other users. These have no accounts, which none needs; nobody else starts their processes.
@Suite(
    .serialized,
    .enabled(
        if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0, "the system's daemon takes root, and setpriv"),
    .disabled(if: isSanitized, "a sanitizer has threads and calls of its own"))
struct SystemRestartTests {
    private static let ann = 65_529
    private static let ben = 65_528

    private struct Stage {
        let manager: StandInManager
        private let control: String

        init(_ manager: StandInManager) async throws {
            self.manager = manager
            control = manager.folder.path + "/exthostctl"
            // What root has built need not be another's to read.
            let source = SampleApplications.buildFolder + "/exthostctl"
            try #require(
                try await Program.run("/bin/cp", [source, manager.folder.path], socket: "").ending().status == 0)
        }

        /// As that user; 0: as root.
        func start(_ program: [String], as user: Int, groups: String? = nil) throws -> Program {
            let list = groups.map { ["--groups=\($0)"] } ?? ["--clear-groups"]
            return try Program.run(
                "/usr/bin/setpriv", ["--reuid=\(user)", "--regid=\(user)"] + list + program,
                socket: manager.address.path,
                environment: ["HOME": "/"])
        }

        func control(_ arguments: [String], as user: Int, groups: String? = nil) throws -> Program {
            try start([control] + arguments, as: user, groups: groups)
        }

        func run(_ arguments: [String], as user: Int) async throws -> Program.Ending {
            try await control(arguments, as: user).ending()
        }

        func list(_ verb: String, as user: Int) async throws -> [[String: Any]] {
            let ending = try await run([verb, "--json"], as: user)
            return try #require(
                try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [[String: Any]], "\(ending)")
        }

        /// A request that hangs, and its process.
        func hang(as user: Int, groups: String? = nil) async throws -> (host: Program, request: String, pid: Int) {
            let path = manager.folder.path + "/hang.json"
            try Data(#"[{"userInfo": {"do": "hang"}}]"#.utf8).write(to: URL(fileURLWithPath: path))
            chmod(path, 0o644)
            let host = try control(
                ["run", puppet, "--items", path, "--host", "notes", "--json"], as: user, groups: groups)
            var found: (String, Int)?
            try await eventually {
                guard let record = try await list("requests", as: user).first, record["state"] as? String == "active",
                    let request = record["request"] as? String, let pid = record["pid"] as? Int
                else { return false }
                found = (request, pid)
                return true
            }
            let (request, pid) = try #require(found)
            return (host, request, pid)
        }
    }

    private func withStage(_ body: (Stage) async throws -> Void) async throws {
        let bundles = try TestBundles.withPuppet()
        chmod(bundles.path, 0o755)
        try await withRestartingDaemon(bundles: bundles, ["--system"], isSystem: true) { manager in
            let stage = try await Stage(manager)
            try await body(stage)
        }
    }

    private func words(_ name: String, of pid: Int) throws -> [String] {
        let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
        return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().map(String.init)
    }

    @Test func whatRunsIsItsUsersStill() async throws {
        try await withStage { stage in
            let (host, request, pid) = try await stage.hang(as: Self.ann, groups: "65530,65531")
            stage.manager.kill()
            try await eventually { stage.manager.starts == 2 }
            try await eventually {
                try await stage.list("requests", as: Self.ann).first?["request"] as? String == request
            }
            // One that is not back is given nothing new.
            try await eventually { stage.manager.words.contains("connection.resumed \(puppet)") }
            let record = try #require(try await stage.list("requests", as: Self.ann).first)
            #expect(record["pid"] as? Int == pid && record["host"] as? String == "\(Self.ann)/notes", "\(record)")
            #expect(try words("Uid", of: pid) == Array(repeating: "\(Self.ann)", count: 4))
            #expect(try words("Groups", of: pid) == ["65530", "65531"])
            for verb in ["requests", "ps", "hosts"] {
                #expect(try await stage.list(verb, as: Self.ben).isEmpty, "\(verb)")
            }
            let seen = try await stage.run(["watch", "--since", "0", "--no-follow", "--json"], as: Self.ben).output
            #expect(!seen.contains(request) && !seen.contains("\(Self.ann)/"), "\(seen)")
            #expect(try await stage.run(["cancel", request], as: Self.ben).status == 66)
            // The same process serves this user on, and others not.
            let path = stage.manager.folder.path + "/count.json"
            try Data(#"[{"userInfo": {"do": "count"}}]"#.utf8).write(to: URL(fileURLWithPath: path))
            chmod(path, 0o644)
            for (user, groups, isSame) in [
                (Self.ann, "65530,65531", true), (Self.ann, "65530", false), (Self.ben, "65530,65531", false),
            ] {
                let ending = try await stage.control(
                    ["run", puppet, "--items", path, "--json"], as: user, groups: groups
                )
                .ending()
                let answer = try #require(
                    try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any])
                #expect(
                    (answer["pid"] as? Int == pid) == isSame, "\(user) \(groups): \(ending)\n\(stage.manager.words)")
            }
            #expect(try await stage.run(["cancel", request], as: Self.ann).status == 0)
            let ending = try await host.ending()
            #expect(ending.status == 10, "\(ending)")
        }
    }

    /// Whoever has come by the token of another user's host, or has other groups than that had, is refused.
    @Test func aHostOfAnotherUserIsNotTakenForTheOneThatWasThere() async throws {
        try await withStage { stage in
            let (host, request, pid) = try await stage.hang(as: Self.ann, groups: "65530")
            // It stays away for a while.
            #expect(kill(host.pid, SIGSTOP) == 0)
            stage.manager.kill()
            try await eventually { stage.manager.starts == 2 }
            let token = try #require(try hostTokens(stage.manager.folder.path + "/exthost/kept.journal").first)
            // At once: the host is not waited for for long.
            let claimants = try [(Self.ben, "65530"), (Self.ann, "65530,65531"), (Self.ann, "65531")].map {
                user, groups in
                try Program.run(
                    "/usr/bin/env", ["python3", "-c", Self.claimant, token, "\(user)", groups],
                    socket: stage.manager.address.path
                )
            }
            for claimant in claimants {
                let ending = try await claimant.ending()
                #expect(ending.output == "refused\n", "\(ending)\n\(stage.manager.words)")
            }
            try await eventually {
                stage.manager.words.components(separatedBy: "another user, or with other groups").count == 4
            }
            #expect(kill(host.pid, SIGCONT) == 0)
            try await eventually {
                try await stage.list("hosts", as: Self.ann).contains { $0["pid"] as? Int == Int(host.pid) }
            }
            let record = try #require(try await stage.list("requests", as: Self.ann).first)
            #expect(record["request"] as? String == request && record["pid"] as? Int == pid, "\(stage.manager.words)")
            #expect(try await stage.run(["cancel", request], as: Self.ann).status == 0)
            #expect(try await host.ending().status == 10)
        }
    }

    @Test func whoIsKeptForNobodyEnds() async throws {
        try await withStage { stage in
            let (host, _, pid) = try await stage.hang(as: Self.ann)
            stage.manager.stopRestarting()
            stage.manager.kill()
            try await eventually { stage.manager.daemon == 0 && isGone(pid_t(pid)) }
            try host.end()
            _ = try await host.ending()
        }
    }

    /// Becomes that user, says hello with this token, and then whether it was welcomed.
    private static let claimant = """
        import os, plistlib, socket, struct, sys
        os.setgroups([int(group) for group in sys.argv[3].split(",")])
        os.setgid(int(sys.argv[2]))
        os.setuid(int(sys.argv[2]))
        door = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        door.connect(os.environ["EXTHOST_SOCKET"])
        body = plistlib.dumps({"minimum": "1.0", "maximum": "1.1", "role": "host", "name": "notes", "sdk": "python",
            "limits": {"packets": 64, "bytes": 524288}, "resumable": True,
            "resumption": {"token": bytes.fromhex(sys.argv[1]), "received": 1}}, fmt=plistlib.FMT_BINARY)
        door.send(struct.pack("<HHIII", 1, 0, len(body), 1, 0) + body)
        try:
            answer = door.recv(65536)
        except ConnectionResetError:
            answer = b""
        print("welcome" if answer[:2] == b"\\x81\\0" else "refused")
        """

    /// In hexadecimal digits, as the records of hosts have them.
    private func hostTokens(_ journal: String) throws -> [String] {
        var rest = try Data(contentsOf: URL(fileURLWithPath: journal)).dropFirst(8)
        var tokens: [String] = []
        while rest.count > 8 {
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            let record = try PropertyListSerialization.propertyList(
                from: Data(rest.dropFirst(8).prefix(length)), format: nil)
            if let host = record as? [String: Any], host["kind"] as? String == "host",
                let token = host["token"] as? Data
            {
                tokens.append(token.map { String(format: "%02x", $0) }.joined())
            }
            rest = rest.dropFirst(8 + length)
        }
        return tokens
    }
}

// Installation: folders of a daemon of its own for one test, and what `exthostctl doctor` says of them.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

/// Whether this user may have a namespace of mounts: by a try, as kernels and distributions refuse it in many ways.
let hasMountNamespaces: Bool = {
    let mount = "mount -t tmpfs -o noexec none /tmp"
    return
        (try? Program.status(
            of: "/usr/bin/unshare", ["--user", "--map-root-user", "--mount", "sh", "-c", mount])) == 0
}()

/// An installation of its own: runtime folder, state, temporary folder and applications.
final class Installation: Sendable {
    private let directory: TemporaryDirectory
    var runtime: String { directory.path + "/run" }
    var state: String { directory.path + "/state" }
    var temporary: String { directory.path + "/tmp" }
    var applications: String { directory.path + "/applications" }
    var database: String { state + "/exthost/registry.sqlite" }
    var socket: String { runtime + "/exthost/host.sock" }

    init() throws {
        directory = try TemporaryDirectory(prefix: "exthost-tests")
        for folder in [runtime, state, temporary, applications] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }
    }

    deinit { try? directory.remove() }

    var environment: [String: String] {
        [
            "XDG_RUNTIME_DIR": runtime, "XDG_STATE_HOME": state, "TMPDIR": temporary,
            "EXTHOST_APPLICATIONS": applications,
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(runtime)/no-bus", "STATE_DIRECTORY": "",
        ]
    }

    struct Finding {
        let code: String
        let status: String
        let found: String
        let remedy: String?
    }

    struct Report {
        let status: Int32?
        let findings: [Finding]

        subscript(code: String) -> [Finding] { findings.filter { $0.code == code } }

        /// The one of a code that is there once.
        func only(_ code: String) throws -> Finding {
            let all = self[code]
            try #require(all.count == 1, "\(code): \(all)")
            return all[0]
        }
    }

    /// Runs it and checks what every report has.
    func doctor(_ arguments: [String] = [], socket: String? = nil) async throws -> Report {
        try await report(
            of: try Program.control(["doctor", "--json"] + arguments, socket: socket, environment: environment))
    }

    /// Of any program that ends as `doctor --json` does.
    func report(of program: Program) async throws -> Report {
        let ending = try await program.ending()
        let list = try #require(
            try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [[String: Any]], "\(ending.errors)")
        var findings: [Finding] = []
        for entry in list {
            #expect(Set(entry.keys) == ["code", "status", "found", "why", "remedy"])
            let finding = Finding(
                code: try #require(entry["code"] as? String), status: try #require(entry["status"] as? String),
                found: try #require(entry["found"] as? String), remedy: entry["remedy"] as? String)
            #expect((entry["why"] as? String)?.isEmpty == false && !finding.found.isEmpty)
            #expect(["ok", "warning", "problem"].contains(finding.status))
            #expect((finding.remedy == nil) == (finding.status == "ok"), "\(finding)")
            findings.append(finding)
        }
        #expect(ending.status == (findings.contains { $0.status == "problem" } ? 1 : 0))
        return Report(status: ending.status, findings: findings)
    }

    func daemon(_ arguments: [String] = []) async throws -> Program {
        try await Program.daemon(in: runtime, state: state, ["--applications", applications] + arguments)
    }

    /// Runs a daemon that elects something, and ends it in the way that is asked for.
    func leaveState(byKill: Bool = false) async throws {
        let daemon = try await daemon()
        try await DaemonControl.connect(name: "test", to: DaemonAddress(path: socket)).elect(.use, puppet)
        if byKill { try daemon.kill() } else { try daemon.end() }
        _ = try await daemon.ending()
    }

    /// A folder with copies of the programs, which others can reach too: what was built need not be.
    func shareableBuild() async throws -> String {
        let folder = directory.path + "/programs"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        // By another process: a child that another test forks meanwhile would hold a copy made here open for writing.
        let programs = ["exthostd", "exthostctl", "exthost-init"].map { SampleApplications.buildFolder + "/" + $0 }
        try #require(try await Program.run("/bin/cp", programs + [folder], socket: "").ending().status == 0)
        chmod(directory.path, 0o755)
        return folder
    }

    /// Lets another user have its folders; for root only.
    func give(to user: uid_t) throws {
        for folder in [runtime, state, temporary, applications] where chown(folder, user, user) != 0 {
            throw SystemError("chown")
        }
    }

    func addPuppet(as name: String = "Tests") throws {
        let bundles = try TestBundles.withPuppet()
        try FileManager.default.copyItem(atPath: bundles.path + "/Tests.app", toPath: applications + "/\(name).app")
    }
}

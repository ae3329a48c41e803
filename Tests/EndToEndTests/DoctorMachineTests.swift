// DoctorMachineTests: `exthostctl doctor` where the machine itself lacks something: another user's folders, mounts,
// inotify.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

/// Only root can become somebody else, or give folders away.
private let mayChangeUsers = geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0

@Suite struct DoctorMachineTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    // MARK: Users

    /// Nobody else's, and one test's alone: it counts what this user has.
    private static let user: uid_t = 64_411
    /// Another, of the tests that count nothing.
    private static let otherUser: uid_t = 64_413
    /// One who uses up what a user has; in a test beside the others.
    private static let greedyUser: uid_t = 64_412

    /// The environment of that user, who knows nothing of this test's.
    private func asUser(_ words: [String], user: uid_t = user) throws -> Program {
        try Program.run(
            "/usr/bin/setpriv",
            ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "env", "-u", "EXTHOSTD", "-u", "EXTHOST_INIT"]
                + words,
            socket: "", environment: installation.environment.merging(["HOME": installation.state]) { $1 })
    }

    @Test(.enabled(if: mayChangeUsers, "only root can become another user"))
    func anOrdinaryUserFindsASoundInstallationSound() async throws {
        let programs = try await installation.shareableBuild()
        try installation.addPuppet()
        try installation.give(to: Self.user)
        let before = try await installation.report(of: try asUser(["\(programs)/exthostctl", "doctor", "--json"]))
        for code in [
            "daemonProgram", "initProgram", "runtimeFolder", "temporaryFolder", "temporaryLeftovers", "stateFolder",
            "applicationFolders", "bundles", "watching", "inotify", "processStart", "sealedMemory", "clock",
        ] {
            let finding = try before.only(code)
            #expect(finding.status == "ok", "\(finding)")
        }
        #expect(try before.only("processes").found.hasPrefix("user \(Self.user) has "))

        let daemon = try asUser([
            "\(programs)/exthostd", "--bus", "none", "--applications", installation.applications,
        ])
        try await daemon.shows("daemon.started")
        // The watch begins after the daemon has begun to serve.
        let control = try await DaemonControl.connect(name: "test", to: DaemonAddress(path: installation.socket))
        try await eventually { try await control.status().watching == "inotify" }
        let report = try await installation.report(of: try asUser(["\(programs)/exthostctl", "doctor", "--json"]))
        for code in [
            "daemon", "daemonVersion", "socket", "stateFolder", "stateDatabase", "bundles", "treeKill", "descriptors",
        ] {
            let finding = try report.only(code)
            #expect(finding.status == "ok", "\(finding)")
        }
        #expect(report.status == 0)
        #expect(try report.only("daemon").found.contains("user \(Self.user), answers"))
        // Root asks the user's daemon, whose rights count then.
        let asked = try await installation.doctor(["--socket", installation.socket])
        #expect(try asked.only("daemon").status == "ok")
        #expect(try asked.only("socket").found.contains("owner \(Self.user)"))
        #expect(try asked.only("stateFolder").status == "ok")
        #expect(try asked.only("inotify").found.hasPrefix("user \(Self.user) has 1 of "))
        try daemon.end()
        _ = try await daemon.ending()
    }

    // not simulated: N-019
    @Test(.enabled(if: mayChangeUsers, "only root can become another user"))
    func anotherUsersDaemonIsToldFromOneThatHangs() async throws {
        let programs = try await installation.shareableBuild()
        let daemon = try await installation.daemon()
        chmod(installation.runtime, 0o755)
        chmod(installation.runtime + "/exthost", 0o755)
        let report = try await installation.report(
            of: try asUser(["\(programs)/exthostctl", "doctor", "--json"], user: Self.otherUser))
        let finding = try report.only("daemon")
        #expect(finding.status == "problem" && finding.remedy?.contains("Ask as user 0") == true, "\(finding)")
        #expect(try report.only("socket").status == "ok")
        try daemon.end()
        _ = try await daemon.ending()
    }

    @Test(.enabled(if: mayChangeUsers, "only root can give folders away"))
    func foldersOfAnotherUserAreNamed() async throws {
        try installation.addPuppet()
        try FileManager.default.createDirectory(
            atPath: installation.state + "/exthost", withIntermediateDirectories: false)
        for (folder, code, status) in [
            (installation.runtime, "runtimeFolder", "problem"), (installation.temporary, "temporaryFolder", "problem"),
            (installation.state + "/exthost", "stateFolder", "problem"),
            (installation.applications, "applicationFolders", "warning"),
        ] {
            try #require(chown(folder, Self.user, Self.user) == 0)
            let finding = try await installation.doctor().only(code)
            #expect(finding.status == status && finding.remedy != nil, "\(finding)")
            #expect(
                finding.found.contains(
                    status == "warning" ? "belongs to user \(Self.user)" : "belongs to another user"),
                "\(finding)")
            try #require(chown(folder, 0, 0) == 0)
            #expect(try await installation.doctor().only(code).status == "ok")
        }
    }

    /// Root's folders are nobody's danger, and an ordinary user still cannot work in them.
    @Test(.enabled(if: mayChangeUsers, "only root can become another user"))
    func foldersThatAnOrdinaryUserMayNotWriteAreNamed() async throws {
        let programs = try await installation.shareableBuild()
        try installation.addPuppet()
        for folder in [installation.runtime, installation.temporary, installation.state, installation.applications] {
            chmod(folder, 0o755)
        }
        let puppet = installation.applications + "/Tests.app/PlugIns/puppet.appex/puppet"
        chmod(puppet, 0o744)
        let report = try await installation.report(
            of: try asUser(["\(programs)/exthostctl", "doctor", "--json"], user: Self.otherUser))
        for (code, words) in [
            ("runtimeFolder", "not writable"), ("temporaryFolder", "no folder can be made there"),
            ("stateFolder", "not writable"),
        ] {
            let finding = try report.only(code)
            #expect(finding.status == "problem" && finding.found.contains(words), "\(finding)")
        }
        // Its owner may run it; the user may not, and is told who that is.
        let bundles = try report.only("bundles")
        #expect(bundles.found.contains("is not executable by user \(Self.otherUser)"), "\(bundles)")
        #expect(report.status == 1)
    }

    // MARK: Mounts

    /// Runs `doctor` in a namespace of mounts in which `folder` is mounted anew with `noexec`, with what lay there.
    private func doctor(withoutExecutionIn folder: String) async throws -> Installation.Report {
        let script = """
            set -e
            mount --bind "$1" "$1"
            mount -o remount,bind,noexec "$1"
            exec "$2" doctor --json
            """
        let words = ["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", folder]
        return try await installation.report(
            of: try Program.run(
                "/usr/bin/unshare", words + [SampleApplications.buildFolder + "/exthostctl"], socket: "",
                environment: installation.environment))
    }

    @Test(.enabled(if: hasMountNamespaces, "this user may have no namespace of mounts"))
    func foldersMountedWithoutExecutionAreNamed() async throws {
        try installation.addPuppet()
        let applications = try await doctor(withoutExecutionIn: installation.applications)
        let folder = try applications.only("applicationFolders")
        #expect(folder.status == "problem" && folder.found.contains("noexec"), "\(folder)")
        // The bundle says the same: its mode is not to blame.
        let bundles = try applications.only("bundles")
        #expect(bundles.status == "warning" && bundles.found.contains("noexec"), "\(bundles)")
        #expect(!bundles.found.contains("chmod"))
        #expect(try applications.only("temporaryFolder").status == "ok")

        let temporary = try await doctor(withoutExecutionIn: installation.temporary)
        let finding = try temporary.only("temporaryFolder")
        #expect(finding.status == "warning" && finding.found.contains("noexec"), "\(finding)")
        #expect(try temporary.only("applicationFolders").status == "ok")
        #expect(try temporary.only("bundles").status == "ok")
    }

    // MARK: Watching

    /// Takes inotify instances until there are no more, says how many it has, and lets them go at the end of its input.
    private static let hoarder = """
        import ctypes, errno, resource, sys
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        libc = ctypes.CDLL(None, use_errno=True)
        count = 0
        while libc.inotify_init1(0) >= 0:
            count += 1
        open("/dev/null").close()  # it is the instances that are used up, and not the descriptors
        print("took", count, flush=True)
        sys.stdin.read()
        """

    @Test(.enabled(if: mayChangeUsers, "only root can become another user"))
    func usedUpInotifyInstancesAreNamedAndTheDaemonLooksUntilThereAreSome() async throws {
        let programs = try await installation.shareableBuild()
        try installation.addPuppet()
        try installation.give(to: Self.greedyUser)
        let (input, lid) = try Program.pipe()
        let hoarder = try Program.run(
            "/usr/bin/setpriv",
            [
                "--reuid=\(Self.greedyUser)", "--regid=\(Self.greedyUser)", "--clear-groups", "/usr/bin/python3", "-c",
                Self.hoarder,
            ], socket: "",
            input: input)
        try await hoarder.shows("took ")

        let before = try await installation.report(
            of: try asUser(["\(programs)/exthostctl", "doctor", "--json"], user: Self.greedyUser))
        let inotify = try before.only("inotify")
        #expect(inotify.status == "problem" && inotify.found.contains("none is left"), "\(inotify)")
        #expect(inotify.remedy?.contains("fs.inotify.max_user_instances") == true)
        let watching = try before.only("watching")
        #expect(watching.status == "warning" && watching.found.contains("could not watch"), "\(watching)")

        let daemon = try asUser(
            ["\(programs)/exthostd", "--bus", "none", "--applications", installation.applications],
            user: Self.greedyUser)
        try await daemon.shows("daemon.started")
        let control = try await DaemonControl.connect(name: "test", to: DaemonAddress(path: installation.socket))
        try await eventually { try await control.status().watching == "looking" }
        let during = try await installation.report(
            of: try asUser(["\(programs)/exthostctl", "doctor", "--json"], user: Self.greedyUser))
        let looking = try during.only("watching")
        #expect(looking.status == "warning" && looking.found.contains("each second"), "\(looking)")
        // It sees what comes all the same.
        try installation.addPuppet(as: "Second")
        try await eventually { try await control.extensions(allCopies: true).count == 2 }

        _ = consume lid
        _ = try await hoarder.ending()
        try await eventually { try await control.status().watching == "inotify" }
        let after = try await installation.report(
            of: try asUser(["\(programs)/exthostctl", "doctor", "--json"], user: Self.greedyUser))
        #expect(try after.only("watching").status == "ok")
        #expect(try after.only("inotify").found.hasPrefix("user \(Self.greedyUser) has 1 of "))
        try daemon.end()
        _ = try await daemon.ending()
    }

    /// A user namespace has a limit of its own, which binds beside that of the whole system.
    @Test(
        .enabled(if: hasMountNamespaces, "this user may have no user namespace"), arguments: ["instances", "watches"])
    func theLimitsOfAUserNamespaceCount(_ kind: String) async throws {
        try installation.addPuppet()
        let script = """
            set -e
            echo 0 > /proc/sys/user/max_inotify_\(kind)
            exec "$1" doctor --json
            """
        let report = try await installation.report(
            of: try Program.run(
                "/usr/bin/unshare",
                [
                    "--user", "--map-root-user", "sh", "-c", script, "sh",
                    SampleApplications.buildFolder + "/exthostctl",
                ],
                socket: "", environment: installation.environment))
        let inotify = try report.only("inotify")
        #expect(inotify.status == "problem" && inotify.found.contains(" of 0 \(kind)"), "\(inotify)")
        #expect(inotify.remedy?.contains("user.max_inotify_\(kind)") == true, "\(inotify)")
        let watching = try report.only("watching")
        #expect(
            watching.status == "warning" && watching.remedy?.contains("user.max_inotify_\(kind)") == true, "\(watching)"
        )
    }
}

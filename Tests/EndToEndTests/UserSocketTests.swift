// UserSocketTests: the socket of a user who has no runtime folder, as in containers: daemon and clients find the same,
// and nobody else's.

import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

/// Only root can become somebody else, whose folder in /tmp no other program of this machine uses.
private let mayChangeUsers = geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0

@Suite(.serialized) struct UserSocketTests {
    private static let user: uid_t = 64_415
    private let folder = "/tmp/exthost-\(Self.user)"
    private let installation: Installation
    private let programs: String

    init() async throws {
        installation = try Installation()
        programs = try await installation.shareableBuild()
        try installation.give(to: Self.user)
        try? removeTree(folder)
        unlink(folder)
    }

    private func start(_ words: [String]) throws -> Program {
        let unset = ["XDG_RUNTIME_DIR", "EXTHOST_SOCKET", "EXTHOSTD", "EXTHOST_INIT"].flatMap { ["-u", $0] }
        return try Program.run(
            "/usr/bin/setpriv",
            ["--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups", "env"] + unset + [
                "\(programs)/\(words[0])"
            ]
                + words.dropFirst(),
            socket: "", environment: installation.environment.merging(["HOME": installation.state]) { $1 })
    }

    @Test(.enabled(if: mayChangeUsers, "only root can become another user"))
    func aDaemonAndItsClientsMeetWithoutARuntimeFolder() async throws {
        let daemon = try start(["exthostd", "--bus", "none"])
        try await daemon.shows("daemon.started")
        var status = stat()
        #expect(lstat(folder, &status) == 0 && status.st_mode & 0o7777 == 0o700 && status.st_uid == Self.user)
        let answer = try await start(["exthostctl", "status", "--json"]).ending()
        #expect(answer.status == 0 && answer.output.contains(#""socket": "\#(folder)/host.sock""#), "\(answer)")
        #expect(
            try await installation.report(of: start(["exthostctl", "doctor", "--json"])).only("runtimeFolder").status
                == "ok")

        // What a daemon that was killed leaves is taken over, and what one that ends in order leaves is nothing.
        try daemon.kill()
        _ = try await daemon.ending()
        let other = try start(["exthostd", "--bus", "none"])
        try await other.shows("daemon.started")
        #expect(try await start(["exthostctl", "list"]).ending().status == 0)
        try other.end()
        #expect(try await other.ending().status == 0)
        #expect(lstat(folder, &status) != 0 && errno == ENOENT)
        #expect(try await start(["exthostctl", "list"]).ending().status == 69)
    }

    enum Trap: CaseIterable { case anothers, openToOthers, link, file }

    @Test(.enabled(if: mayChangeUsers, "only root can become another user"), arguments: Trap.allCases)
    func aFolderThatSomebodyElseMadeIsUsedByNobody(_ trap: Trap) async throws {
        defer {
            unlink(folder)
            try? removeTree(folder)
        }
        switch trap {
        case .anothers: try #require(mkdir(folder, 0o700) == 0)
        case .openToOthers:
            try #require(
                mkdir(folder, 0o777) == 0 && chmod(folder, 0o777) == 0 && chown(folder, Self.user, Self.user) == 0)
        // To a folder that would do.
        case .link: try #require(symlink(installation.runtime, folder) == 0)
        case .file: try Data().write(to: URL(fileURLWithPath: folder))
        }
        // A daemon of whoever made it listens there.
        let listener = trap == .file ? nil : try Socket.listen(at: folder + "/host.sock", permissions: 0o666)
        defer { withExtendedLifetime(listener) {} }
        for words in [["exthostctl", "list"], ["exthostd", "--bus", "none"]] {
            let ending = try await start(words).ending()
            #expect(ending.status == 77 && ending.errors.contains("\(folder)"), "\(words): \(ending)")
            #expect(ending.errors.contains("XDG_RUNTIME_DIR"), "\(ending)")
        }
        let doctor = try await installation.report(of: start(["exthostctl", "doctor", "--json"]))
        #expect(try doctor.only("runtimeFolder").status == "problem")
    }
}

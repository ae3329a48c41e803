// FullDiskTests: an election on a disk that is full is refused by name, changes nothing, and can be made once there is
// room.

import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct FullDiskTests {
    /// A file system of its own for the state, which the test fills. The daemon and the tool share the namespace of
    /// mounts.
    private static let script = """
        set -eu
        state=$1 programs=$2 applications=$3 extension=$4
        mount -t tmpfs -o size=512k none "$state"
        daemon=
        serve() {
            "$programs/exthostd" --bus none --applications "$applications" &
            daemon=$!
            until "$programs/exthostctl" status >/dev/null 2>&1; do kill -0 $daemon; done
        }
        stop() { kill $daemon && wait $daemon || :; }
        elect() { "$programs/exthostctl" elect "$1" "$extension" 2>&1 && echo "$1: done" || echo "$1: status $?"; }
        show() { "$programs/exthostctl" list --json; }
        serve
        elect ignore
        dd if=/dev/zero of="$state/fill" bs=4096 2>/dev/null || :
        elect use
        show
        rm "$state/fill"
        elect use
        stop
        serve
        show
        stop
        """

    @Test(.enabled(if: hasMountNamespaces, "this user may have no namespace of mounts"))
    func anElectionOnAFullDiskIsRefusedByNameAndCanBeMadeLater() async throws {
        let installation = try Installation()
        try installation.addPuppet()
        let words = ["--user", "--map-root-user", "--mount", "sh", "-c", Self.script, "sh"]
        let program = try Program.run(
            "/usr/bin/unshare",
            words + [installation.state, SampleApplications.buildFolder, installation.applications, puppet], socket: "",
            environment: installation.environment)
        let ending = try await program.ending()
        let lines = ending.output.split(separator: "\n").map(String.init)
        #expect(ending.status == 0, "\(ending)")
        let outcomes = lines.filter { $0.hasSuffix(": done") || $0.contains(": status ") }
        #expect(outcomes == ["ignore: done", "use: status 70", "use: done"], "\(ending)")
        #expect(
            lines.contains { $0.contains("there is no space to write") && $0.contains("Free some space") }, "\(ending)")
        // As it was before the refused election; over the restart as it was left.
        let shown = ending.output.matches(of: #/"prefix": "(.)"/#).map { String($0.1) }
        #expect(shown == ["-", "+"], "\(ending)")
    }
}

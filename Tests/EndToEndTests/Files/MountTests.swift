// MountTests: the sample provider as a folder of this machine, used by programs while its process is killed.

import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import PointHosts
import TestPrograms
import Testing

/// The program that mounts files, which the step before these tests builds.
private let mounter = SampleApplications.root + "/.build/exthost-fuse/debug/exthost-fuse"

/// The reason why nothing can be mounted here; nil if it can.
private let obstacle: String? = {
    if access(mounter, X_OK) != 0 { return "Packages/exthost-fuse is not built: swift test --package-path builds it" }
    if access("/dev/fuse", R_OK | W_OK) != 0 { return "/dev/fuse is missing, or not for this user" }
    let status = try? Program.status(of: "/usr/bin/unshare", ["-Urm", "true"])
    return status == 0 ? nil : "this machine gives no user and mount namespaces"
}()

@Suite(.enabled(if: obstacle == nil, "\(obstacle ?? "")")) struct MountTests {
    /// Runs a shell script in a folder with the provider's files, in a mount namespace of its own.
    ///
    /// - Parameters:
    ///   - script: gets the folder as `$1`, a folder for its own files as `$2`, and the repository as `$3`.
    ///   - meanwhile: runs beside the script, and is cancelled at its end.
    private func mounted(
        _ script: String, _ meanwhile: @escaping @Sendable (TestDaemon) async throws -> Int = { _ in 0 }
    ) async throws -> (Program.Ending, Int) {
        let bundles = try TestBundles()
        try FilesStage.add(to: bundles, "Shelf.Shelf")
        let folder = try TemporaryDirectory()
        defer { try? folder.remove() }
        let whole = """
            set -eu
            mkdir "$2/mount" "$2/work"
            "$0" \(FilesStage.identifier) "$2/mount" --store "$2/store" >"$2/log" 2>&1 & mount=$!
            until grep -q serves "$2/log"; do kill -0 $mount || { cat "$2/log"; exit 1; }; sleep 0.02; done
            set -- "$2/mount" "$2/work" "$1"
            (\(script)) || { status=$?; cat "$2/../log"; kill $mount; wait $mount || true; exit $status; }
            kill $mount; wait $mount
            """
        return try await withTestDaemon(applications: [bundles.path]) { daemon in
            var environment = ProcessInfo.processInfo.environment
            environment["EXTHOST_SOCKET"] = daemon.address.path
            environment["EXTHOST_GROUP_CONTAINERS"] = daemon.groupContainers
            let program = try Program(
                "/usr/bin/unshare", ["-Urm", "/bin/sh", "-c", whole, mounter, SampleApplications.root, folder.path],
                environment: environment)
            let beside = Task { try await meanwhile(daemon) }
            let ending = try await program.ending(within: isLong ? 20 * Program.patience : Program.patience)
            beside.cancel()
            return (ending, try await beside.value)
        }
    }

    // spec: FP-31
    @Test("FP-31: programs use the provider's files as those of a folder") func programsUseFiles() async throws {
        let (ending, _) = try await mounted(
            """
            cd "$1"
            test "$(cat Welcome.txt)" = "Files of a provider."
            test "$(cat 'Reports/slow report.txt')" = "Worth the wait."
            if cat 'Reports/failing report.txt' 2>"$2/errors"; then exit 3; fi
            grep -q 'No route to host' "$2/errors"
            echo new >new; mkdir folder; mv new folder/moved; ln -s folder/moved link; test "$(cat link)" = new
            exec 3>dated; echo old >&3; touch -d @978307200 dated; exec 3>&-; test "$(stat -c %Y dated)" = 978307200
            cp -p dated copy; test "$(stat -c %Y copy)" = 978307200; rm dated copy
            printf 'all:\\n\\techo made >target\\n' >Makefile; make -s; test "$(cat target)" = made
            git init -q one; cd one; git -c user.name=n -c user.email=e commit -q --allow-empty -m first
            echo 1 >file; git add .; git -c user.name=n -c user.email=e commit -q -m second; git fsck 2>&1; cd ..
            git clone -q one two; test "$(cat two/file)" = 1
            rm -r folder link one two; ls -a
            """)
        #expect(ending.status == 0, "\(ending)")
        #expect(ending.output.hasSuffix(".\n..\nMakefile\nReports\nWelcome.txt\ntarget\n"), "\(ending)")
    }

    // spec: FP-31
    @Test("FP-31: after random operations while the provider is killed, the provider has what a model says")
    func randomOperations() async throws {
        let steps = isLong ? 100_000 : 2_000
        let scripts = "$3/Packages/exthost-fuse/Tests/MountedFilesTests/Scripts"
        let seed = getenv("EXTHOST_SEED").map { String(cString: $0) } ?? "30"
        let (ending, kills) = try await mounted(
            """
            mkdir "$1/trial"
            python3 "\(scripts)/random_operations.py" "$1/trial" \(seed) \(steps) "$2/model" || exit 1
            cp -r "$1/trial" "$2/copy"
            python3 "\(scripts)/random_operations.py" --compare "$2/copy" "$2/model"
            """
        ) { daemon in
            // Each kill waits until the process that replaces the last one serves.
            var (kills, last) = (0, 0)
            while (try? await Task.sleep(for: .milliseconds(isLong ? 500 : 250))) != nil {
                guard let pid = try await daemon.control.processes().first?.pid, pid != last else { continue }
                last = pid
                kills += kill(pid_t(pid), SIGKILL) == 0 ? 1 : 0
            }
            return kills
        }
        #expect(kills > 0)
        #expect(ending.status == 0, "\(ending)")
        print("\(steps) operations, \(kills) kills, seed \(seed)")
    }
}

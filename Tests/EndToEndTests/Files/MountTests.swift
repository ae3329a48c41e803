// MountTests: the sample provider as a folder of this machine, used by programs while its process is killed.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import PointHosts
import TestPrograms
import Testing

/// The program that mounts files, which the step before these tests builds.
private let mounter = SampleApplications.buildFolder + "/exthost-fuse"

/// The reason why nobody can mount anything here; nil if somebody can.
private let commonObstacle: String? = {
    if access(mounter, X_OK) != 0 { return "Packages/exthost-fuse is not built: swift test --package-path builds it" }
    return access("/dev/fuse", R_OK | W_OK) != 0 ? "/dev/fuse is missing, or not for this user" : nil
}()

/// The reason why this user cannot mount anything in a namespace; nil if it can.
private let obstacle: String? = {
    if let commonObstacle { return commonObstacle }
    let status = try? Program.status(of: "/usr/bin/unshare", ["-Urm", "true"])
    return status == 0 ? nil : "this machine gives no user and mount namespaces"
}()

/// The reason why this user cannot mount anything without a namespace; nil if it can.
private let userObstacle: String? = {
    if let commonObstacle { return commonObstacle }
    if geteuid() == 0 { return "root mounts without fusermount3: run the tests as an ordinary user" }
    return access("/usr/bin/fusermount3", X_OK) != 0 ? "fusermount3 is missing: apt install fuse3" : nil
}()

@Suite(.enabled(if: userObstacle == nil, "\(userObstacle ?? "")")) struct UserMountTests {
    // spec: FP-31
    @Test(
        "FP-31: an ordinary user mounts a provider with fusermount3, and unmounts it with that or a signal",
        arguments: [false, true])
    func anOrdinaryUserMounts(bySignal: Bool) async throws {
        let bundles = try TestBundles()
        try FilesStage.add(to: bundles, "Shelf.Shelf")
        let folder = try TemporaryDirectory()
        defer { try? folder.remove() }
        let place = folder.path + "/mount"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            var environment = ProcessInfo.processInfo.environment
            environment["EXTHOST_SOCKET"] = daemon.address.path
            environment["EXTHOST_GROUP_CONTAINERS"] = daemon.groupContainers
            let program = try Program(
                mounter, [FilesStage.identifier, place, "--store", folder.path + "/store"], environment: environment)
            try await program.shows("serves")
            let script = """
                set -eu
                test "$(cat "$1/Welcome.txt")" = "Files of a provider."
                echo new >"$1/new"; mv "$1/new" "$1/moved"; cat "$1/moved"; stat -c %u "$1/moved"
                """
            let used = try await Program("/bin/sh", ["-c", script, "sh", place], environment: environment).ending()
            #expect(used.status == 0 && used.output == "new\n\(geteuid())\n", "\(used)")
            let mounts = try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)
            #expect(mounts.contains(" \(place) fuse."))
            if bySignal {
                try program.end()
            } else {
                #expect(try Program.status(of: "/usr/bin/fusermount3", ["-u", place]) == 0)
            }
            let ending = try await program.ending()
            #expect(ending.status == 0, "\(ending)")
            #expect(try !String(contentsOfFile: "/proc/self/mounts", encoding: .utf8).contains(" \(place) "))
        }
    }
}

@Suite(.enabled(if: obstacle == nil, "\(obstacle ?? "")")) struct MountTests {
    /// Runs a shell script in a folder with the provider's files, in a mount namespace of its own.
    ///
    /// - Parameters:
    ///   - command: the command of the mount; `$0` is `exthost-fuse`.
    ///   - script: gets the folder as `$1`, a folder for its own files as `$2`, and the repository as `$3`.
    ///   - meanwhile: runs beside the script, and is cancelled at its end.
    private func mounted(
        _ script: String, by command: String = "\"$0\"",
        _ meanwhile: @escaping @Sendable (TestDaemon) async throws -> Int = { _ in 0 }
    ) async throws -> (Program.Ending, Int) {
        let bundles = try TestBundles()
        try FilesStage.add(to: bundles, "Shelf.Shelf")
        let folder = try TemporaryDirectory()
        defer { try? folder.remove() }
        let whole = Self.whole(script, command)
        return try await withTestDaemon(applications: [bundles.path]) { daemon in
            var environment = ProcessInfo.processInfo.environment
            environment["EXTHOST_SOCKET"] = daemon.address.path
            environment["EXTHOST_GROUP_CONTAINERS"] = daemon.groupContainers
            environment["EXTHOST_FUSE"] = mounter
            let program = try Program(
                "/usr/bin/unshare", ["-Urm", "/bin/sh", "-c", whole, mounter, SampleApplications.root, folder.path],
                environment: environment)
            let beside = Task { try await meanwhile(daemon) }
            let ending = try await program.ending(within: isLong ? 20 * Program.patience : Program.patience)
            beside.cancel()
            return (ending, try await beside.value)
        }
    }

    /// The script that mounts the files, runs another with the folder, and unmounts them.
    private static func whole(_ script: String, _ command: String) -> String {
        """
        set -eu
        mkdir "$2/mount" "$2/work"
        \(command) \(FilesStage.identifier) "$2/mount" --store "$2/store" >"$2/log" 2>&1 & mount=$!
        until grep -q serves "$2/log"; do kill -0 $mount || { cat "$2/log"; exit 1; }; sleep 0.02; done
        set -- "$2/mount" "$2/work" "$1"
        (\(script)) || { status=$?; cat "$2/../log"; kill $mount; wait $mount || true; exit $status; }
        kill $mount; wait $mount
        """
    }

    // spec: FP-31
    @Test("FP-31: exthostctl files mounts, shows and evicts the files of a provider") func theToolMounts() async throws
    {
        let tool = SampleApplications.buildFolder + "/exthostctl"
        let (ending, _) = try await mounted(
            """
            cat "$1/Welcome.txt"
            "\(tool)" files status --store "$2/../store" | grep -q '\(FilesStage.identifier)'
            "\(tool)" files evict \(FilesStage.identifier) /Welcome.txt
            echo more >>"$1/Welcome.txt"; cat "$1/Welcome.txt"
            if "\(tool)" files evict \(FilesStage.identifier) /missing 2>"$2/errors"; then exit 3; fi
            """, by: "\"\(tool)\" files mount")
        #expect(ending.status == 0, "\(ending)")
        #expect(ending.output.contains("Files of a provider.\n"), "\(ending)")
        #expect(ending.output.hasSuffix("Files of a provider.\nmore\n"), "\(ending)")
    }

    // spec: FP-31
    @Test("FP-31: a mount outlives its daemon, and operations of the meantime succeed", arguments: [false, true])
    func theDaemonIsReplaced(byKill: Bool) async throws {
        let folder = try TemporaryDirectory()
        defer { try? folder.remove() }
        let bundles = try TestBundles()
        try FilesStage.add(to: bundles, "Shelf.Shelf")
        let address = folder.path + "/exthost/host.sock"
        // The daemons are started outside of the namespace of the mount, which ends with the script.
        var daemon = try await Program.daemon(in: folder.path, ["--applications", bundles.path])
        var environment = ProcessInfo.processInfo.environment
        environment["EXTHOST_SOCKET"] = address
        let script = """
            (while :; do echo "$((n = ${n:-0} + 1))" >"$1/count" || exit 4; cat "$1/count" >"$2/read" || exit 5
                mv "$1/count" "$1/moved" || exit 6; mv "$1/moved" "$1/count" || exit 7
                test -e "$2/stop" && exit 0; echo "round $n"; done) >"$2/rounds" 2>&1 & loop=$!
            until test -e "$2/stop"; do sleep 0.02; done
            wait $loop || { status=$?; cat "$2/rounds"; exit $status; }
            test "$(cat "$1/count")" = "$(cat "$2/read")"
            """
        let program = try Program(
            "/usr/bin/unshare",
            ["-Urm", "/bin/sh", "-c", Self.whole(script, "\"$0\""), mounter, SampleApplications.root, folder.path],
            environment: environment)
        let rounds = folder.path + "/work/rounds"
        /// Waits for more rounds. A failed operation ends the script, which says why.
        func moreRounds() async throws {
            func count() -> Int {
                (try? String(contentsOfFile: rounds, encoding: .utf8))?.split(separator: "\n")
                    .count { $0.hasPrefix("round ") } ?? 0
            }
            let before = count()
            do {
                try await eventually { count() > before + 3 }
            } catch {
                let log = try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)
                Issue.record("\((try? String(contentsOfFile: rounds, encoding: .utf8)) ?? "")\n\(log ?? "")")
                throw error
            }
        }
        for _ in 0..<3 {
            try await moreRounds()
            if byKill { try daemon.kill() } else { try daemon.end() }
            _ = try await daemon.ending()
            daemon = try await Program.daemon(in: folder.path, ["--applications", bundles.path])
        }
        try await moreRounds()
        #expect(FileManager.default.createFile(atPath: folder.path + "/work/stop", contents: nil))
        let ending = try await program.ending()
        #expect(ending.status == 0, "\(ending)")
        try daemon.end()
        #expect(try await daemon.ending().status == 0)
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

    /// Whether an event is the end of a call that the provider has answered.
    private static func isAnswer(_ event: EventRecord) -> Bool {
        event.event == EventName.callFinished.rawValue && event.detail?.contains(": failed: ") == false
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
            // Each kill waits until the process that replaces the last one has answered a call: a call is made again five
            // times at most, and a slow machine may take longer for one than the pause.
            var (kills, last, seen, hasAnswered) = (0, 0, 0, false)
            while (try? await Task.sleep(for: .milliseconds(isLong ? 500 : 250))) != nil {
                for try await batch in daemon.control.watch(since: seen, follow: false) {
                    seen = max(seen, batch.events.last?.sequence ?? 0)
                    hasAnswered = hasAnswered || batch.events.contains(where: Self.isAnswer)
                }
                guard hasAnswered, let pid = try await daemon.control.processes().first?.pid, pid != last else {
                    continue
                }
                (last, hasAnswered) = (pid, false)
                kills += kill(pid_t(pid), SIGKILL) == 0 ? 1 : 0
            }
            return kills
        }
        #expect(kills > 0)
        #expect(ending.status == 0, "\(ending)")
        print("\(steps) operations, \(kills) kills, seed \(seed)")
    }
}

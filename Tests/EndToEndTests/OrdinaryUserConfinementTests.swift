// OrdinaryUserConfinementTests: what confines extensions of a user who is not root, and who may look into them all the
// same.

import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

/// Only root can become somebody else; for others every test of confinement is this one.
@Suite(
    .enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0),
    .disabled(if: isSanitized, "a sanitizer has threads and calls of its own"))
struct OrdinaryUserConfinementTests {
    /// Runs a script beside a private daemon of that user: `$control` is the command line, `$items` the request,
    /// `$tracer` the debugger.
    private func run(_ bundles: TestBundles, _ items: String, _ script: String) async throws -> Program.Ending {
        // What root has built need not be another's to read.
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let files =
            ["exthostd", "exthostctl", "exthost-init"].map { SampleApplications.buildFolder + "/" + $0 } + [
                SampleApplications.root + "/Tests/Fixtures/Python/tracer.py"
            ]
        #expect(try await Program.run("/bin/cp", files + [folder.path], socket: "").ending().status == 0)
        try Data(items.utf8).write(to: URL(fileURLWithPath: folder.path + "/items.json"))
        for path in [bundles.path, folder.path, folder.path + "/items.json", folder.path + "/tracer.py"] {
            chmod(path, 0o755)
        }
        let names =
            "control='\(folder.path)/exthostctl' items='\(folder.path)/items.json' tracer='\(folder.path)/tracer.py'\n"
        return try await Program.run(
            "/usr/bin/setpriv",
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", "env", "-u", "EXTHOSTD", "-u", "EXTHOST_INIT",
                "HOME=/",
                folder.path + "/exthostctl", "with", "--applications", bundles.path, "--", "sh", "-c", names + script,
            ], socket: ""
        ).ending()
    }

    @Test func anExtensionIsConfinedAndSaysWhatItWasRefused() async throws {
        let bundles = try TestBundles.withRefused()
        let items = #"[{"userInfo": {"do": "network,mount,file", "argument": "/etc/shadow"}}]"#
        let ending = try await run(bundles, items, "$control status; $control run \(refused) --items $items --json -q")
        guard ending.output.contains("Sandbox: namespaces,") else { return }
        for outcome in [#""network": "EPERM""#, #""mount": "EPERM""#, #""file": "ENOENT""#] {
            #expect(ending.output.contains(outcome), "\(ending)")
        }
        #expect(ending.output.contains(#""allowance": "com.apple.security.network.client = true""#), "\(ending)")
    }

    /// Beside the app lies what its user could read.
    @Test func anAppIsConfinedToItsContainerAndItsBundle() async throws {
        let bundles = try TestBundles()
        try Data("everybody's\n".utf8).write(to: URL(fileURLWithPath: bundles.path + "/note"))
        chmod(bundles.path + "/note", 0o644)
        try bundles.addProgram(
            "notes",
            script:
                "#!/bin/sh\necho at $HOME; touch $HOME/mine && echo written; cat ${0%/*}/../note && echo read; id -u\n")
        let script = "$control status; cat \(bundles.path)/note; $control app \(bundles.app)"
        let ending = try await run(bundles, "[]", script)
        guard ending.output.contains("Sandbox: namespaces,") else { return }
        #expect(
            ending.status == 0 && ending.output.contains("/Data/Application/org.exthost.tests\nwritten\n65534\n"),
            "\(ending)")
        #expect(ending.output.components(separatedBy: "everybody's").count == 2, "\(ending)")
    }

    @Test func aDebuggerIsAttachedFromOutside() async throws {
        let bundles = try TestBundles.withPuppet()
        let script = """
            errors=$(mktemp)
            attached=$(mktemp)
            $control run \(puppet) --items $items --wait-for-debugger --json 2>$errors & run=$!
            until grep -q 'waits for a debugger' $errors; do kill -0 $run || exit 1; done
            python3 $tracer $(sed -n 's/.*process \\([0-9]*\\) waits.*/\\1/p' $errors) >$attached & tracer=$!
            wait $run
            until grep attached $attached; do kill -0 $tracer || break; done
            kill $tracer; rm $errors $attached
            """
        let ending = try await run(bundles, #"[{"userInfo": {"do": "count"}}]"#, script)
        #expect(ending.output.contains(#""outcome": "completed""#) && ending.output.contains("attached"), "\(ending)")
    }
}

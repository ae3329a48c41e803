// AppContainerTests: an app's own container, what nobody else sees of it, and what becomes of it.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

extension TestBundles {
    /// Gives the app a program.
    func addProgram(_ name: String, script: String) throws {
        let executable = "\(path)/Tests.app/\(name)"
        try Data(script.utf8).write(to: URL(fileURLWithPath: executable))
        try describeProgram(name, executable)
    }

    func addProgram(_ name: String, copyOf program: String) throws {
        let executable = "\(path)/Tests.app/\(name)"
        if link(program, executable) != 0 { try FileManager.default.copyItem(atPath: program, toPath: executable) }
        try describeProgram(name, executable)
    }

    private func describeProgram(_ name: String, _ executable: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: executable)
        try waitForWriters(of: executable)
        try write(
            ["CFBundleIdentifier": "org.exthost.tests", "CFBundleExecutable": name], to: path + "/Tests.app/Info.plist")
    }
}

@Suite struct AppContainerTests {
    /// Lets the daemon run the app to its end.
    private func app(_ bundles: TestBundles, _ daemon: TestDaemon, _ arguments: [String] = []) async throws
        -> Program.Ending
    {
        try await control(["app", bundles.path + "/Tests.app"] + arguments, daemon)
    }

    /// What an app that somebody else starts finds in its environment; asks no daemon.
    private func environment(_ bundles: TestBundles, _ groupContainers: String, _ options: [String] = []) async throws
        -> Program.Ending
    {
        try await Program.control(
            ["app", "--environment"] + options + [bundles.path + "/Tests.app"],
            environment: ["EXTHOST_GROUP_CONTAINERS": groupContainers]
        ).ending()
    }

    private func containers(_ daemon: TestDaemon) throws -> String {
        try #require(daemon.groupContainers).replacing("/Shared/AppGroup", with: "")
    }

    // spec: P-572
    @Test func anAppRunsInAContainerOfItsOwn() async throws {
        let bundles = try TestBundles()
        try bundles.addProgram(
            "notes",
            script: """
                #!/bin/sh
                echo "$HOME $CFFIXED_USER_HOME $TMPDIR $EXTHOST_APP_GROUPS $EXTHOST_GROUP_CONTAINERS ${XDG_DATA_HOME-none}"
                echo "$@"
                ls "$HOME"
                touch "$TMPDIR/mine"
                exit 3
                """)
        try bundles.entitle("Tests.app", [testGroup])
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let groups = try #require(daemon.groupContainers)
            let home = try containers(daemon) + "/Data/Application/org.exthost.tests"
            let ending = try await app(bundles, daemon, ["--help", "-x"])
            #expect(ending.status == 3, "\(ending)")
            let lines = ending.output.split(separator: "\n").map(String.init)
            #expect(
                lines == [
                    "\(home) \(home) \(home)/tmp \(testGroup) \(groups) none", "--help -x", "Documents", "Library",
                    "tmp",
                ])
            var status = stat()
            #expect(stat(home, &status) == 0 && status.st_mode & 0o777 == 0o700 && status.st_uid == geteuid())
            #expect(access(home + "/tmp/mine", F_OK) == 0)
            #expect(stat("\(groups)/\(testGroup)", &status) == 0 && status.st_mode & 0o777 == 0o700)

            // One that was opened to others is closed again; what is in it stays.
            #expect(chmod(home, 0o777) == 0)
            let shown = try await environment(bundles, groups)
            #expect(shown.status == 0 && shown.output.contains("HOME=\(home)\nTMPDIR=\(home)/tmp\n"), "\(shown)")
            #expect(stat(home, &status) == 0 && status.st_mode & 0o777 == 0o700)
            #expect(access(home + "/tmp/mine", F_OK) == 0)
            let json = try await environment(bundles, groups, ["--json"])
            let variables = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: String]
            #expect(variables?["HOME"] == home && variables?["EXTHOST_APP_GROUPS"] == testGroup)
        }
    }

    @Test func whatIsNoAppOrHasNoProgramIsSaidSo() async throws {
        let bundles = try TestBundles()
        let place = bundles.path + "/Containers/Shared/AppGroup"
        func both() async throws -> [Program.Ending] {
            [
                try await environment(bundles, place),
                try await Program.control(["--ephemeral", "app", bundles.path + "/Tests.app"]).ending(),
            ]
        }
        for none in try await both() {
            #expect(none.status == 66 && none.errors.contains("CFBundleExecutable"), "\(none)")
        }
        try bundles.write(
            ["CFBundleIdentifier": "org.exthost.tests", "CFBundleExecutable": "sh"],
            to: bundles.path + "/Tests.app/Info.plist")
        try #require(symlink("/bin/sh", bundles.path + "/Tests.app/sh") == 0)
        for linked in try await both() {
            #expect(linked.status == 66 && linked.errors.contains("not a regular file"), "\(linked)")
        }
        try bundles.addProgram("good", script: "#!/bin/sh\n")
        let elsewhere = try await environment(bundles, "/somewhere/else")
        #expect(elsewhere.status == 64 && elsewhere.errors.contains("EXTHOST_GROUP_CONTAINERS"), "\(elsewhere)")
        try #require(mkdir(bundles.path + "/Containers", 0o700) == 0)
        try #require(symlink("/tmp", bundles.path + "/Containers/Data") == 0)
        let refused = try await environment(bundles, place)
        #expect(refused.status == 70 && refused.errors.contains("links are not followed"), "\(refused)")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            try FileManager.default.createDirectory(atPath: try containers(daemon), withIntermediateDirectories: true)
            try #require(symlink("/tmp", try containers(daemon) + "/Data") == 0)
            let refused = try await app(bundles, daemon)
            #expect(refused.status == 70 && refused.errors.contains("links are not followed"), "\(refused)")
        }
        for options in [["--environment"], []] {
            let missing = try await Program.control(
                (options.isEmpty ? ["--ephemeral"] : []) + ["app"] + options + [bundles.path + "/None.app"]
            ).ending()
            #expect(missing.status == 66, "\(missing)")
        }
    }

    /// The tutorial with the app in its bundle: it holds its groups by its own entitlements, and finds the daemon's
    /// containers by `with`.
    // spec: P-540
    @Test func theTutorialsAppHoldsItsGroupsByItsBundle() async throws {
        let group = "group.cn.vimfung.ShareExtensionDemo"
        let bundles = try TestBundles.tutorial(extension: [group], app: [group])
        try bundles.addProgram("TutorialApp", copyOf: SampleApplications.buildFolder + "/TutorialApp")
        let script = """
            "$0" app "$1" && "$0" run org.exthost.tests.share --url https://example.org/shared -q --json >/dev/null &&
            "$0" app "$1" && "$0" app "$1"
            """
        let ending = try await Program.control([
            "with", "--applications", bundles.path, "--", "sh", "-c", script,
            SampleApplications.buildFolder + "/exthostctl",
            bundles.path + "/Tests.app",
        ]).ending()
        #expect(
            ending.output == "nothing new\nNew Share: https://example.org/shared\nstr = abc\nnothing new\nstr = abc\n",
            "\(ending)")
    }

    /// Told by an extension that looks.
    // spec: P-573
    @Test(.enabled(if: !isSanitized)) func extensionsAndTheirAppSeeNothingOfEachOthersContainers() async throws {
        let bundles = try TestBundles()
        let script = """
            #!/bin/sh
            echo one > "$HOME/mine" && cat "$HOME/mine"
            folder=${EXTHOST_GROUP_CONTAINERS%/Shared/AppGroup}
            for place in Data/Application Data/Application/org.exthost.tests Data/PlugIn/org.exthost.tests.other Data; do
                ls "$folder/$place" >/dev/null 2>&1 && echo "listed $place"
                cat "$folder/$place/secret" 2>/dev/null
                touch "$folder/$place/planted" 2>/dev/null && echo "wrote $place"
            done
            echo looked
            """
        try bundles.add("curious", script: script)
        try bundles.add("other", script: "#!/bin/sh\n")
        // The app looks, too: for its extensions' containers, then for their bundles, which are its own.
        try bundles.addProgram(
            "notes",
            script: """
                #!/bin/sh
                echo the app\\'s > "$HOME/secret"
                folder=${EXTHOST_GROUP_CONTAINERS%/Shared/AppGroup}
                for place in Data/PlugIn Data/PlugIn/org.exthost.tests.curious Data/PlugIn/org.exthost.tests.other Data; do
                    ls "$folder/$place" >/dev/null 2>&1 && echo "listed $place"
                    cat "$folder/$place/mine" "$folder/$place/secret" 2>/dev/null
                    touch "$folder/$place/planted" 2>/dev/null && echo "wrote $place"
                done
                cat "${0%/*}/PlugIns/other.appex/other"
                (echo x > "${0%/*}/PlugIns/other.appex/other") 2>/dev/null && echo "wrote its bundle"
                echo looked
                """)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--sandbox", "best"]) { daemon in
            guard try await daemon.control.status().sandbox != "none" else { return }
            let folder = try containers(daemon)
            let other = folder + "/Data/PlugIn/org.exthost.tests.other"
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
            try Data("the other's\n".utf8).write(to: URL(fileURLWithPath: other + "/secret"))
            #expect(try await app(bundles, daemon).status == 0)
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin("org.exthost.tests.curious", items: [.text("x")])
            #expect(await request.outcome.cause == .exitedEarly)
            try await eventually { output.text.contains("looked\n") }
            // It sees names of its parents' folders, and nothing of others in them. Below /tmp they are its own, in
            // memory.
            let lines = output.text.split(separator: "\n").filter { !["listed Data", "wrote Data"].contains($0) }
            #expect(lines == ["one", "looked"], "\(output.text)")
            // The same of the app, now that there is something of its extension's to find.
            let ending = try await app(bundles, daemon)
            let seen = ending.output.split(separator: "\n").filter { !["listed Data", "wrote Data"].contains($0) }
            #expect(ending.status == 0 && seen == ["#!/bin/sh", "looked"], "\(ending)")
            #expect(access("\(folder)/Data/PlugIn/org.exthost.tests.curious/mine", F_OK) == 0)
            for place in [
                "Data", "Data/Application", "Data/Application/org.exthost.tests", "Data/PlugIn/org.exthost.tests.other",
                "Data/PlugIn", "Data/PlugIn/org.exthost.tests.curious",
            ] {
                #expect(access("\(folder)/\(place)/planted", F_OK) != 0, "\(place)")
            }
        }
    }

    // spec: P-543
    @Test func aRemovedAppsContainerIsNamedAndDeleted() async throws {
        let bundles = try TestBundles()
        try bundles.add("share", script: "#!/bin/sh\n")
        try bundles.addProgram("notes", script: "#!/bin/sh\necho kept > \"$HOME/note\"; chmod 500 \"$HOME\"\n")
        for bundle in ["Tests.app", "Tests.app/PlugIns/share.appex"] { try bundles.entitle(bundle, [testGroup]) }
        let other = try TestBundles.tutorial(extension: [testGroup], app: [testGroup], in: "org.exthost.others")
        try await withTestDaemon(applications: [other.path]) { daemon in
            let groups = try #require(daemon.groupContainers)
            let home = try containers(daemon) + "/Data/Application/org.exthost.tests"
            let path = bundles.path + "/Tests.app"
            for isJSON in [false, true] {
                #expect(try await control(["add", path], daemon).status == 0)
                #expect(try await app(bundles, daemon).status == 0)
                let ending = try await control(["remove", path] + (isJSON ? ["--json"] : []), daemon)
                #expect(ending.status == 0, "\(ending)")
                if isJSON {
                    let said = try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any]
                    #expect(said?["deleted"] as? [String] == [home])
                    #expect(said?["kept"] as? [String] == ["\(groups)/\(testGroup)"])
                    let removed = said?["extensions"] as? [[String: Any]]
                    #expect(removed?.map { $0["identifier"] as? String } == ["org.exthost.tests.share"])
                } else {
                    let lines = ending.output.split(separator: "\n").map(String.init)
                    #expect(lines.count == 3 && lines[1] == "deleted \(home)")
                    #expect(lines.last == "kept    \(groups)/\(testGroup), which another registered bundle uses")
                }
                try await eventually { access(home, F_OK) != 0 }
                try await eventually {
                    try listDirectory(try containers(daemon) + "/Removed", maximumCount: 10).isEmpty
                }
                #expect(access("\(groups)/\(testGroup)", F_OK) == 0)
            }
        }
    }

    /// While the old process still ends, and while the old container is deleted.
    // spec: P-574
    @Test func anAppThatIsRemovedAndAddedAtOnceGetsANewContainerAndKeepsIt() async throws {
        let script = """
            #!/usr/bin/env python3
            import os
            import exthost

            def begin(context):
                home = os.environ["HOME"]
                found = os.path.exists(home + "/mark")
                for number in range(50):
                    os.makedirs(f"{home}/Documents/{number}", exist_ok=True)
                open(home + "/mark", "w").close()
                context.complete([exthost.item({"found": found, "home": home})])

            exthost.run(begin)
            """
        let bundles = try TestBundles()
        try bundles.add(
            "marker", script: script,
            beside: ["exthost.py": try TestBundles.source("Sources/Samples/Python/exthost.py")])
        let path = bundles.path + "/Tests.app"
        try await withTestDaemon(applications: []) { daemon in
            let host = try await daemon.host("notes")
            _ = try await daemon.control.add(path: path)
            for round in 0..<10 {
                let request = try await host.begin("org.exthost.tests.marker", items: [.text("x")])
                let said = try #require(try items(of: await request.outcome).first?.userInfo)
                #expect(said["found"] as? Bool == false, "round \(round)")
                let home = try #require(said["home"] as? String)
                #expect(access(home + "/mark", F_OK) == 0)
                let removed = try await daemon.control.removal(path: path)
                #expect(removed.deleted == [home])
                _ = try await daemon.control.add(path: path)
            }
            let last = try await host.begin("org.exthost.tests.marker", items: [.text("x")])
            let home = try #require(try items(of: await last.outcome).first?.userInfo?["home"] as? String)
            // Nothing is left that could still delete it.
            try await eventually { try listDirectory(try containers(daemon) + "/Removed", maximumCount: 100).isEmpty }
            #expect(access(home + "/mark", F_OK) == 0)
        }
    }

    /// They are released at the same moment, when the process of the removed extension has ended.
    // spec: P-100, P-574
    @Test func requestsThatHaveWaitedForARemovalShareAProcess() async throws {
        let bundles = try TestBundles.withPuppet()
        let path = bundles.path + "/Tests.app"
        try await withTestDaemon(applications: []) { daemon in
            let host = try await daemon.host("notes")
            _ = try await daemon.control.add(path: path)
            for round in 0..<5 {
                let old = try await host.begin(puppet, items: [order("hang")])
                #expect(try await daemon.control.removal(path: path).deleted.count == 1)
                _ = try await daemon.control.add(path: path)
                async let first = host.begin(puppet, items: [order("hang")])
                async let second = host.begin(puppet, items: [order("hang")])
                let (one, other) = try await (first, second)
                #expect(one.processIdentifier == other.processIdentifier, "round \(round)")
                #expect(await old.outcome.cause == .terminatedByOperator)
                try await one.cancel()
                try await other.cancel()
            }
        }
    }

    /// As a daemon leaves it that is killed while it deletes.
    @Test func whatADaemonDidNotComeToDeleteTheNextOneDeletes() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let removed = folder.path + "/data/exthost/Containers/Removed"
        try FileManager.default.createDirectory(
            atPath: removed + "/0123/Documents/deep", withIntermediateDirectories: true)
        let daemon = try await Program.daemon(in: folder.path, [])
        try await eventually { try listDirectory(removed, maximumCount: 10).isEmpty }
        try daemon.end()
        _ = try await daemon.ending()
    }
}

// AppTests: apps that the daemon launches: for what, with what, how they end, and where that is told.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import Locks
import TestPrograms
import Testing

let notebook = "org.exthost.tests"

extension TestBundles {
    /// `Tests.app` with a UIKit program that prints what it is told, and that opens `notebook` and `Other` URLs.
    static func withNotebook(_ bundles: TestBundles? = nil) throws -> TestBundles {
        let bundles = try bundles ?? TestBundles()
        try bundles.addProgram("Notebook", copyOf: SampleApplications.buildFolder + "/Notebook")
        try bundles.write(
            [
                "CFBundleIdentifier": notebook, "CFBundleExecutable": "Notebook",
                "CFBundleURLTypes": [["CFBundleURLName": "notes", "CFBundleURLSchemes": ["notebook", "Other"]]],
            ], to: bundles.path + "/Tests.app/Info.plist")
        return bundles
    }

    var app: String { path + "/Tests.app" }
}

/// A followed app with what it has printed.
func launch(
    _ bundles: TestBundles, _ daemon: TestDaemon, for reason: AppReason = .opened, _ arguments: [String] = []
) async throws -> (app: LaunchedApp, control: DaemonControl, output: Output) {
    try await launch(bundles, daemon.address, for: reason, arguments)
}

func launch(
    _ bundles: TestBundles, _ daemon: DaemonAddress, for reason: AppReason = .opened, _ arguments: [String] = []
) async throws -> (app: LaunchedApp, control: DaemonControl, output: Output) {
    let control = try await DaemonControl.connect(name: "follower", to: daemon)
    let output = Output()
    let app = try await control.launchApp(at: bundles.app, for: reason, arguments: arguments) { output.add($0.bytes) }
    return (app, control, output)
}

@Suite struct AppTests {
    @Test func anAppIsLaunchedToldWhyAndClosedInOrder() async throws {
        let bundles = try TestBundles.withNotebook()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let (app, control, output) = try await launch(bundles, daemon, for: .opened, ["one", "two"])
            #expect(app.opened.isLaunched && app.opened.identifier == notebook)
            try await eventually { output.text == "launched inactive - - one,two\nactive\n" }
            try await eventually { try await daemon.control.processes().first?.state == "running" }
            let running = try #require(try await daemon.control.processes().first)
            #expect(running.kind == "app" && running.extensionIdentifier == notebook && running.requests.isEmpty)
            #expect(running.sandbox == (try await daemon.control.status().sandbox))
            let shown = try JSONSerialization.jsonObject(
                with: Data(
                    try await Program.control(["ps", "--json"], socket: daemon.address.path).ending().output.utf8))
            #expect((shown as? [[String: Any]])?.map { $0["kind"] as? String } == ["app"])

            try await control.closeApp(notebook)
            let ending = try #require(try await app.ending)
            #expect(ending.status == 0 && ending.cause == .closed && ending.sandbox == running.sandbox)
            #expect(output.text == "launched inactive - - one,two\nactive\nresigns\nbackground\ngoodbye\n")
            let death = try #require(try await daemon.control.exits().last)
            #expect(
                death.extensionIdentifier == notebook && death.exit.cause == .closed && death.decidedBy == "operator")
            #expect(try await daemon.control.status().lastDeath == nil)
            let events = try await daemon.events().filter { $0.extensionIdentifier == notebook }.map(\.event)
            #expect(
                events.filter { $0 != "process.output" }
                    == ["process.spawned", "app.opened", "process.ready", "process.signalled", "process.exited"],
                "\(events)")
            // What it printed is kept as an extension's is.
            #expect(
                try await Program.control(["logs", notebook], socket: daemon.address.path).ending().output.contains(
                    "goodbye"))
            await #expect(throws: ExtensionHostError.self) { try await control.closeApp(notebook) }
        }
    }

    @Test func oneThatRunsIsToldAndNoSecondOneIsLaunched() async throws {
        let bundles = try TestBundles.withNotebook()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let (app, _, output) = try await launch(bundles, daemon, for: .woken)
            try await eventually { output.text == "launched background - - \n" }
            // Woken again it has nothing to do but go on; opened it comes to the front, and once only.
            for reason in [AppReason.woken, .opened, .opened] {
                let opened = try await daemon.control.openApp(at: bundles.app, for: reason)
                #expect(!opened.isLaunched && opened.pid == app.opened.pid && opened.process == app.opened.process)
            }
            try await eventually { output.text == "launched background - - \nforeground\nactive\n" }
            let opened = try await daemon.control.openApp(at: bundles.app, for: .url("notebook://a/b?c"))
            #expect(opened.pid == app.opened.pid)
            try await eventually { output.text.hasSuffix("active\nopen notebook://a/b?c - active\n") }
            #expect(try await daemon.events().filter { $0.event == "process.spawned" }.count == 1)
            // The log has the scheme of a URL, and nothing else of it.
            let details = try await daemon.events().filter { $0.event == "app.opened" }.map(\.detail)
            #expect(details == ["woken", "woken", "opened", "opened", "url, scheme notebook"])
            let refused = await #expect(throws: ExtensionHostError.self) {
                try await daemon.control.openApp(at: bundles.app, arguments: ["late"])
            }
            #expect(refused?.code == .invalidArgument)
            _ = try await daemon.control.kill(.identifier(notebook))
            #expect(try await app.ending?.cause == .terminatedByOperator)
        }
    }

    @Test func anAppThatLosesItsExtensionsStays() async throws {
        let bundles = try TestBundles.withNotebook()
        try bundles.add("share", program: SampleApplications.buildFolder + "/Puppet")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let (app, control, output) = try await launch(bundles, daemon)
            try await eventually { output.text.hasSuffix("active\n") }
            for name in ["another", "third"] {
                try FileManager.default.removeItem(atPath: bundles.app + "/PlugIns")
                try await eventually { try await daemon.control.extensions().isEmpty }
                // After this change the app is considered again, as after the first one.
                try FileManager.default.createDirectory(
                    atPath: bundles.app + "/PlugIns", withIntermediateDirectories: false)
                try bundles.add(name, program: SampleApplications.buildFolder + "/Puppet")
                try await eventually { try await daemon.control.extensions().count == 1 }
            }
            let opened = try await control.openApp(at: bundles.app, for: .url("notebook://a"))
            #expect(!opened.isLaunched && opened.pid == app.opened.pid)
            try await control.closeApp(notebook)
            #expect(try await app.ending?.cause == .closed)
        }
    }

    @Test func anAppThatIsRemovedEnds() async throws {
        let bundles = try TestBundles.withNotebook()
        try bundles.add("share", program: SampleApplications.buildFolder + "/Puppet")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let (app, _, output) = try await launch(bundles, daemon)
            try await eventually { output.text.hasSuffix("active\n") }
            // In one step: parts of a folder that is deleted can be seen.
            #expect(rename(bundles.app, bundles.path + "/Tests.gone") == 0)
            #expect(try await app.ending?.cause == .terminatedByOperator)
        }
    }

    // spec: F5
    @Test func anAppWhoseExtensionsAreRemovedByAnOrderEnds() async throws {
        let bundles = try TestBundles.withNotebook()
        try bundles.add("share", program: SampleApplications.buildFolder + "/Puppet")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let (app, control, output) = try await launch(bundles, daemon)
            try await eventually { output.text.hasSuffix("active\n") }
            _ = try await control.remove(path: bundles.app)
            #expect(try await app.ending?.cause == .terminatedByOperator)
        }
    }

    @Test func aURLIsInTheLaunchOptionsAndOpenedBeforeTheAppBecomesActive() async throws {
        let bundles = try TestBundles.withNotebook()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let (app, control, output) = try await launch(bundles, daemon, for: .url("notebook://a"))
            try await eventually { output.text.hasSuffix("\nactive\n") }
            #expect(output.text == "launched inactive notebook://a - \nopen notebook://a - inactive\nactive\n")
            try await control.closeApp(notebook)
            _ = try await app.ending
            let refusing = try await launch(bundles, daemon, for: .url("notebook://a"), ["--refuse"])
            try await eventually { refusing.output.text == "launched inactive notebook://a - --refuse\nactive\n" }
        }
    }

    /// Also while another wants it: the successor takes that.
    @Test func oneThatIsEndingIsFollowedByANewOne() async throws {
        let bundles = try TestBundles.withNotebook()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let (app, control, output) = try await launch(bundles, daemon)
            try await eventually { output.text.hasSuffix("active\n") }
            async let closed: Void = control.closeApp(notebook)
            try await closed
            let next = try await daemon.control.openApp(at: bundles.app, for: .url("notebook://a"))
            #expect(next.process != app.opened.process)
            #expect(try await app.ending?.status == 0)
        }
    }

    @Test func whatAnAppDoesInPlaceOfTakingAURLIsTold() async throws {
        let bundles = try TestBundles.withNotebook()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let leaving = await #expect(throws: ExtensionHostError.self) {
                try await daemon.control.openApp(at: bundles.app, for: .url("notebook://leave"))
            }
            #expect(leaving?.code == .interrupted, "\(String(describing: leaving))")
            try await eventually { try await daemon.control.exits().last?.exit.status == 4 }
            #expect(try await daemon.control.exits().last?.exit.cause == .exited)
            let (app, _, output) = try await launch(bundles, daemon)
            async let hanging: AppOpened = daemon.control.openApp(at: bundles.app, for: .url("notebook://hang"))
            try await eventually { output.text.contains("open notebook://hang") }
            try await daemon.clock.advance(by: .seconds(11))
            do {
                _ = try await hanging
                Issue.record("it hangs, and has taken the URL")
            } catch let error as ExtensionHostError {
                #expect(error.code == .timedOut)
            }
            let long = await #expect(throws: ExtensionHostError.self) {
                try await daemon.control.openApp(
                    at: bundles.app, for: .url("notebook:" + String(repeating: "x", count: 20_000)))
            }
            #expect(long?.code == .payloadTooLarge)
            _ = try await daemon.control.kill(.pid(app.opened.pid))
        }
    }

    @Test func aURLThatIsNoneForFoundationLeavesTheAppLaunched() async throws {
        let bundles = try TestBundles.withNotebook()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let bad = AppReason.url("notebook://a b")
            for url in [bad, .url("/relative")] {
                let error = await #expect(throws: ExtensionHostError.self) {
                    try await daemon.control.openApp(at: bundles.app, for: url)
                }
                #expect(error?.code == .invalidArgument, "\(url)")
            }
            let running = try await daemon.control.processes().map(\.pid)
            let opened = try await daemon.control.openApp(at: bundles.app, for: .url("notebook://a"))
            #expect(!opened.isLaunched && running == [opened.pid])
            try await eventually {
                try await control(["logs", notebook], daemon).output.contains("open notebook://a - active")
            }
            let lines = try await control(["logs", notebook], daemon).output
            #expect(lines.contains("launched inactive - -") && !lines.contains("a b"), "\(lines)")
            try await daemon.control.closeApp(notebook)
            try await eventually { try await daemon.control.processes().isEmpty }

            // One that was to be followed is closed: nobody has it.
            let follower = try await DaemonControl.connect(name: "follower", to: daemon.address)
            for _ in 0..<2 {
                let error = await #expect(throws: ExtensionHostError.self) {
                    _ = try await follower.launchApp(at: bundles.app, for: bad) { _ in }
                }
                #expect(error?.code == .invalidArgument && error?.message.contains("Foundation") == true)
            }
            try await eventually { try await daemon.control.processes().isEmpty }
            #expect(try await daemon.control.exits().map(\.exit.cause) == [.closed, .closed, .closed])
        }
    }

    @Test func aConnectionFollowsOneAppAtATime() async throws {
        let bundles = try TestBundles.withNotebook()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let control = try await DaemonControl.connect(name: "follower", to: daemon.address)
            func refusal(_ path: String) async -> ExtensionHostError? {
                await #expect(throws: ExtensionHostError.self) { _ = try await control.launchApp(at: path) { _ in } }
            }
            #expect(await refusal("/nowhere/No.app")?.code == .noSuchExtension)
            for _ in 0..<2 {
                let app = try await control.launchApp(at: bundles.app) { _ in }
                let second = await refusal(bundles.app)
                #expect(second?.code == .invalidArgument && second?.message.contains("already follows an app") == true)
                try await control.closeApp(notebook)
                #expect(try await app.ending?.cause == .closed)
            }
            // What ran already is followed by nobody.
            _ = try await daemon.control.openApp(at: bundles.app)
            for _ in 0..<2 { #expect(try await !control.launchApp(at: bundles.app) { _ in }.opened.isLaunched) }
        }
    }

    /// It need not listen: what it is opened for besides a URL is no reason to wait.
    @Test func aProgramThatSaysNoHelloIsToldAnythingAnyNumberOfTimes() async throws {
        let bundles = try TestBundles()
        try bundles.addProgram("notes", script: "#!/bin/sh\nexec sleep 1000\n")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            var processes: Set<Int> = []
            for _ in 0..<40 {
                for reason in [AppReason.opened, .woken] {
                    processes.insert(try await daemon.control.openApp(at: bundles.app, for: reason).process)
                }
            }
            #expect(processes.count == 1)
        }
    }

    // MARK: Confinement

    @Test(.enabled(if: !isSanitized)) func theOperatorsDemandHoldsForApps() async throws {
        let bundles = try TestBundles()
        try bundles.addProgram("notes", script: "#!/bin/sh\ncat \(bundles.path)/note\n")
        try Data("outside\n".utf8).write(to: URL(fileURLWithPath: bundles.path + "/note"))
        for (options, isConfined) in [(["--sandbox", "none"], false), (["--sandbox", "best"], true)] {
            try await withTestDaemon(applications: [bundles.path], arguments: options) { daemon in
                let layers = try await daemon.control.status().sandbox
                let ending = try await control(["app", bundles.app], daemon)
                #expect((ending.output == "outside\n") == (!isConfined || layers == "none"), "\(ending)")
                #expect(try await daemon.control.exits().last?.exit.sandbox == layers)
            }
        }
        let arguments = ["--tree-kill", "guardian", "--sandbox", "required"]
        try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
            let ending = try await control(["app", bundles.app], daemon)
            #expect(ending.status == 70 && ending.errors.contains("--sandbox best"), "\(ending)")
            #expect(try await daemon.events().allSatisfy { $0.event != "process.spawned" })
        }
    }

    /// As its own entitlements say; whoever runs it is told what it was refused.
    @Test(.enabled(if: !isSanitized), arguments: [false, true]) func theNetworkIsForAppsThatAskForIt(_ asks: Bool)
        async throws
    {
        let bundles = try TestBundles()
        try bundles.addProgram(
            "notes",
            script: """
                #!/usr/bin/env python3
                import socket
                try:
                    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
                    print("ok")
                except OSError as error:
                    print(error.errno)
                """)
        try bundles.write(["com.apple.security.network.client": asks], to: bundles.app + "/Entitlements.plist")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            guard try await daemon.control.status().sandbox.contains("seccomp") else { return }
            let ending = try await control(["app", bundles.app], daemon)
            #expect(ending.output == (asks ? "ok\n" : "\(EPERM)\n"), "\(ending)")
            let refusal = "exthost: seccomp refused socket (AF_INET SOCK_STREAM): "
            #expect(ending.errors.contains(refusal) == !asks, "\(ending)")
            #expect(asks || ending.errors.contains("com.apple.security.network.client = true"), "\(ending)")
        }
    }

    // MARK: The verb

    private func detach(_ bundles: TestBundles, _ daemon: TestDaemon) async throws -> [String: Any] {
        let ending = try await control(["app", "--detach", "--json", bundles.app], daemon)
        return try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any] ?? [:]
    }

    @Test func theVerbRelaysBothStreamsAndTheStatusAndSaysWhenAnAppRuns() async throws {
        let bundles = try TestBundles()
        try bundles.addProgram("notes", script: "#!/bin/sh\necho out; echo err >&2; printf 'no newline'; exit 7\n")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let ending = try await control(["app", bundles.app], daemon)
            #expect(ending.status == 7 && ending.output == "out\nno newline" && ending.errors == "err\n", "\(ending)")
            #expect(try await daemon.control.exits().last?.exit.cause == .exited)

            try bundles.addProgram("notes", script: "#!/bin/sh\nkill -9 $$\n")
            #expect(try await control(["app", bundles.app], daemon).status == 128 + SIGKILL)

            try bundles.addProgram("notes", script: "#!/bin/sh\necho begun; exec sleep 1000\n")
            let first = try Program.control(["app", bundles.app], socket: daemon.address.path)
            try await first.shows("begun")
            let second = try await control(["app", bundles.app], daemon)
            #expect(second.status == 0 && second.errors.contains("\(notebook) already runs"), "\(second)")
            let detached = try await detach(bundles, daemon)
            #expect(detached["launched"] as? Bool == false && detached["identifier"] as? String == notebook)
            try first.interrupt()
            #expect(try await first.ending().status == 128 + SIGTERM)
            let third = try await detach(bundles, daemon)
            #expect(third["launched"] as? Bool == true)
            // It goes on without the command.
            #expect(try await daemon.control.processes().map(\.pid) == [third["pid"] as? Int])
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalToTheVerbClosesTheAppInOrder(_ number: Int32) async throws {
        let bundles = try TestBundles.withNotebook()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let program = try Program.control(["app", bundles.app], socket: daemon.address.path)
            try await program.shows("active")
            try program.signal(number)
            let ending = try await program.ending()
            #expect(ending.status == 0 && ending.output.hasSuffix("resigns\nbackground\ngoodbye\n"), "\(ending)")
        }
    }

    @Test func anAppThatDoesNotObeyIsKilledWithAllThatItHasStarted() async throws {
        let bundles = try TestBundles()
        try bundles.addProgram(
            "notes", script: "#!/bin/sh\ntrap '' TERM\nsetsid sleep 1000 &\necho begun; while :; do sleep 1000; done\n")
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "term=50ms"]) { daemon in
            let program = try Program.control(["app", bundles.app], socket: daemon.address.path)
            try await program.shows("begun")
            try program.interrupt()
            #expect(try await program.ending().status == 128 + SIGKILL)
            #expect(try await daemon.control.exits().last?.exit.cause == .closed)
            #expect(try await daemon.control.processes().isEmpty)
        }
        // A second signal waits for nothing.
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "term=1000s"]) { daemon in
            let program = try Program.control(["app", bundles.app], socket: daemon.address.path)
            try await program.shows("begun")
            try program.interrupt()
            try await daemon.event { $0.event == "process.signalled" && $0.detail == "SIGTERM" }
            try program.interrupt()
            #expect(try await program.ending().status == 128 + SIGKILL)
        }
    }

    @Test func aCommandThatIsInterruptedBeforeItsAppIsOpenEndsAtOnceAndTheAppWithIt() async throws {
        let bundles = try TestBundles()
        // It never says hello.
        try bundles.addProgram("notes", script: "#!/bin/sh\nexec sleep 1000\n")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let program = try Program.control(
                ["app", "--url", "notes://new", bundles.app], socket: daemon.address.path)
            let spawned = try await daemon.event { $0.event == "process.spawned" }
            try program.interrupt()
            let status = try await program.ending().status
            #expect(status == 130 || status == 128 + SIGTERM, "\(String(describing: status))")
            try await daemon.event(within: .seconds(30)) { $0.event == "process.exited" && $0.pid == spawned.pid }
        }
    }

    @Test func anAppGoesWithItsCommandWithItsDaemonAndWithItsRegistration() async throws {
        let bundles = try TestBundles.withNotebook()
        try bundles.add("share", script: "#!/bin/sh\n")
        try await withTestDaemon(applications: []) { daemon in
            let program = try Program.control(["app", bundles.app], socket: daemon.address.path)
            try await program.shows("active")
            try program.kill()
            try await eventually { try await daemon.control.exits().count == 1 }
            #expect(try await daemon.control.exits().last?.exit.cause == .closed)

            _ = try await daemon.control.add(path: bundles.app)
            let second = try Program.control(["app", bundles.app], socket: daemon.address.path)
            try await second.shows("active")
            _ = try await daemon.control.remove(path: bundles.app)
            #expect(try await second.ending().status == 0)
            #expect(try await daemon.control.exits().last?.exit.cause == .terminatedByOperator)

            // The daemon's own end looks for what it has left behind.
            _ = try await launch(bundles, daemon)
        }
        // One that is killed takes its apps along.
        let folder = try TestBundles()
        let daemon = try await Program.daemon(in: folder.path, [])
        let socket = folder.path + "/exthost/host.sock"
        let opened = try await DaemonControl.connect(name: "test", to: DaemonAddress(path: socket)).openApp(
            at: bundles.app)
        #expect(!isGone(pid_t(opened.pid)))
        try daemon.kill()
        try await eventually { isGone(pid_t(opened.pid)) }
    }

    /// More than fits into the pipes and the queues on the way.
    @Test func aReaderThatIsSlowHoldsTheAppBackAndLosesNothing() async throws {
        let bundles = try TestBundles()
        let count = 6_000_000
        try bundles.addProgram("notes", script: "#!/bin/sh\nhead -c \(count) /dev/zero | tr '\\0' x\necho done >&2\n")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let control = try await DaemonControl.connect(name: "follower", to: daemon.address)
            let gate = DispatchSemaphore(value: 0)
            let sum = Atomic<Int>(0)
            let app = try await control.launchApp(at: bundles.app) { piece in
                if piece.stream == .stdout, sum.add(piece.bytes.count, ordering: .relaxed).oldValue == 0 { gate.wait() }
            }
            // It is still there when everything that could take what it prints is full: nothing more is read from it.
            let held = try await daemon.event { $0.event == "process.output" }
            var last = held.sequence
            try await eventually {
                let before = last
                // Nobody announces that nothing more comes: the log standing still is what there is to be seen.
                try await Task.sleep(for: .milliseconds(200))
                last = try await daemon.events().last?.sequence ?? 0
                return last == before
            }
            #expect(try await daemon.control.processes().count == 1)
            let taken = try await daemon.events().reduce(into: 0) { taken, event in
                let words = (event.event == "process.output" ? event.detail ?? "" : "").split(separator: " ")
                if words.first == "stdout", words.count > 1 { taken += Int(words[1]) ?? 0 }
            }
            #expect(taken > 0 && taken < count / 2, "\(taken)")
            gate.signal()
            #expect(try await app.ending?.status == 0)
            #expect(sum.load(ordering: .relaxed) == count)
        }
    }

    // not simulated: N-034
    @Test func aConfinedAppThatWouldBeAHostIsToldSoByName() async throws {
        let bundles = try TestBundles.withNotebook()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let (app, _, output) = try await launch(bundles, daemon, ["--host"])
            try await eventually { output.text.contains("no host:") }
            #expect(output.text.contains("no host: notSimulated Start the host by itself"), "\(output.text)")
            withExtendedLifetime(app) {}
        }
    }

    // spec: P-579
    @Test func aGroupHoldsNothingOfItsAppBeforeThatRanOnce() async throws {
        let bundles = try TestBundles.withNotebook(TestBundles.withPuppet())
        for bundle in ["Tests.app", "Tests.app/PlugIns/puppet.appex"] { try bundles.entitle(bundle, [testGroup]) }
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let group = try #require(daemon.groupContainers) + "/" + testGroup
            func files() -> [String] {
                (FileManager.default.enumerator(atPath: group)?.allObjects as? [String] ?? []).filter {
                    var isFolder: ObjCBool = false
                    return FileManager.default.fileExists(atPath: "\(group)/\($0)", isDirectory: &isFolder)
                        && !isFolder.boolValue
                }
            }
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("count")])
            #expect(await request.outcome.kind == .completed)
            #expect(FileManager.default.fileExists(atPath: group), "the extension has it")
            #expect(files().isEmpty)
            let (app, _, _) = try await launch(bundles, daemon, for: .url("notebook://store/1"))
            try await eventually { !files().isEmpty }
            withExtendedLifetime(app) {}
        }
    }
}

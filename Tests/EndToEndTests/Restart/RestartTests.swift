// Restart: a daemon that is killed and followed by another loses no request, doubles none, and leaves nobody behind.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import Locks
import TestPrograms
import Testing

struct RestartTests {
    /// An attachment whose handler answers when the test says so; it counts how often it was asked.
    private final class Gate: Sendable {
        private struct State {
            var isOpen = false
            var waiting: [@Sendable () -> Void] = []
            var asked = 0
        }
        private let state = Mutex(State())
        var asked: Int { state.withLock { $0.asked } }

        var provider: NSItemProvider {
            let provider = NSItemProvider()
            provider.registerItem(forTypeIdentifier: "public.url") { [self] completion, _, _ in
                let answer: @Sendable () -> Void = { completion?(NSURL(string: "https://example.org/gate"), nil) }
                let isOpen = state.withLock { state in
                    state.asked += 1
                    if !state.isOpen { state.waiting.append(answer) }
                    return state.isOpen
                }
                if isOpen { answer() }
            }
            return provider
        }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for answer in waiting { answer() }
        }
    }

    @Test(arguments: Language.allCases) func anOpenRequestOutlivesItsDaemon(_ language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let gate = Gate()
            let item = order("load", attachments: [gate.provider])
            item.attributedTitle = NSAttributedString(string: "nobody else's business")
            let request = try await host.begin(puppet, items: [item])
            let pid = request.processIdentifier
            try await eventually { gate.asked == 1 && manager.kept.count == 1 }
            // Names and numbers, no contents.
            let journal = try Data(contentsOf: URL(fileURLWithPath: manager.folder.path + "/exthost/kept.journal"))
            #expect(journal.range(of: Data("\(request.identifier)".utf8)) != nil)
            #expect(
                journal.range(of: Data("business".utf8)) == nil && journal.range(of: Data("example.org/".utf8)) == nil)
            manager.kill()
            try await eventually { manager.starts == 2 }
            gate.open()
            let items = try items(of: await request.outcome)
            #expect(items.first?.userInfo?["value"] as? String == "https://example.org/gate", "\(manager.words)")
            #expect(request.processIdentifier == pid)
            // The same process serves on.
            let next = try await host.begin(puppet, items: [order("count")])
            let counted = try EndToEndTests.items(of: await next.outcome)
            #expect(counted.first?.userInfo?["begun"] as? Int == 2)
            #expect(next.processIdentifier == pid)
            #expect(manager.deaths == 1)
        }
    }

    /// systemd sends SIGUSR1 for a restart (`RestartKillSignal=`): what was logged is written, and everything else is
    /// as after a kill.
    @Test(arguments: Language.allCases) func aDaemonThatLeavesForAnotherEndsNothing(_ language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(puppet, items: [order("hang")])
            manager.kill(SIGUSR1)
            try await eventually { manager.starts == 2 }
            #expect(manager.deaths == 0)
            try await request.cancel()
            #expect(await request.outcome.cause == .cancelledByHost)
        }
    }

    /// The answer is given while no daemon runs; the host is away at first, too.
    @Test(arguments: Language.allCases) func anAnswerWaitsForItsDaemonAndItsHost(_ language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withRestartingDaemon(bundles: bundles, ["--timer", "request=1h"]) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            try await host.setState(.background)
            let gate = Gate()
            let request = try await host.begin(puppet, items: [order("load", attachments: [gate.provider])])
            try await eventually { gate.asked == 1 }
            for round in 1...5 {
                manager.kill()
                try await eventually { manager.starts == round + 1 }
            }
            gate.open()
            #expect(
                try items(of: await request.outcome).first?.userInfo?["value"] as? String == "https://example.org/gate")
            #expect(await request.hostState == .background)
        }
    }

    /// A crash of the extension between two daemons is told as what it is.
    @Test func anExtensionThatEndsWithoutADaemonIsSeenToHaveEnded() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(puppet, items: [order("hang")])
            let pid = try #require(request.processIdentifier)
            manager.kill(SIGSTOP)
            #expect(kill(pid_t(pid), SIGABRT) == 0)
            try await eventually { isGone(pid_t(pid)) }
            manager.kill()
            #expect(await request.outcome.cause == .crashed)
            // A thread of the daemon's writes it.
            try await eventually { manager.words.contains("cause=crashed: signal 6") }
            // Its host was not there yet: it hears of it when it is.
            let exit = try #require(await request.exit, "\(manager.words)")
            #expect(exit.record.cause == .crashed && exit.record.signal == Int(SIGABRT))
            #expect(await request.explanation != nil)
        }
    }

    /// The request has its outcome already, and the host waits for the end of the process, which two daemons have seen.
    @Test func aHostHearsOfTheEndOfWhatAnotherDaemonHadServed() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(puppet, items: [order("count")])
            #expect(await request.outcome.cause == .completed)
            manager.kill()
            try await eventually { manager.starts == 2 }
            // It is back.
            try await host.setState(.inactive)
            let kill = try await Program.control(["kill", puppet], socket: manager.address.path).ending()
            #expect(kill.status == 0, "\(kill)")
            let exit = try #require(await request.exit, "\(manager.words)")
            #expect(exit.record.cause == .terminatedByOperator)
        }
    }

    /// A host in a process of its own, which can be kept from coming back.
    private func hang(_ manager: StandInManager, _ more: [String] = []) async throws -> (host: Program, pid: Int) {
        let path = manager.folder.path + "/hang.json"
        try Data(#"[{"userInfo": {"do": "hang"}}]"#.utf8).write(to: URL(fileURLWithPath: path))
        let host = try Program.control(["run", puppet, "--items", path, "--json"] + more, socket: manager.address.path)
        var pid: Int?
        try await eventually {
            guard let record = try await requests(manager).first, record["state"] as? String == "active" else {
                return false
            }
            pid = record["pid"] as? Int
            return true
        }
        return (host, try #require(pid))
    }

    private func requests(_ manager: StandInManager) async throws -> [[String: Any]] {
        let ending = try await Program.control(["requests", "--json"], socket: manager.address.path).ending()
        guard ending.status == 0 else { throw CancellationError() }
        return try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [[String: Any]] ?? []
    }

    private func answer(of host: Program) async throws -> [String: Any] {
        let ending = try await host.ending()
        return try #require(
            try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any], "\(ending)")
    }

    /// The host is away while the daemon that knows of the exit is killed as well. The process ends with the first
    /// daemon or under the second.
    @Test(arguments: ["guardian", "namespace"])
    func anExitThatIsOwedIsToldByTheDaemonAfterTheNext(_ means: String) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles, ["--tree-kill", means]) { manager in
            let (host, pid) = try await hang(manager, ["--wait-exit"])
            #expect(kill(host.pid, SIGSTOP) == 0)
            manager.kill()
            try await eventually { manager.starts == 2 }
            // It serves, so it has written down what it goes on with.
            // By a connection and not by a program: the host, which stands still, is not waited for for long.
            let control = try await DaemonControl.connect(name: "test", to: manager.address)
            if means == "namespace" {
                #expect(try await control.kill(.identifier(puppet)) == [pid])
            } else {
                let refusal = try await #require(throws: ExtensionHostError.self) {
                    try await control.kill(.identifier(puppet))
                }
                #expect(refusal.code == .noSuchExtension)
            }
            try await eventually { isGone(pid_t(pid)) && manager.kept.isEmpty }
            manager.kill()
            try await eventually { manager.starts == 3 }
            #expect(kill(host.pid, SIGCONT) == 0)
            let answer = try await answer(of: host)
            #expect(
                answer["cause"] as? String == (means == "namespace" ? "terminatedByOperator" : "daemonRestarted"),
                "\(answer)")
            let exit = try #require(answer["exit"] as? [String: Any], "\(answer)\n\(manager.words)")
            #expect(exit["cause"] as? String == "daemonRestarted", "\(exit)")
            // What was told is owed no more.
            try await eventually {
                try Data(contentsOf: Self.journal(of: manager)).range(of: Data("processEnded".utf8)) != nil
            }
        }
    }

    private static func journal(of manager: StandInManager) -> URL {
        URL(fileURLWithPath: manager.folder.path + "/exthost/kept.journal")
    }

    /// The next daemon has given it up before it comes back, and could not know it any more.
    @Test func aHostThatComesTooLateIsToldThatItsDaemonWasFollowedByAnother() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let (host, _) = try await hang(manager)
            #expect(kill(host.pid, SIGSTOP) == 0)
            manager.kill()
            try await eventually { manager.starts == 2 }
            try await eventually { try await requests(manager).isEmpty }
            #expect(kill(host.pid, SIGCONT) == 0)
            let answer = try await answer(of: host)
            #expect(
                answer["cause"] as? String == "daemonRestarted" && answer["outcome"] as? String == "interrupted",
                "\(answer)")
        }
    }

    /// An init that is killed tells nothing. What the kernel tells others than its parent, the certificate has; where
    /// it tells nothing, that.
    @Test(arguments: [true, false])
    func theStatusOfAnAdoptedProcessIsWhatTheKernelTells(_ tells: Bool) async throws {
        let bundles = try TestBundles.withPuppet()
        let variables = tells ? [:] : ["EXTHOST_NO_PIDFD_INFO": "1"]
        try await withRestartingDaemon(bundles: bundles, variables: variables) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(puppet, items: [order("hang")])
            manager.kill()
            try await eventually { manager.starts == 2 }
            try await host.setState(.inactive)
            let kill = try await Program.control(["kill", puppet], socket: manager.address.path).ending()
            #expect(kill.status == 0, "\(kill)")
            #expect(await request.outcome.cause == .terminatedByOperator)
            let exit = try #require(await request.exit, "\(manager.words)")
            #expect(exit.record.cause == .terminatedByOperator)
            #expect(exit.record.status == nil)
            // It tells once the parent knows, which here is whoever takes orphans, in its own time.
            #expect(exit.record.signal == nil || tells && exit.record.signal == Int(SIGKILL), "\(exit.record)")
        }
    }

    /// It keeps the limits that it was launched with, whatever looks after them and whatever the settings say by then.
    @Test(arguments: ["cgroup1", "poll"])
    func aLimitHoldsUnderTheNextDaemon(_ means: String) async throws {
        let bundles = try TestBundles.withPuppet()
        let arguments = ["--limit", "memory=128MiB", "--limits-by", means]
        try await withRestartingDaemon(bundles: bundles, arguments) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(puppet, items: [order("hang")])
            let pid = try #require(request.processIdentifier)
            try await eventually { manager.kept.count == 1 }
            for round in 1...2 {
                manager.kill()
                // One that is not back is given nothing new.
                try await eventually {
                    manager.words.components(separatedBy: "connection.resumed \(puppet)").count == round + 1
                }
            }
            try await host.setState(.inactive)
            let next = try await host.begin(puppet, items: [order("fill", "512")])
            #expect(next.processIdentifier == pid, "\(manager.words)")
            #expect(await next.outcome.cause == .memoryLimit, "\(manager.words)")
            #expect(await request.outcome.cause == .memoryLimit)
            #expect(await request.exit?.record.memoryLimit == 128 << 20)
            // Its groups went with it.
            try await manager.stop()
            let groups = groupsLeft(by: manager.daemons)
            #expect(groups.isEmpty, "\(groups)")
        }
    }

    /// The kernel counts what it refused, and would tell each daemon anew.
    @Test(.enabled(if: LimitBackEnds.hasVersion1)) func aLimitThatWasReachedIsToldByOneDaemonOnly() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles, ["--limit", "tasks=24", "--limits-by", "cgroup1"]) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(puppet, items: [order("threads", "60")])
            #expect(await request.outcome.cause == .completed)
            try await eventually { manager.words.contains("limit.reached") }
            manager.kill()
            try await eventually { manager.words.components(separatedBy: "connection.resumed \(puppet)").count == 2 }
            try await host.setState(.inactive)
            let next = try await host.begin(puppet, items: [order("count")])
            #expect(await next.outcome.cause == .completed)
            #expect(next.processIdentifier == request.processIdentifier)
            // At its end everybody looks once more.
            #expect(try await Program.control(["kill", puppet], socket: manager.address.path).ending().status == 0)
            #expect(await next.exit != nil)
            #expect(manager.words.components(separatedBy: "limit.reached").count == 2, "\(manager.words)")
        }
    }

    /// What is shown is still there, and completes the request under the next daemon.
    @Test func aViewIsUsedUnderTheNextDaemon() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "translate", program: SampleApplications.buildFolder + "/Translate", point: "com.apple.ui-services",
            principalClass: "Translate.TranslateController")
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin("org.exthost.tests.translate", items: [.text("Good morning Moon")])
            let pid = request.processIdentifier
            #expect(await request.view { $0["Replace"]?.isEnabled == true } != nil)
            manager.kill()
            try await eventually { manager.starts == 2 }
            try await host.setState(.inactive)
            try await host.setState(.active)
            #expect(await request.view { $0["Replace"]?.isEnabled == true } != nil)
            try await request.use(.tap("Replace"))
            let provider = try #require(
                try items(of: await request.outcome).first?.attachments?.first, "\(manager.words)")
            let value = try await provider.loadItem(forTypeIdentifier: provider.registeredTypeIdentifiers[0]) as? String
            #expect(value == "gut Morgen Mond")
            #expect(request.processIdentifier == pid)
        }
    }

    /// One that stands still cannot come back: it goes on, and is stopped again, as its host is still away.
    @Test func aSuspendedExtensionIsSuspendedByTheNextDaemon() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles, ["--timer", "suspend=50ms"]) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let gate = Gate()
            let request = try await host.begin(puppet, items: [order("load", attachments: [gate.provider])])
            let pid = try #require(request.processIdentifier)
            try await eventually { gate.asked == 1 }
            try await host.setState(.background)
            // It stands still a moment before the daemon has said so.
            try await eventually { manager.words.contains("process.suspended") && isStopped(pid_t(pid)) }
            manager.kill()
            try await eventually {
                manager.words.components(separatedBy: "process.suspended").count >= 3 && isStopped(pid_t(pid))
            }
            gate.open()
            try await host.setState(.active)
            #expect(
                try items(of: await request.outcome).first?.userInfo?["value"] as? String == "https://example.org/gate")
        }
    }

    /// The host has the answer, and the handler runs: under the next daemon it has its time, and is told when that is
    /// up.
    @Test(arguments: Language.allCases) func completionWorkHasItsTimeUnderTheNextDaemon(_ language: Language)
        async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withRestartingDaemon(bundles: bundles, ["--timer", "postComplete=1s"]) { manager in
            let output = Output()
            let host = try await HostApplication.connect(
                name: "notes", to: manager.address, onOutput: { output.add($0.bytes) })
            let request = try await host.begin(puppet, items: [order("handler", "obey")])
            #expect(await request.outcome.cause == .completed)
            let pid = try #require(request.processIdentifier)
            // It runs.
            try await eventually { output.text.contains("handler: false") }
            manager.kill()
            try await eventually { manager.words.contains("cause=expiredInTime") && isGone(pid_t(pid)) }
            #expect(manager.words.contains("request.expiring"))
        }
    }

    /// systemd gives up, and lets go of what it kept: nobody has to be told to end it.
    @Test(arguments: Language.allCases) func whoIsKeptForNobodyEnds(_ language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            _ = try await host.begin(puppet, items: [order("hang")])
            try await eventually { !manager.kept.isEmpty }
            #expect(running(bundles.path).count >= 2)
            manager.stopRestarting()
            manager.kill()
            try await eventually { manager.daemon == 0 && running(bundles.path).isEmpty }
            host.disconnect()
        }
    }

    /// A process without a namespace around it ends with its daemon, and its host hears why from the next.
    @Test func whatIsNotKeptEndsByName() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles, ["--tree-kill", "guardian"]) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(puppet, items: [order("hang")])
            let pid = try #require(request.processIdentifier)
            #expect(manager.kept.isEmpty)
            manager.kill()
            #expect(await request.outcome.cause == .daemonRestarted)
            #expect(await request.explanation?.remedy != nil)
            // All that is known of its end is that.
            let exit = try #require(await request.exit)
            #expect(exit.record.cause == .daemonRestarted && exit.record.status == nil && exit.record.signal == nil)
            try await eventually { isGone(pid_t(pid)) }
            // And again is possible.
            let next = try await host.begin(puppet, items: [order("count")])
            #expect(await next.outcome.cause == .completed)
        }
    }

    @Test func aDamagedJournalIsNotBelieved() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(puppet, items: [order("hang")])
            let pid = try #require(request.processIdentifier)
            try await eventually { !manager.kept.isEmpty }
            manager.kill(SIGSTOP)
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: manager.folder.path + "/exthost/kept.journal"))
            try file.seek(toOffset: 20)
            try file.write(contentsOf: Data(repeating: 0xff, count: 8))
            try file.close()
            manager.kill()
            #expect(await request.outcome.cause == .daemonRestarted, "\(manager.words)")
            #expect(await request.explanation?.remedy?.contains("docs/service.md") == true)
            try await eventually { isGone(pid_t(pid)) && manager.kept.isEmpty }
            try await eventually { manager.words.contains("the state of the last daemon is invalid") }
            let next = try await host.begin(puppet, items: [order("count")])
            #expect(await next.outcome.cause == .completed)
        }
    }

    /// What was kept goes on, as its store is there still; what it serves now ends with it, and by name.
    @Test func aDaemonThatCanWriteNothingDownServesOn() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(puppet, items: [order("hang")])
            let pid = try #require(request.processIdentifier)
            try await eventually { !manager.kept.isEmpty }
            // Where a draft would lie, and nothing that could be put aside.
            #expect(mkdir(Self.journal(of: manager).path + ".new", 0o700) == 0)
            manager.kill()
            try await eventually { manager.starts == 2 }
            // One that is not back is given nothing new.
            try await eventually { manager.words.contains("connection.resumed \(puppet)") }
            try await request.cancel()
            #expect(await request.outcome.cause == .cancelledByHost)
            try await eventually { manager.words.contains("no process outlives this daemon any more") }
            #expect(access(Self.journal(of: manager).path, F_OK) != 0)
            let status = try await Program.control(["status"], socket: manager.address.path).ending()
            #expect(status.output.contains("none: the journal cannot be written"), "\(status)")
            let next = try await host.begin(puppet, items: [order("hang")])
            #expect(next.processIdentifier == pid)
            manager.kill()
            #expect(await next.outcome.cause == .daemonRestarted, "\(manager.words)")
            try await eventually { isGone(pid_t(pid)) && manager.kept.isEmpty }
        }
    }

    /// A disk that was full, or whatever it was, has room again.
    @Test func theJournalIsWrittenAgainOnceThatIsPossible() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(puppet, items: [order("hang")])
            let pid = request.processIdentifier
            try await eventually { !manager.kept.isEmpty }
            // Where a draft would lie.
            let draft = Self.journal(of: manager).path + ".new"
            #expect(mkdir(draft, 0o700) == 0)
            manager.kill()
            try await eventually { manager.words.contains("no process outlives this daemon any more") }
            #expect(rmdir(draft) == 0)
            try await eventually { manager.words.contains("processes outlive this daemon again") }
            #expect(try await status(of: manager).contains("1 of 1 processes would outlive this daemon"))
            manager.kill()
            try await eventually { manager.starts == 3 }
            try await request.cancel()
            #expect(await request.outcome.cause == .cancelledByHost, "\(manager.words)")
            #expect(request.processIdentifier == pid)
        }
    }

    private func status(of manager: StandInManager) async throws -> String {
        try await Program.control(["status"], socket: manager.address.path).ending().output
    }

    /// As with `FileDescriptorStoreMax=4`: systemd 254 tells it so.
    @Test func whatFindsNoPlaceInTheStoreEndsWithItsDaemonAndIsNotCountedAsKept() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles, variables: ["FDSTORE": "4"]) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(puppet, items: [order("hang")])
            #expect(try await status(of: manager).contains("none: the service has no descriptor store"))
            #expect(manager.words.contains("the service manager's descriptor store is full"))
            #expect(manager.kept.isEmpty)
            manager.kill()
            #expect(await request.outcome.cause == .daemonRestarted)
        }
        try await withRestartingDaemon(bundles: bundles, variables: ["FDSTORE": "5"]) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(puppet, items: [order("hang")])
            #expect(
                try await status(of: manager).contains(
                    "1 of 1 processes would outlive this daemon, the most that fit into its descriptor store"))
            try await request.cancel()
        }
    }

    /// By the test's own clock: the end of the process under the second daemon, and the begin under the first.
    @Test func timingsCountFromTheBeginOverARestart() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let start = ContinuousClock.now
            let open = try await host.begin(puppet, items: [order("hang")])
            let answered = try await host.begin(puppet, items: [order("count")])
            #expect(await answered.outcome.cause == .completed)
            let begun = ContinuousClock.now
            manager.kill()
            try await eventually { manager.starts == 2 }
            // It is back.
            try await host.setState(.inactive)
            let least = (ContinuousClock.now - begun) / .seconds(1)
            let kill = try await Program.control(["kill", puppet], socket: manager.address.path).ending()
            #expect(kill.status == 0, "\(kill)")
            for request in [answered, open] {
                let exit = try #require(await request.exit)
                let exited = try #require(exit.timings.exited)
                #expect(exited >= least && exited <= (ContinuousClock.now - start) / .seconds(1), "\(exited)")
            }
            let timings = await open.timings
            let finished = try #require(timings.finished)
            #expect(finished >= least && finished <= (ContinuousClock.now - start) / .seconds(1), "\(timings)")
            // The first daemon saw its hello.
            #expect(try #require(timings.spawn) > 0 && timings.ready == nil, "\(timings)")
        }
    }

    @Test func stoppedInOrderNothingIsLeft() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address, patience: .zero)
            let request = try await host.begin(puppet, items: [order("hang")])
            manager.kill()
            try await eventually { manager.starts == 2 }
            try await host.setState(.inactive)
            try await manager.stop()
            #expect(await request.outcome.cause == .daemonStopping)
            #expect(running(bundles.path).isEmpty)
            #expect(access(manager.folder.path + "/exthost/kept.journal", F_OK) != 0)
        }
    }

    @Test func statusSaysWhatIsKept() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(puppet, items: [order("hang")])
            manager.kill()
            try await eventually { manager.starts == 2 }
            try await host.setState(.inactive)
            let status = try await Program.control(["status"], socket: manager.address.path).ending()
            #expect(status.output.contains("1 of 1 processes would outlive this daemon"), "\(status)")
            #expect(status.output.contains("1 processes and 1 requests have outlived another"), "\(status)")
            try await request.cancel()
        }
    }
}

/// Control groups of these daemons that are still there.
private func groupsLeft(by daemons: [pid_t]) -> [String] {
    guard let folders = FileManager.default.enumerator(atPath: "/sys/fs/cgroup") else { return [] }
    let names = daemons.map { "exthost-kept-\($0)-" }
    return folders.compactMap { $0 as? String }.filter { path in names.contains { path.contains("/" + $0) } }
}

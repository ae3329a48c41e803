// PrewarmingTests: processes that are launched ahead of a request: who gets which, when they are replaced, and that
// none outlives its use.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import TestPrograms
import Testing

@Suite struct PrewarmingTests {
    @Test(arguments: ["namespace", "guardian", "session"])
    func requestsTakeThemInTheOrderInWhichTheyWaitAndTheyAreReplaced(_ means: String) async throws {
        try await PrewarmingStage.run(2, ["--tree-kill", means]) { stage in
            #expect(try await stage.daemon.control.status().treeKill.hasPrefix(means))
            let host = try await stage.daemon.host("notes")
            #expect(try await stage.daemon.control.processes().isEmpty)
            let first = try await stage.use(host)
            let waiting = try await stage.waiting(2)
            #expect(!waiting.contains(first))
            let taken = try await host.begin(puppet, items: [order("count")])
            let next = try await host.begin(puppet, items: [order("count")])
            #expect([taken, next].map(\.processIdentifier) == waiting)
            for request in [taken, next] {
                #expect(try items(of: await request.outcome).first?.userInfo?["begun"] as? Int == 1)
                // It was there before.
                let timings = await request.timings
                #expect(timings.spawn == 0 && timings.ready == 0)
                #expect(await request.exit?.record.cause == .completed)
            }
            let others = try await stage.waiting(2)
            #expect(Set(others).isDisjoint(with: waiting + [first]))
            let spawned = try await stage.daemon.events().filter { $0.event == "process.spawned" }
            #expect(spawned.map(\.detail) == [nil, "prewarmed", "prewarmed", "prewarmed", "prewarmed"])
            #expect(spawned.dropFirst().allSatisfy { $0.request == nil && $0.host == nil })
        }
    }

    @Test func whoIsNotUsedIsNotPrewarmedAndOtherPointsAreNot() async throws {
        let bundles = try TestBundles.withPuppet(point: PrewarmingStage.point)
        try bundles.add(
            "other", program: SampleApplications.buildFolder + "/Puppet", point: "com.apple.app.non-ui-extension",
            principalClass: "Puppet.Puppet")
        try await PrewarmingStage.run(1, clock: .virtual, bundles: bundles) { stage in
            let host = try await stage.daemon.host("notes")
            let other = try await host.begin("org.exthost.tests.other", items: [order("count")])
            #expect(await other.exit?.record.cause == .completed)
            try await stage.daemon.clock.advance(by: .seconds(1))
            #expect(try await stage.launches() == 1)
            #expect(try await stage.daemon.control.processes().isEmpty)
        }
    }

    @Test func aHundredRequestsInARowHaveAProcessEachAndNoneIsLeft() async throws {
        try await PrewarmingStage.run(4) { stage in
            let host = try await stage.daemon.host("notes")
            var pids: Set<Int> = []
            for _ in 0..<100 {
                let request = try await host.begin(puppet, items: [order("count")])
                #expect(try items(of: await request.outcome).first?.userInfo?["begun"] as? Int == 1)
                pids.insert(try #require(request.processIdentifier))
                #expect(await request.exit?.record.cause == .completed)
            }
            #expect(pids.count == 100)
            let waiting = try await stage.waiting(4)
            #expect(try await stage.daemon.control.processes().map(\.pid).sorted() == waiting.sorted())
            // Everything that was launched has served one request, or waits.
            #expect(try await stage.launches() == 104)
        }
    }

    @Test func moreRequestsAtOnceThanWaitGetProcessesOfTheirOwn() async throws {
        try await PrewarmingStage.run(2) { stage in
            let host = try await stage.daemon.host("notes")
            try await stage.use(host)
            let waiting = try await stage.waiting(2)
            let requests = try await withThrowingTaskGroup(of: ExtensionRequest.self) { group in
                for _ in 0..<12 { group.addTask { try await host.begin(puppet, items: [order("hang")]) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let pids = Set(requests.compactMap(\.processIdentifier))
            #expect(pids.count == 12 && pids.isSuperset(of: waiting))
            // However many run, so many wait besides.
            #expect(Set(try await stage.waiting(2)).isDisjoint(with: pids))
            for request in requests { try await request.cancel() }
            for request in requests { #expect(await request.exit != nil) }
            #expect(try await stage.waiting(2).count == 2)
        }
    }

    @Test func noMoreThanSixtyFourWaitInADaemon() async throws {
        let bundles = try TestBundles()
        for number in 0..<5 {
            try bundles.add(
                "puppet\(number)", program: SampleApplications.buildFolder + "/Puppet", point: PrewarmingStage.point,
                principalClass: "Puppet.Puppet")
        }
        try await PrewarmingStage.run(16, clock: .virtual, bundles: bundles) { stage in
            let host = try await stage.daemon.host("notes")
            for number in 0..<5 {
                let request = try await host.begin("org.exthost.tests.puppet\(number)", items: [order("count")])
                #expect(await request.outcome.cause == .completed)
            }
            try await stage.daemon.clock.advance(by: .milliseconds(1))
            let waiting = try await stage.daemon.control.processes().filter { $0.state == "prewarmed" }
            #expect(waiting.count == 64)
            #expect(waiting.count { $0.extensionIdentifier.hasSuffix("puppet3") } == 16)
        }
    }

    @Test func aWaitingProcessIsAskedForItsHostsQuotaAsOneThatIsLaunched() async throws {
        let bundles = try TestBundles.withPuppet(point: PrewarmingStage.point)
        let configuration = bundles.path + "/quota.plist"
        try bundles.write(["HostQuota": ["Processes": 1]], to: configuration)
        try await PrewarmingStage.run(1, bundles: bundles, ["--config", configuration]) { stage in
            let host = try await stage.daemon.host("notes")
            let hanging = try await host.begin(puppet, items: [order("hang")])
            // Nobody's while it waits.
            let waiting = try await stage.waiting(1)
            #expect(await (try await host.begin(puppet, items: [order("count")])).outcome.cause == .quota)
            try await hanging.cancel()
            #expect(await hanging.exit != nil)
            #expect([try await stage.use(host)] == waiting)
        }
    }

    @Test func aRequestThatWaitsForADebuggerTakesOne() async throws {
        try await PrewarmingStage.run(1) { stage in
            let host = try await stage.daemon.host("notes")
            try await stage.use(host)
            let waiting = try await stage.waiting(1)
            let request = try host.application.start(puppet, items: [order("count")], waitsForDebugger: true)
            #expect(await request.held() == waiting.first)
            try await request.cancel()
            #expect(await request.outcome.cause == .cancelledByHost)
        }
    }

    /// `exthostctl logs REQUEST`, and what a host is shown. What it prints is whether its welcome says that it waits.
    @Test func whatItPrintedWhileItWaitedBelongsToItsFirstRequest() async throws {
        let bundles = try TestBundles()
        let sample = try TestBundles.source("Sources/Samples/Python/exthost.py")
        let taken = "self.execution = body.get(\"execution\", self.execution)"
        let kit = sample.replacing(taken, with: taken + "; print(self.execution.get(\"prewarm\"), flush=True)")
        try #require(kit != sample)
        try bundles.add(
            "puppet", script: try TestBundles.source("Tests/Fixtures/Python/puppet.py"), beside: ["exthost.py": kit],
            point: PrewarmingStage.point)
        try await PrewarmingStage.run(1, bundles: bundles) { stage in
            let (early, output) = (Output(), Output())
            let first = try await stage.daemon.host("first", onOutput: early.add)
            try await stage.use(first)
            let waiting = try await stage.waiting(1)
            #expect(early.text == "None\n")
            try await stage.daemon.event { $0.event == "process.output" && $0.pid == waiting.first }
            let second = try await stage.daemon.host("second", onOutput: output.add)
            let request = try await second.begin(puppet, items: [order("print", "4")])
            #expect(await request.outcome.cause == .completed)
            #expect(request.processIdentifier == waiting.first && output.text == "True\nxxxx\n")
            // Not of the one that was launched meanwhile.
            _ = try await stage.waiting(1)
            let logs = try await control(["logs", "\(request.identifier)"], stage.daemon)
            #expect(
                logs.output.split(separator: "\n").map { $0.split(separator: " ").last } == ["True", "xxxx"], "\(logs)")
        }
    }

    // MARK: Copies

    @Test func aProcessOfACopyThatWasReplacedIsGivenToNobody() async throws {
        try await PrewarmingStage.run(1) { stage in
            let host = try await stage.daemon.host("notes")
            try await stage.use(host)
            let old = try #require(try await stage.waiting(1).first)
            var information = try #require(
                try PropertyListSerialization.propertyList(
                    from: Data(contentsOf: URL(fileURLWithPath: stage.bundle + "/Info.plist")), format: nil)
                    as? [String: Any])
            information["CFBundleVersion"] = "2"
            try stage.bundles.write(information, to: stage.bundle + "/Info.plist")
            let exit = try await stage.exit(of: old)
            #expect(exit.cause == .noRequest && exit.detail?.contains("decided by daemon") == true)
            #expect(try await stage.use(host) != old)
        }
    }

    /// The daemon may not have looked at it since.
    @Test func aProcessWhoseProgramWasReplacedIsGivenToNobody() async throws {
        try await PrewarmingStage.run(1) { stage in
            let host = try await stage.daemon.host("notes")
            try await stage.use(host)
            let old = try #require(try await stage.waiting(1).first)
            let program = stage.bundle + "/puppet"
            try FileManager.default.copyItem(atPath: program, toPath: program + ".new")
            try waitForWriters(of: program + ".new")
            #expect(rename(program + ".new", program) == 0)
            #expect(try await stage.use(host) != old)
            #expect(try await stage.exit(of: old).cause == .noRequest)
        }
    }

    @Test func aBundleThatIsRemovedOrSwitchedOffKeepsNobodyWaiting() async throws {
        try await PrewarmingStage.run(2) { stage in
            let host = try await stage.daemon.host("notes")
            try await stage.use(host)
            var waiting = try await stage.waiting(2)
            #expect(try await control(["elect", "ignore", puppet], stage.daemon).status == 0)
            for pid in waiting { #expect(try await stage.exit(of: pid).cause == .noRequest) }
            #expect(try await control(["elect", "default", puppet], stage.daemon).status == 0)
            try await stage.use(host)
            waiting = try await stage.waiting(2)
            try FileManager.default.removeItem(atPath: stage.bundle)
            for pid in waiting { #expect(try await stage.exit(of: pid).cause == .noRequest) }
            // The one that served the last request ends by itself.
            try await eventually { try await stage.daemon.control.processes().isEmpty }
        }
    }

    /// What begins after a reload has the new limits and timers.
    @Test func aReloadEndsThoseThatWait() async throws {
        let bundles = try TestBundles.withPuppet(point: PrewarmingStage.point)
        let settings = bundles.path + "/settings.plist"
        try bundles.write(["Timers": ["load": "9s"]], to: settings)
        try await PrewarmingStage.run(2, bundles: bundles, ["--config", settings]) { stage in
            let host = try await stage.daemon.host("notes")
            try await stage.use(host)
            let waiting = try await stage.waiting(2)
            kill(pid_t(stage.daemon.processIdentifier), SIGHUP)
            for pid in waiting { #expect(try await stage.exit(of: pid).cause == .noRequest) }
            #expect(!waiting.contains(try await stage.use(host)))
        }
    }

    /// As one that is launched for a request.
    @Test(arguments: LimitBackEnds.all)
    func oneThatHasWaitedIsUnderItsLimits(_ backEnd: String) async throws {
        try await PrewarmingStage.run(1, ["--limits-by", backEnd, "--limit", "memory=64MiB"]) { stage in
            let host = try await stage.daemon.host("notes")
            try await stage.use(host)
            let waiting = try await stage.waiting(1)
            let held = HeldLoad()
            let request = try await host.begin(
                puppet, items: [order("fillWhileLoading", "200", attachments: [held.provider])])
            #expect([request.processIdentifier] == waiting)
            await held.asked.wait()
            held.work.completedUnitCount = 1
            let outcome = await request.outcome
            #expect(outcome.kind == .interrupted && outcome.cause == .memoryLimit)
            #expect(await request.exit?.record.cause == .memoryLimit)
            held.release()
            #expect(try await stage.waiting(1) != waiting)
        }
    }

    @Test func whatAConnectionRegisteredWaitsNoLongerThanTheConnectionLasts() async throws {
        let installed = try TestBundles()
        let brought = try TestBundles.withPuppet(point: PrewarmingStage.point)
        try await PrewarmingStage.run(1, bundles: installed) { stage in
            let author = try await HostApplication.connect(name: "author", to: stage.daemon.address)
            let identifier = try await author.register(path: brought.path + "/Tests.app/PlugIns/puppet.appex")
            let request = try await author.begin(identifier, items: [order("count")])
            #expect(await request.outcome.cause == .completed)
            let waiting = try #require(try await stage.waiting(1).first)
            author.disconnect()
            #expect(try await stage.exit(of: waiting).cause == .noRequest)
        }
    }

    // MARK: Failures

    @Test func oneThatDiesWhileItWaitsIsReplacedByTheNextUseOnly() async throws {
        try await PrewarmingStage.run(1, clock: .virtual, ["--breaker", "3"]) { stage in
            let host = try await stage.daemon.host("notes")
            try await stage.use(host)
            try await stage.daemon.clock.advance(by: .milliseconds(1))
            let dead = try #require(try await stage.waiting().first)
            kill(pid_t(dead), SIGSEGV)
            #expect(try await stage.exit(of: dead).cause == .crashed)
            try await stage.daemon.clock.advance(by: .seconds(60))
            #expect(try await stage.daemon.control.processes().isEmpty)
            try await stage.use(host)
            try await stage.daemon.clock.advance(by: .milliseconds(1))
            #expect(try await stage.waiting().count == 1)
        }
    }

    @Test func deathsWhileWaitingOpenTheBreakerAndWhileItIsOpenNobodyIsLaunchedAhead() async throws {
        try await PrewarmingStage.run(2, clock: .virtual, ["--breaker", "2"]) { stage in
            let host = try await stage.daemon.host("notes")
            try await stage.use(host)
            try await stage.daemon.clock.advance(by: .milliseconds(1))
            for pid in try await stage.waiting() {
                kill(pid_t(pid), SIGSEGV)
                _ = try await stage.exit(of: pid)
            }
            try await stage.daemon.event { $0.event == "breaker.opened" }
            #expect(await (try await host.begin(puppet, items: [order("count")])).outcome.cause == .breakerOpen)
            try await stage.daemon.clock.advance(by: .seconds(1))
            // The one try, until whose answer nothing else is launched.
            let trial = try await host.begin(puppet, items: [order("hang")])
            try await stage.daemon.clock.advance(by: .milliseconds(1))
            #expect(try await stage.daemon.control.processes().map(\.pid) == [trial.processIdentifier])
            try await trial.cancel()
        }
    }

    @Test func aLaunchAheadThatFailsIsLoggedWithItsReasonAndFailsNoRequest() async throws {
        try await PrewarmingStage.run(1, clock: .virtual) { stage in
            let host = try await stage.daemon.host("notes")
            // The second launch is the one that nobody asked for.
            try await stage.daemon.faults.add(.noDescriptors, at: .spawning, after: 1)
            try await stage.use(host)
            try await stage.daemon.clock.advance(by: .milliseconds(1))
            let failure = try #require(try await stage.daemon.events().first { $0.cause == .launchFailed })
            #expect(
                failure.event == "process.exited" && failure.request == nil && failure.extensionIdentifier == puppet)
            #expect(failure.detail?.contains("Too many open files") == true)
            #expect(failure.detail?.contains("Allow the daemon more descriptors") == true)
            #expect(try await stage.waiting().isEmpty)
            try await stage.use(host)
            try await stage.daemon.clock.advance(by: .milliseconds(1))
            #expect(try await stage.waiting().count == 1)
        }
    }

    // MARK: Time

    @Test func itWaitsForAsLongAsItsTimerSaysAndEndsUnused() async throws {
        try await PrewarmingStage.run(2, clock: .virtual) { stage in
            let host = try await stage.daemon.host("notes")
            try await stage.use(host)
            try await stage.daemon.clock.advance(by: .seconds(300) - .milliseconds(1))
            let waiting = try await stage.waiting()
            #expect(waiting.count == 2)
            try await stage.daemon.clock.advance(by: .milliseconds(1))
            for pid in waiting { #expect(try await stage.exit(of: pid).cause == .noRequest) }
            try await stage.daemon.clock.advance(by: .seconds(600))
            #expect(try await stage.daemon.control.processes().isEmpty)
            #expect(try await stage.launches() == 3)
        }
        try await PrewarmingStage.run(1, clock: .virtual, ["--timer", "prewarmed=2s"]) { stage in
            try await stage.use(try await stage.daemon.host("notes"))
            try await stage.daemon.clock.advance(by: .milliseconds(1999))
            #expect(try await stage.waiting().count == 1)
            try await stage.daemon.clock.advance(by: .milliseconds(1))
            #expect(try await stage.waiting().isEmpty)
        }
    }

    @Test func theLogIsTheSameEachTime() async throws {
        func play() async throws -> NormalForm {
            try await PrewarmingStage.run(2, clock: .virtual) { stage in
                let (notes, mail) = (try await stage.daemon.host("notes"), try await stage.daemon.host("mail"))
                let hanging = try await notes.begin(puppet, items: [order("hang")])
                try await stage.use(mail)
                try await stage.use(notes, "return")
                try await stage.use(mail)
                try await hanging.cancel()
                try await stage.daemon.clock.advance(by: .seconds(301))
                try await stage.use(notes)
                try await stage.daemon.clock.advance(by: .seconds(1))
                return NormalForm(try await stage.daemon.events())
            }
        }
        let first = try await play()
        for round in 1..<10 {
            let again = try await play()
            let difference = again.firstDifference(from: first)
            #expect(difference == nil, "round \(round): \(difference ?? "")\n\(first)\n\nand\n\n\(again)")
            guard difference == nil else { break }
        }
    }

    // MARK: The daemon's end

    @Test func aDaemonThatIsKilledLeavesNobodyWaiting() async throws {
        let bundles = try TestBundles.withPuppet(point: PrewarmingStage.point)
        try await PrewarmingStage.run(3, bundles: bundles) { stage in
            try await stage.use(try await stage.daemon.host("notes"))
            let waiting = try await stage.waiting(3)
            #expect(kill(pid_t(stage.daemon.processIdentifier), SIGKILL) == 0)
            try await eventually { waiting.allSatisfy { isGone(pid_t($0)) } && running(bundles.path).isEmpty }
        }
    }

    /// It has had no request, and another daemon would know as little of one.
    @Test func oneThatOutlivesItsDaemonEndsUnusedUnderTheNext() async throws {
        let bundles = try TestBundles.withPuppet(point: PrewarmingStage.point)
        let points = try PrewarmingStage.points(1, in: bundles)
        try await withRestartingDaemon(bundles: bundles, points) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let first = try await host.begin(puppet, items: [order("count")])
            #expect(await first.outcome.cause == .completed)
            let tool = try await DaemonControl.connect(name: "test", to: manager.address)
            var waiting: [Int] = []
            try await eventually {
                waiting = try await tool.processes().filter { $0.state == "prewarmed" }.map(\.pid)
                return waiting.count == 1 && manager.kept.count == 1
            }
            // A second that was taken goes on.
            let taken = try await host.begin(puppet, items: [order("hang")])
            #expect([taken.processIdentifier] == waiting)
            try await eventually {
                waiting = try await tool.processes().filter { $0.state == "prewarmed" }.map(\.pid)
                return waiting.count == 1 && manager.kept.count == 2
            }
            manager.kill()
            try await eventually { manager.starts == 2 && isGone(pid_t(waiting[0])) }
            let next = try await DaemonControl.connect(name: "test", to: manager.address)
            var causes: [Cause] = []
            try await eventually {
                causes = []
                for try await batch in next.watch(since: 0, follow: false) {
                    causes += batch.events.filter { $0.event == "process.exited" && $0.pid == waiting[0] }.compactMap(
                        \.cause)
                }
                return !causes.isEmpty
            }
            #expect(causes == [.noRequest])
            try await taken.cancel()
            #expect(await taken.outcome.cause == .cancelledByHost)
            let last = try await host.begin(puppet, items: [order("count")])
            #expect(await last.outcome.cause == .completed)
        }
    }
}

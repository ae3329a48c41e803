// Restart: a daemon that is killed and followed by another loses no request, doubles none, and leaves nobody behind.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import Synchronization
import Testing

@Suite(.serialized) struct RestartTests {
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

    @Test func anOpenRequestOutlivesItsDaemon() async throws {
        let bundles = try TestBundles.withPuppet()
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
            #expect(journal.range(of: Data("business".utf8)) == nil && journal.range(of: Data("example.org/".utf8)) == nil)
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

    /// SIGUSR1, as `ExecStop=` of a restart sends it: what was logged is written, and everything else is as after a kill.
    @Test func aDaemonThatLeavesForAnotherEndsNothing() async throws {
        let bundles = try TestBundles.withPuppet()
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
    @Test func anAnswerWaitsForItsDaemonAndItsHost() async throws {
        let bundles = try TestBundles.withPuppet()
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
            #expect(try items(of: await request.outcome).first?.userInfo?["value"] as? String == "https://example.org/gate")
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
            // Told to a host that was not there yet: the log has it.
            #expect(manager.words.contains("cause=crashed: signal 6"), "\(manager.words)")
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
            try await eventually { isStopped(pid_t(pid)) }
            manager.kill()
            try await eventually {
                manager.words.components(separatedBy: "process.suspended").count >= 3 && isStopped(pid_t(pid))
            }
            gate.open()
            try await host.setState(.active)
            #expect(try items(of: await request.outcome).first?.userInfo?["value"] as? String == "https://example.org/gate")
        }
    }

    /// The host has the answer, and the handler runs: under the next daemon it has its time, and is told when that is up.
    @Test func completionWorkHasItsTimeUnderTheNextDaemon() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles, ["--timer", "postComplete=1s"]) { manager in
            let output = Output()
            let host = try await HostApplication.connect(name: "notes", to: manager.address, onOutput: { output.add($0.bytes) })
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
    @Test func whoIsKeptForNobodyEnds() async throws {
        let bundles = try TestBundles.withPuppet()
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

    /// A process with limits ends with its daemon, and its host hears why from the next.
    @Test func whatIsNotKeptEndsByName() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withRestartingDaemon(bundles: bundles, ["--limit", "cpu=1h", "--limits-by", "poll"]) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(puppet, items: [order("hang")])
            let pid = try #require(request.processIdentifier)
            #expect(manager.kept.isEmpty)
            manager.kill()
            #expect(await request.outcome.cause == .daemonRestarted)
            #expect(await request.explanation?.remedy != nil)
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
            #expect(await request.outcome.kind == .interrupted, "\(manager.words)")
            try await eventually { isGone(pid_t(pid)) && manager.kept.isEmpty }
            #expect(manager.words.contains("cannot be gone on with"))
            let next = try await host.begin(puppet, items: [order("count")])
            #expect(await next.outcome.cause == .completed)
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

// FlowControlTests: a reader that stops makes its writer stop, nothing piles up meanwhile, and afterwards nothing is
// lost.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import Locks
import TestPrograms
import Testing

/// A provider of data, each different, whose answers can be held back from some question on.
private final class Spigot: Sendable {
    private struct State: Sendable {
        var calls = 0
        var isShut = false
        var held: [@Sendable () -> Void] = []
    }

    let provider = NSItemProvider()
    /// Fires when answers begin to be held back.
    let isShut = OneSignal()
    private let state = Mutex(State())

    /// - Parameter limit: the number of the question from which on none is answered before `open`.
    init(bytes: Int, shutAt limit: Int) {
        provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { [weak self] answer in
            self?.ask(bytes, limit, answer)
            return nil
        }
    }

    private func ask(_ bytes: Int, _ limit: Int, _ answer: @escaping @Sendable (Data?, (any Error)?) -> Void) {
        let (call, isHeld) = state.withLock { state in
            state.calls += 1
            if state.calls == limit { state.isShut = true }
            let number = UInt64(state.calls)
            let call: @Sendable () -> Void = {
                answer(withUnsafeBytes(of: number.bigEndian) { Data($0) } + Data(count: bytes - 8), nil)
            }
            if state.isShut { state.held.append(call) }
            return (call, state.isShut)
        }
        if isHeld { isShut.fire() } else { call() }
    }

    var calls: Int { state.withLock { $0.calls } }

    func open() {
        let held = state.withLock { state in
            state.isShut = false
            defer { state.held = [] }
            return state.held
        }
        for call in held { call() }
    }
}

@Suite(.serialized) struct FlowControlTests {
    private static let mebibyte = 1 << 20

    /// It behaves so once: where all is played again, the next round has a process of its own.
    private func end(_ name: String, _ daemon: TestDaemon) async throws {
        let pid = Int(try await process(daemon, name))
        _ = try await daemon.control.kill(.pid(pid))
        try await daemon.event { $0.event == EventName.processExited.rawValue && $0.pid == pid }
    }

    private func started(_ daemon: TestDaemon) async throws -> (begun: Int, finished: Int) {
        let events = try await daemon.events()
        return (
            events.filter { $0.event == EventName.itemLoadStarted.rawValue }.count,
            events.filter { $0.event == EventName.itemLoadFinished.rawValue }.count
        )
    }

    /// Until so many loads wait for their host.
    private func openLoads(reach count: Int, _ daemon: TestDaemon) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            let (begun, finished) = try await started(daemon)
            if begun - finished == count { return }
            try #require(ContinuousClock.now < end, "\(begun) loads, \(finished) answers")
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func process(_ daemon: TestDaemon, _ identifier: String) async throws -> pid_t {
        let processes = try await daemon.control.processes()
        return pid_t(try #require(processes.first { $0.extensionIdentifier == identifier }).pid)
    }

    /// Data inside packets, and in sealed memory.
    @Test(arguments: [24 * 1024, 256 * 1024])
    func anExtensionThatStopsInTheMiddleStopsItsHostAndGoesOnWithNothingLost(bytes: Int) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "load=60s"]) { daemon in
            let host = try await daemon.host("notes")
            let (loads, atOnce, middle) = (1000, 60, 400)
            let spigot = Spigot(bytes: bytes, shutAt: middle)
            let before = try await daemon.control.status()
            let request = try await host.begin(
                puppet, items: [order("pump", "\(loads) \(atOnce)", attachments: [spigot.provider])])
            await spigot.isShut.wait()
            let pid = try await process(daemon, puppet)
            try #require(kill(pid, SIGSTOP) == 0)
            defer { kill(pid, SIGCONT) }
            try await eventually { isStopped(pid) }

            spigot.open()
            // Questions that the extension asked before it was stopped may still lie in its socket. A handler runs in
            // its own time, so the daemon tells which question is answered: the handler of that one has been called.
            var asked = 0
            repeat {
                asked = try await started(daemon).begun
                try #require(spigot.calls < middle + atOnce)
                try await host.application.fence()
                try await daemon.control.fence()
                try await openLoads(reach: 0, daemon)
            } while try await started(daemon).begun != asked
            let calls = spigot.calls
            for _ in 0..<3 {
                try await host.application.fence()
                try await daemon.control.fence()
            }
            #expect(spigot.calls == calls, "the host goes on for an extension that does not read")
            let during = try await daemon.control.status()
            let grown = (during.peakMemory ?? 0) - (before.peakMemory ?? 0)
            #expect(isSanitized || grown < 8 * Self.mebibyte, "the daemon grew by \(grown) bytes")

            try #require(kill(pid, SIGCONT) == 0)
            let answer = try items(of: await request.outcome).first?.userInfo
            #expect(answer?["loads"] as? Int == loads && answer?["different"] as? Int == loads, "\(answer ?? [:])")
            #expect(answer?["bytes"] as? Int == loads * bytes && (answer?["failed"] as? [Int])?.isEmpty == true)
            // What was loaded in all is 24 or 250 MiB: what is open at once is what counts.
            #expect(isSanitized || (answer?["peak"] as? Int ?? .max) < 128 * 1024)
        }
    }

    @Test func anExtensionThatAsksAndDoesNotTakeRunsOutOfCreditAndGoesOnWithNothingLost() async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.addHostile("gorges")
        try await besideAHealthyRequest(bundles) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let spigot = Spigot(bytes: 16 * 1024, shutAt: .max)
            let before = try await daemon.control.status()
            let item = NSExtensionItem()
            item.attachments = [spigot.provider]
            let request = try await host.begin("org.exthost.tests.gorges", items: [item])
            try await eventually { output.text.contains("full ") && output.text.hasSuffix("\n") }
            let asked = try #require(Int(output.text.dropFirst(5).trimmingCharacters(in: .newlines)))
            // Its own window, what may wait for it, and the credit that it had for more.
            #expect(asked <= 4 * Window.standard.packets, "it could ask \(asked) times")
            try await eventually { spigot.calls > 0 }
            #expect(spigot.calls <= asked)
            let during = try await daemon.control.status()
            let grown = (during.peakMemory ?? 0) - (before.peakMemory ?? 0)
            #expect(isSanitized || grown < 4 * Self.mebibyte, "the daemon grew by \(grown) bytes")

            #expect(kill(try await process(daemon, "org.exthost.tests.gorges"), SIGUSR1) == 0)
            #expect(try items(of: await request.outcome).first?.userInfo?["answer"] as? Int == 1000)
            try await end("org.exthost.tests.gorges", daemon)
        }
    }

    @Test func aHostThatStopsStopsItsExtensionAndGoesOnWithNothingLost() async throws {
        let bundles = try TestBundles.withPuppet()
        let payload = bundles.path + "/payload.bin"
        try Data(repeating: 7, count: 100_000).write(to: URL(fileURLWithPath: payload))
        let path = bundles.path + "/pump.json"
        let (loads, atOnce, middle) = (1000, 60, 300)
        try Data(
            #"[{"userInfo": {"do": "pump", "argument": "\#(loads) \#(atOnce) \#(middle)"}, "attachments": [{"values": {"public.data": {"file": "payload.bin"}}}]}]"#
                .utf8
        ).write(to: URL(fileURLWithPath: path))
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "load=60s"]) { daemon in
            let before = try await daemon.control.status()
            let program = try Program.control(["run", puppet, "--items", path, "--json"], socket: daemon.address.path)
            try await daemon.event { $0.event == EventName.itemLoadFinished.rawValue }
            let pid = try await process(daemon, puppet)
            defer { kill(pid, SIGCONT) }
            try await eventually { isStopped(pid) }
            try program.signal(SIGSTOP)
            defer { try? program.signal(SIGCONT) }
            try await eventually { isStopped(program.pid) }
            // The daemon reads what the host had sent, some dozens of packets, before the extension goes on.
            for _ in 0..<8 { try await daemon.control.fence() }
            try #require(kill(pid, SIGCONT) == 0)
            // It takes what was answered before, and asks for as much as it may.
            try await openLoads(reach: atOnce, daemon)
            for _ in 0..<8 { try await daemon.control.fence() }
            let seen = try await started(daemon)
            #expect(seen.begun - seen.finished == atOnce && seen.begun < middle + 2 * atOnce, "\(seen)")
            let during = try await daemon.control.status()
            let grown = (during.peakMemory ?? 0) - (before.peakMemory ?? 0)
            #expect(isSanitized || grown < 8 * Self.mebibyte, "the daemon grew by \(grown) bytes")

            try program.signal(SIGCONT)
            let ending = try await program.ending()
            #expect(ending.status == 0, "\(ending)")
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any])
            let answer = try #require((report["items"] as? [[String: Any]])?.first?["userInfo"] as? [String: Any])
            #expect(answer["loads"] as? Int == loads && answer["bytes"] as? Int == loads * 100_000, "\(answer)")
        }
    }

    /// What a host owes is kept until it answers, however many of its requests have ended since.
    @Test func aHostThatAnswersNoLoadIsAskedNoMoreAtSomePoint() async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.addHostile("changesItsMindAgain")
        try await besideAHealthyRequest(bundles) { daemon in
            let verdict = try await HostilePeer.run(as: "host", "answersNoLoad", against: daemon)
            // Sixteen requests of 256 loads fill it.
            #expect(verdict.message == (Array(repeating: "0", count: 16) + ["300", "300"]).joined(separator: " "))
            try await end("org.exthost.tests.changesItsMindAgain", daemon)
        }
    }

    @Test func anExtensionThatBeginsAndCancelsDoesNotFloodAHostThatIsStopped() async throws {
        let bundles = try TestBundles()
        try bundles.addHostile("changesItsMind")
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "load=60s"]) { daemon in
            let program = try Program.control(
                ["run", "org.exthost.tests.changesItsMind", "--text", "x", "--json"], socket: daemon.address.path)
            try await daemon.event { $0.event == EventName.requestDelivered.rawValue }
            try program.signal(SIGSTOP)
            try await eventually { isStopped(program.pid) }
            #expect(kill(try await process(daemon, "org.exthost.tests.changesItsMind"), SIGUSR1) == 0)
            // Every question has its answer, though the host has read none; the result waits for it.
            try await daemon.event(within: .seconds(60)) { $0.event == EventName.requestCompleted.rawValue }
            try program.signal(SIGCONT)
            let ending = try await program.ending()
            #expect(ending.status == 0 && ending.output.contains(#""answer": 3000"#), "\(ending)")
        }
    }
}

// BoundClockTests: which of the daemon's bounds a virtual clock moves, and that what it does not move changes no log.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct BoundClockTests {
    private let epoch = 978_307_200_000_000

    /// Its process lives, so it may come back: five seconds of the daemon's time, which nobody but the test moves.
    private func playAbsence(_ bundles: TestBundles) async throws -> NormalForm {
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")])
            try await daemon.clock.advance(by: .seconds(10))
            host.crash()
            try await daemon.event { $0.event == EventName.connectionLost.rawValue && $0.host == "notes" }
            try await daemon.clock.advance(by: .milliseconds(4_999))
            #expect(try await daemon.control.requests().map(\.request) == [request.identifier])
            try await daemon.clock.advance(by: .milliseconds(1))
            let gone = try await daemon.event { $0.event == EventName.hostDisconnected.rawValue && $0.host == "notes" }
            #expect(gone.time == epoch + 15_000_000)
            return NormalForm(try await daemon.events())
        }
    }

    @Test func aHostThatStaysAwayIsGoneAfterFiveSecondsOfTheDaemonsTime() async throws {
        let bundles = try TestBundles.withPuppet()
        let (first, again) = (try await playAbsence(bundles), try await playAbsence(bundles))
        #expect(again.firstDifference(from: first) == nil, "\(first)\n\nand\n\n\(again)")
    }

    /// How long that takes it is its own speed, and an hour does not pass meanwhile.
    private func playReturn(_ bundles: TestBundles) async throws -> NormalForm {
        try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: ["--timer", "idle=1h"]) {
            daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("sleep", "60")])
            host.application.dropConnection()
            try await daemon.event { $0.event == EventName.connectionLost.rawValue && $0.host == "notes" }
            try await daemon.clock.advance(by: .seconds(3600))
            #expect(await request.outcome.kind == .completed)
            let back = try await daemon.event { $0.event == EventName.connectionResumed.rawValue && $0.host == "notes" }
            #expect(back.time == epoch)
            return NormalForm(try await daemon.events())
        }
    }

    @Test func aHostThatComesBackIsWaitedForHoweverFarTheClockIsMoved() async throws {
        let bundles = try ClockScenario.bundles()
        let (first, again) = (try await playReturn(bundles), try await playReturn(bundles))
        #expect(again.firstDifference(from: first) == nil, "\(first)\n\nand\n\n\(again)")
    }

    /// A rate is so much a second of the daemon's time.
    @Test func outputIsAllowedByTheDaemonsTime() async throws {
        let bundles = try TestBundles.withPuppet()
        let arguments = ["--limit", "output=16KiB", "--timer", "idle=1h"]
        try await withTestDaemon(applications: [bundles.path], clock: .virtual, arguments: arguments) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            for seconds in 0...2 {
                for _ in 0..<2 {
                    let request = try await host.begin(puppet, items: [order("print", "100000")])
                    #expect(await request.outcome.kind == .completed)
                }
                try await daemon.settle(host)
                #expect(output.text.utf8.count == (seconds + 1) * 16 << 10)
                try await daemon.clock.advance(by: .seconds(1))
            }
        }
    }

    /// A debugger that is there is found before time moves; nobody has to wait for the next look.
    @Test func aRequestGoesOnAtTheTimeAtWhichADebuggerWasAttached() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let request = try host.application.start(puppet, items: [order("count")], waitsForDebugger: true)
            let pid = try #require(await request.held())
            try await daemon.clock.advance(by: .seconds(5))
            let script = SampleApplications.root + "/Tests/Fixtures/Python/tracer.py"
            let tracer = try Program.run("/usr/bin/python3", [script, "\(pid)"], socket: daemon.address.path)
            try await tracer.shows("attached")
            try await daemon.clock.advance(by: .seconds(60))
            #expect(await request.outcome.kind == .completed)
            let delivered = try await daemon.event { $0.event == EventName.requestDelivered.rawValue }
            #expect(delivered.time == epoch + 5_000_000)
            try tracer.kill()
        }
    }

    /// Who connects has five seconds of real time: an hour of the clock's does not count.
    @Test func aConnectionThatHasSaidNothingYetIsNotRefusedForTheTestsTime() async throws {
        let bundles = try TestBundles.withPuppet()
        // A round that took the five seconds says nothing.
        for _ in 0..<20 {
            let isTold = try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
                let start = ContinuousClock.now
                let stranger = try Socket.connect(to: daemon.address.path)
                try await daemon.clock.advance(by: .seconds(3600))
                let names = try await daemon.events().map(\.event)
                guard ContinuousClock.now - start < .seconds(4) else { return false }
                #expect(!names.contains(EventName.peerRefused.rawValue))
                withExtendedLifetime(stranger) {}
                return true
            }
            if isTold { return }
        }
        Issue.record("each of 20 rounds took four seconds")
    }
}

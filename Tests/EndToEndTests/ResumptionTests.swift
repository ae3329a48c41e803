// Resumption: connections that are lost for a moment lose and double nothing; those that stay away end their requests.

import Locks
@testable import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing

@Suite struct ResumptionTests {
    /// A hundred requests with a load each, over a connection that is cut every few packets with what is on the way.
    @Test(arguments: [1, 2, 3] as [UInt64]) func aHostBehindALossyConnectionLosesAndDoublesNothing(seed: UInt64)
        async throws
    {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let relay = try LossyRelay(to: daemon.address.path, packets: 2...12, seed: seed)
            defer { relay.stop() }
            let host = try await HostApplication.connect(
                name: "notes", to: DaemonAddress(path: relay.path), patience: .seconds(30))
            let count = 100
            let asked = Counts()
            let values = try await withThrowingTaskGroup(of: (Int, String?).self) { group in
                var values: [Int: String] = [:]
                for number in 0..<count {
                    // A host may have 64 requests open.
                    if number >= 40, let (done, value) = try await group.next() { values[done] = value }
                    if number == 40 { try await host.setState(.background) }
                    if number == 80 { try await host.setState(.active) }
                    group.addTask {
                        let provider = NSItemProvider()
                        provider.registerItem(forTypeIdentifier: "public.url") { completion, _, _ in
                            asked.add(number)
                            completion?(NSURL(string: "https://example.org/\(number)"), nil)
                        }
                        let request = try await host.begin(puppet, items: [order("load", attachments: [provider])])
                        return (number, try items(of: await request.outcome).first?.userInfo?["value"] as? String)
                    }
                }
                for try await (number, value) in group { values[number] = value }
                return values
            }
            #expect(values == Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, "https://example.org/\($0)") }))
            #expect(
                asked.all == Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, 1) }),
                "each load was asked for once")
            let events = try await daemon.events()
            #expect(events.all(.requestCompleted).count == count)
            #expect(events.ends.count == count)
            #expect(events.all(.hostConnected).count == 1)
            #expect(events.all(.hostDisconnected).isEmpty)
            #expect(relay.cutCount > 20)
            #expect(events.all(.hostStateChanged).map(\.to) == ["inactive", "background", "inactive", "active"])
            host.disconnect()
        }
    }

    /// Confined by all layers, without a view of its own, and not at all.
    @Test(arguments: ["namespace", "guardian", "session"], Language.allCases)
    func anExtensionThatLosesItsConnectionGoesOn(means: String, language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        let arguments = ["--timer", "term=20s", "--timer", "idle=1min", "--tree-kill", means]
        try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let provider = NSItemProvider(item: NSURL(string: "https://example.org"), typeIdentifier: "public.url")
            let request = try await host.begin(puppet, items: [order("lose", "20", attachments: [provider])])
            #expect(try items(of: await request.outcome).first?.userInfo?["value"] as? String == "https://example.org")
            // It loses its connection once more while it answers, and gets nothing new until it is back. Once a fence
            // is answered the daemon has seen what had happened before it.
            try await eventually { output.text.contains("for the last time") }
            try await daemon.control.fence()
            try await eventually {
                let events = try await daemon.events()
                return events.all(.connectionResumed).count == events.all(.connectionLost).count
            }
            // The same process serves the next.
            let next = try await host.begin(puppet, items: [order("count")])
            #expect(try items(of: await next.outcome).count == 1)
            #expect(next.processIdentifier == request.processIdentifier)
            let events = try await daemon.events()
            #expect(events.all(.connectionLost).count > 0)
            #expect(events.all(.connectionResumed).count == events.all(.connectionLost).count)
            #expect(events.ends.count == 2)
        }
    }

    /// What comes through the door is no host, whatever it says, and the next takes its place.
    @Test func theDoorOfAnExtensionLeadsToItsOwnSessionOnly() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "door", script: try TestBundles.source("Tests/Fixtures/Python/door.py"),
            beside: ["exthost.py": try TestBundles.source("Sources/Samples/Python/exthost.py")])
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.door", items: [order("knock")])
            let answer = try #require(try items(of: await request.outcome).first?.userInfo)
            #expect(answer["first"] as? String == "closed")
            #expect(
                (answer["second"] as? String)?.contains("through the reconnect socket of an extension") == true,
                "\(answer)")
            #expect(
                answer["rubbish"] as? String == "closed" && answer["again"] as? String == answer["second"] as? String)
            #expect(try await daemon.control.hosts().map(\.host) == ["notes"])
        }
    }

    @Test func aHostThatComesBackFindsItsRequestOpen() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("notices", "1")])
            host.application.dropConnection()
            try await daemon.event { $0.event == EventName.connectionResumed.rawValue && $0.host == "notes" }
            // Not before the extension watches.
            try await daemon.event { $0.event == EventName.processOutput.rawValue }
            try await host.setState(.inactive)
            #expect(try items(of: await request.outcome).count == 1)
            #expect(try await daemon.control.hosts().map(\.host) == ["notes"])
        }
    }

    @Test func aWatchGoesOnWhereItWasAndMissesNoEvent() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let relay = try LossyRelay(to: daemon.address.path, packets: 1...4, seed: 9)
            defer { relay.stop() }
            let watcher = try await DaemonControl.connect(
                name: "watcher", to: DaemonAddress(path: relay.path), patience: .seconds(30))
            let last = OneSignal()
            let seen = Task {
                // Also where the watch ends before: its error is told below.
                defer { last.fire() }
                var sequences: [Int] = []
                for try await batch in watcher.watch(since: 0, follow: true) {
                    sequences += batch.events.map(\.sequence)
                    if batch.events.contains(where: { $0.host == "last" }) { break }
                }
                return sequences
            }
            for _ in 0..<30 { _ = await (try host.begin(puppet, items: [order("count")])).outcome }
            _ = try await daemon.host("last")
            await last.wait()
            let sequences = try await seen.value
            #expect(sequences == Array(1...sequences.count))
            #expect(relay.cutCount > 3)
        }
    }

    private struct Comeback: Decodable {
        let received: Int?
        let cause: String?
        let words: String?
    }

    /// By the protocol's page alone, from a process of its own.
    @Test(
        arguments: [
            ("sound", 2, "cancelledByHost", nil), ("said_again", 2, "cancelledByHost", nil),
            ("two_at_once", 2, "cancelledByHost", nil), ("unknown_token", nil, nil, nil),
            ("other_process", nil, nil, nil),
            ("impossible_serial", nil, nil, "no packet with the serial 77 was sent, or is still stored"),
        ] as [(String, Int?, String?, String?)])
    func onlyTheSameProcessWithTheTokenOfItsSessionComesBack(
        act: String, received: Int?, cause: String?, words: String?
    ) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let ending = try await Program.run(
                SampleApplications.root + "/Tests/Fixtures/Python/comeback.py", [act], socket: daemon.address.path
            ).ending()
            #expect(ending.status == 0, "\(ending.errors)")
            let found = try JSONDecoder().decode(Comeback.self, from: Data(ending.output.utf8))
            #expect(found.received == received)
            #expect(found.cause == cause)
            if let words { #expect(found.words?.contains(words) == true) }
            // The process is gone, and whatever it left open went with it.
            try await daemon.event { $0.event == EventName.requestCancelled.rawValue }
            #expect(try await daemon.control.requests().isEmpty)
        }
    }

    /// Without a word, and its process lives on: it has a moment, then its requests are dropped.
    @Test func aHostThatStaysAwayLosesItsRequests() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let relay = try LossyRelay(to: daemon.address.path, packets: 100...100, seed: 1)
            let host = try await HostApplication.connect(
                name: "notes", to: DaemonAddress(path: relay.path), patience: .zero)
            let request = try await host.begin(puppet, items: [order("hang")])
            relay.stop()
            host.dropConnection()
            #expect(await request.outcome.cause == .connectionLost)
            let end = try await daemon.event { $0.request == request.identifier && EventName.ends.contains($0.event) }
            #expect(end.cause == .cancelledByHost)
            let names = try await daemon.events().map(\.event)
            #expect(names.contains(EventName.connectionLost.rawValue))
            #expect(names.contains(EventName.hostDisconnected.rawValue))
        }
    }

    /// A host outlives its daemon: what was open has ended once, and the host goes on with the next daemon at the same
    /// place.
    // not simulated: N-014
    @Test func aHostGoesOnWithTheNextDaemon() async throws {
        let bundles = try TestBundles.withPuppet()
        let folder = try TestBundles()
        let address = DaemonAddress(path: folder.path + "/exthost/host.sock")
        let first = try await Program.daemon(in: folder.path, ["--applications", bundles.path])
        let host = try await HostApplication.connect(name: "notes", to: address, patience: .seconds(30))
        try await host.setState(.background)
        let request = try await host.begin(puppet, items: [order("hang")])
        try first.kill()
        _ = try await first.ending()
        let second = try await Program.daemon(in: folder.path, ["--applications", bundles.path])
        #expect(await request.outcome.cause == .connectionLost)
        let again = try await host.begin(puppet, items: [order("count")])
        #expect(await again.outcome.kind == .completed)
        let control = try await DaemonControl.connect(name: "test", to: address)
        #expect(try await control.hosts().map(\.host) == ["notes"])
        #expect(try await control.hosts().map(\.state) == [.background])
        host.disconnect()
        try second.interrupt()
        #expect(try await second.ending().status == 0)
    }
}

/// As functions: several closures inside the conditions of one test can be taken for one another by the compiler (Swift
/// 6.3.1).
extension [EventRecord] {
    fileprivate func all(_ event: EventName) -> [EventRecord] { filter { $0.event == event.rawValue } }
    fileprivate var ends: [EventRecord] { filter { EventName.ends.contains($0.event) } }
}

/// How often each of some things happened.
private final class Counts: Sendable {
    private let counts = Mutex<[Int: Int]>([:])
    func add(_ number: Int) { counts.withLock { $0[number, default: 0] += 1 } }
    var all: [Int: Int] { counts.withLock { $0 } }
}

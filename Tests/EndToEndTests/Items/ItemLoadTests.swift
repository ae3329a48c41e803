// ItemLoadTests: lazy loads between a host, a daemon and an extension: progress, cancellation, ends, order.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Locks
import TestPrograms
import Testing

/// A provider whose data handler waits for the test, which can move its progress and answer, also late or twice.
final class HeldLoad: Sendable {
    let provider = NSItemProvider()
    let work = WatchedProgress(totalUnitCount: 100)
    let asked = OneSignal()
    private let completions = Mutex<[@Sendable (Data?, (any Error)?) -> Void]>([])

    init() {
        provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) {
            [work, asked, completions = Box(self)] in
            completions.holder?.add($0)
            asked.fire()
            return work
        }
    }

    /// The handler must not keep what keeps it.
    private final class Box: Sendable {
        private let kept = Mutex<Weak>(Weak())
        private struct Weak: Sendable { weak var value: HeldLoad? }
        var holder: HeldLoad? { kept.withLock { $0.value } }
        init(_ value: HeldLoad) { kept.withLock { $0.value = value } }
    }

    private func add(_ completion: @escaping @Sendable (Data?, (any Error)?) -> Void) {
        completions.withLock { $0.append(completion) }
    }

    func answer(_ data: Data) {
        for completion in completions.withLock({ $0 }) { completion(data, nil) }
    }

    func release() { completions.withLock { $0 = [] } }
}

/// Counts who asks how far it is.
final class WatchedProgress: Progress, @unchecked Sendable {
    private let counted = Atomic(0)

    var reads: Int { counted.load(ordering: .relaxed) }

    override var completedUnitCount: Int64 {
        get {
            counted.add(1, ordering: .relaxed)
            return super.completedUnitCount
        }
        set { super.completedUnitCount = newValue }
    }
}

@Suite struct ItemLoadTests {
    // spec: P-073
    @Test func cancellingALoadReachesTheHostsHandlerAndALateAnswerDisturbsNobody() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let load = HeldLoad()
            let request = try await host.begin(puppet, items: [order("cancelLoad", attachments: [load.provider])])
            await load.asked.wait()
            // The extension cancels once it sees the host at work.
            load.work.completedUnitCount = 5
            let answer = try items(of: await request.outcome).first?.userInfo
            #expect(
                answer?["code"] as? Int == CocoaError.userCancelled.rawValue
                    && answer?["domain"] as? String == NSCocoaErrorDomain
            )
            try await eventually { load.work.isCancelled }
            load.answer(Data([1]))
            load.answer(Data([2]))
            load.release()
            try await host.application.fence()
            // The connection is sound: the next request is served.
            let next = try await host.begin(puppet, items: [order("count")])
            #expect(await next.outcome.kind == .completed)
            #expect(try await daemon.events().filter { $0.event == EventName.itemLoadFinished.rawValue }.count == 1)
        }
    }

    // spec: P-073
    @Test func theHostsProgressIsSeenByTheExtensionAndNeverAfterTheAnswer() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let load = HeldLoad()
            let request = try await host.begin(puppet, items: [order("progress", attachments: [load.provider])])
            await load.asked.wait()
            for step in [Int64(20), 60] {
                load.work.completedUnitCount = step
                try await eventually { output.text.contains("progress \(step)\n") }
            }
            load.answer(Data(count: 7))
            let answer = try items(of: await request.outcome).first?.userInfo
            #expect(answer?["bytes"] as? Int == 7)
            #expect(answer?["seen"] as? [String] == ["20 of 100", "60 of 100", "done"])
            load.release()
        }
    }

    // spec: P-078
    @Test func theLoadTimerFailsALoadThatStandsStillAndStopsTheHostsHandler() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let load = HeldLoad()
            let request = try await host.begin(puppet, items: [order("progress", attachments: [load.provider])])
            await load.asked.wait()
            try await daemon.clock.advance(by: .seconds(9))
            // Work that goes on has its time again.
            load.work.completedUnitCount = 50
            try await eventually { output.text.contains("progress 50\n") }
            try await daemon.clock.advance(by: .seconds(9))
            #expect(!load.work.isCancelled)
            try await daemon.clock.advance(by: .seconds(2))
            #expect(try items(of: await request.outcome).first?.userInfo?["code"] as? Int == -1000)
            try await eventually { load.work.isCancelled }
            load.release()
        }
    }

    /// While its answer's own attachments are made nothing has been answered yet.
    @Test func anAttachmentOfTheAnswerMayBeMadeOfTheHosts() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let providers = [Data([1, 2, 3]), Data(repeating: 5, count: 100_000)].map { bytes in
                let provider = NSItemProvider()
                provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { answer in
                    answer(bytes, nil)
                    return nil
                }
                return provider
            }
            let request = try await host.begin(puppet, items: [order("derive", attachments: providers)])
            let back = try #require(try items(of: await request.outcome).first?.attachments)
            #expect(back.map(\.registeredTypeIdentifiers) == [["public.data"], ["public.data", "public.plain-text"]])
            #expect(try await back[0].loadDataRepresentation(forTypeIdentifier: "public.data") == Data([3, 2, 1]))
            #expect(
                try await back[1].loadDataRepresentation(forTypeIdentifier: "public.data")
                    == Data(repeating: 5, count: 100_000))
            #expect(try await back[1].loadItem(forTypeIdentifier: "public.plain-text", as: String.self) == "added")
        }
    }

    @Test func aFileThatTheExtensionReturnedAndRemovedCanBeReadAllTheSame() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin(puppet, items: [order("leave")])
            let item = try #require(try items(of: await request.outcome).first)
            try await eventually { output.text.contains("removed\n") }
            #expect(!FileManager.default.fileExists(atPath: item.userInfo?["path"] as? String ?? "/"))
            let back = try #require(item.attachments?.first)
            #expect(try await back.loadDataRepresentation(forTypeIdentifier: "public.text") == Data("left behind".utf8))
        }
    }

    // spec: A7, P-031
    @Test func theEndOfTheRequestStopsTheHostsHandler() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let load = HeldLoad()
            let request = try await host.begin(puppet, items: [order("load", attachments: [load.provider])])
            await load.asked.wait()
            try await request.cancel()
            guard case .cancelled(.cancelledByHost, let error) = await request.outcome else {
                throw UnexpectedOutcome(outcome: "\(await request.outcome)")
            }
            #expect(error.localizedDescription == "Extension cancelled by host.")
            try await eventually { load.work.isCancelled }
            // What the extension hears is not that somebody cancelled its load.
            try await eventually { output.text.contains(/load: .*\n/) }
            #expect(output.text.contains("load: -1000\n"), "\(output.text)")
            load.release()
        }
    }

    // spec: B9
    @Test func aHostThatDiesFailsTheLoadWithoutATimeLimit() async throws {
        let bundles = try TestBundles.withPuppet()
        // The daemon's clock stands still, so no time limit can end the load. How long that took is printed.
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("dying")
            let load = HeldLoad()
            let request = try await host.begin(puppet, items: [order("load", attachments: [load.provider])])
            await load.asked.wait()
            host.disconnect()
            let gone = try await daemon.event {
                $0.event == EventName.hostDisconnected.rawValue && $0.host == host.name
            }
            #expect(await request.outcome.cause == .connectionLost)
            var failed: Int?
            for try await batch in daemon.control.logs(of: puppet, follow: true) where failed == nil {
                failed = batch.lines.first { String(decoding: $0.bytes, as: UTF8.self) == "load: -1000" }?.time
                if failed != nil { break }
            }
            print("a host's death fails its load after \(try #require(failed) - gone.time) µs")
            load.release()
        }
    }

    // spec: B8, P-074
    @Test func whatIsForTheHostAloneIsNeitherNamedNorServed() async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.addHostile("loadsSecret")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let provider = NSItemProvider()
            for (type, visibility) in [
                ("org.example.secret", NSItemProviderRepresentationVisibility.ownProcess), ("public.text", .all),
            ] {
                provider.registerDataRepresentation(forTypeIdentifier: type, visibility: visibility) { answer in
                    answer(Data(type.utf8), nil)
                    return nil
                }
            }
            let request = try await host.begin(puppet, items: [order("types", attachments: [provider])])
            #expect(try items(of: await request.outcome).first?.userInfo?["types"] as? [[String]] == [["public.text"]])
            // An extension that asks for it all the same gets the error of a type that is not there.
            let item = NSExtensionItem()
            item.attachments = [provider]
            let asking = try await host.begin("org.exthost.tests.loadsSecret", items: [item])
            #expect(try items(of: await asking.outcome).first?.userInfo?["answer"] as? Int == -1000)
        }
    }

    // spec: P-167
    @Test func aHostsHandlersRunOnBackgroundThreads() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let onMain = Mutex<Bool?>(nil)
            let provider = NSItemProvider()
            provider.registerItem(forTypeIdentifier: "public.url") { answer, _, _ in
                onMain.withLock { $0 = Thread.isMainThread }
                answer?(URL(string: "https://example.org") as NSURL?, nil)
            }
            let request = try await host.begin(puppet, items: [order("load", attachments: [provider])])
            #expect(await request.outcome.kind == .completed)
            #expect(onMain.withLock { $0 } == false)
        }
    }

    // spec: P-066
    @Test func manyLoadsAreOpenAtOnceAndTheSlowestHoldsUpNobody() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let waiting = Mutex<[(Int, NSItemProvider.CompletionHandler?)]>([])
            let all = OneSignal()
            let kept = Waiting(waiting)
            let providers = (0..<40).map { number in
                let provider = NSItemProvider()
                provider.registerItem(forTypeIdentifier: "public.text") { answer, _, _ in
                    if kept.add((number, answer)) == 40 { all.fire() }
                }
                return provider
            }
            let request = try await host.begin(puppet, items: [order("order", attachments: providers)])
            // Every one is asked before any is answered.
            await all.wait()
            for (number, answer) in kept.take().sorted(by: { $0.0 > $1.0 }) { answer?("\(number)" as NSString, nil) }
            let order = try items(of: await request.outcome).first?.userInfo?["order"] as? [String]
            #expect(order?.compactMap(Int.init).sorted() == Array(0..<40))
        }
    }

    // spec: P-066
    @Test func moreLoadsThanMayBeOpenHaveTheirTurnOneAfterTheOther() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let (count, mostOpen) = (200, 64)
            let kept = Waiting(Mutex([]))
            let full = OneSignal()
            let providers = (0..<count).map { number in
                let provider = NSItemProvider()
                provider.registerItem(forTypeIdentifier: "public.text") { answer, _, _ in
                    guard kept.isOpen || kept.add((number, answer)) > mostOpen else {
                        if kept.count == mostOpen { full.fire() }
                        return
                    }
                    answer?("\(number)" as NSString, nil)
                }
                return provider
            }
            let request = try await host.begin(puppet, items: [order("order", attachments: providers)])
            await full.wait()
            // Time for questions that are too many to be asked, and refused.
            for _ in 0..<8 { try await daemon.control.fence() }
            #expect(kept.count == mostOpen)
            for (number, answer) in kept.open() { answer?("\(number)" as NSString, nil) }
            let order = try items(of: await request.outcome).first?.userInfo?["order"] as? [String]
            #expect(order?.compactMap(Int.init).sorted() == Array(0..<count))
        }
    }

    private final class Waiting: Sendable {
        private let list: Mutex<[(Int, NSItemProvider.CompletionHandler?)]>
        init(_ list: consuming sending Mutex<[(Int, NSItemProvider.CompletionHandler?)]>) { self.list = list }
        func add(_ entry: (Int, NSItemProvider.CompletionHandler?)) -> Int {
            list.withLock {
                $0.append(entry)
                return $0.count
            }
        }
        var count: Int { list.withLock { $0.count } }
        private let opened = Atomic(false)
        var isOpen: Bool { opened.load(ordering: .acquiring) }
        func open() -> [(Int, NSItemProvider.CompletionHandler?)] {
            opened.store(true, ordering: .releasing)
            return take()
        }
        func take() -> [(Int, NSItemProvider.CompletionHandler?)] {
            list.withLock { list in
                defer { list = [] }
                return list
            }
        }
    }

    // spec: P-088
    @Test func aSeedDecidesInWhichOrderAnExtensionGetsItsItems() async throws {
        let bundles = try TestBundles.withPuppet()
        let values = (0..<8).map { #"{"values": {"public.text": "\#($0)"}}"# }.joined(separator: ",")
        let path = bundles.path + "/order.json"
        try Data(#"[{"userInfo": {"do": "order"}, "attachments": [\#(values)]}]"#.utf8).write(
            to: URL(fileURLWithPath: path))
        var orders: [String: Set<String>] = [:]
        for seed in ["1", "2", "1", "2", "1"] {
            let ending = try await Program.control(
                ["--ephemeral", "run", puppet, "--items", path, "--json"],
                environment: ["EXTHOST_APPLICATIONS": bundles.path, "EXTHOST_ITEMS_SEED": seed]
            ).ending()
            #expect(ending.status == 0, "\(ending)")
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any])
            let item = try #require((report["items"] as? [[String: Any]])?.first?["userInfo"] as? [String: Any])
            orders[seed, default: []].insert("\(item["order"] ?? "")")
        }
        #expect(orders["1"]?.count == 1 && orders["2"]?.count == 1 && orders["1"] != orders["2"])
    }
}

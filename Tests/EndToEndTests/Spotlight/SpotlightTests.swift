// SpotlightTests: index extensions, and what a search then finds.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Locks
import PointHosts
import SpotlightStore
import Testing

@Suite struct SpotlightTests {
    // spec: SI-1, SI-19, PC-15
    @Test("SI-1, SI-19, PC-15: the request is complete when the acknowledgement handler has been called")
    func anExtensionIsAskedForAll() async throws {
        try await SpotlightStage.with { stage in
            let report = try await stage.reindex("put a First title", "put b Second title", "available")
            #expect(report.ending == .acknowledged && report.effect.added == 3)
            guard case .extension(let pid?) = report.asked else {
                Issue.record("\(report.asked)")
                return
            }
            #expect(pid > 0)
            #expect(try await stage.identifiers() == ["a", "b"])
            #expect(try await stage.said() == ["available true"])
            let events = try await stage.daemon.events()
            #expect(events.contains { $0.event == EventName.requestCompleted.rawValue })
            let names = events.filter { $0.event == EventName.callFinished.rawValue }.compactMap(\.detail)
            #expect(names.contains { $0.hasPrefix("index.reindexAllSearchableItems") }, "\(names)")
            #expect(names.contains { $0.hasPrefix("index.end") })
        }
    }

    // spec: SI-1
    @Test("SI-1: an extension is asked for items by their identifiers") func anExtensionIsAskedForItems() async throws {
        try await SpotlightStage.with { stage in
            let report = try await stage.spotlight.reindex(["x", "y"], of: SpotlightStage.identifier)
            #expect(report.ending == .acknowledged && report.effect.added == 2)
            let item = try #require(await stage.item("x"))
            #expect(item.attributes["keywords"] == ["x", "y"] && item.attributes["title"] == "again x")
            let again = try await stage.spotlight.reindex(["x"], of: SpotlightStage.identifier)
            #expect(again.effect.replaced == 1 && again.effect.added == 0)
        }
    }

    // spec: SI-1
    @Test("SI-1: changes before the acknowledgement are in the index, also if the author has not waited for them")
    func theAcknowledgementComesAfterTheChanges() async throws {
        try await SpotlightStage.with { stage in
            let report = try await stage.reindex("loose 0 300")
            #expect(report.ending == .acknowledged && report.effect.added == 300)
            #expect(try await stage.identifiers().count == 300)
        }
    }

    // spec: SI-3, SI-6
    @Test("SI-3, SI-6: items are replaced, get a UUID or a month, and expire") func itemsComeAndGo() async throws {
        let clock = MovableClock()
        try await SpotlightStage.with(now: { clock.now }) { stage in
            try await stage.reindex("put a Old", "put a New", "random Nameless", "expire e 100")
            #expect(try await stage.item("a")?.attributes["title"] == "New")
            let random = try #require(try await stage.spotlight.search("nameless").first)
            #expect(UUID(uuidString: random.identifier) != nil)
            let month: Double = 30 * 24 * 3600
            let expires = random.expires - clock.now.timeIntervalSinceReferenceDate
            #expect(abs(expires - month) < 3600)
            #expect(try await stage.spotlight.search("expires").count == 1)
            // The extension counted from its own clock, which has gone on since this one was made.
            clock.advance(by: 1_000)
            #expect(try await stage.spotlight.search("expires").isEmpty)
            clock.advance(by: month)
            #expect(try await stage.spotlight.items.isEmpty)
        }
    }

    // spec: SI-4, SI-5, SI-13
    @Test("SI-4, SI-5, SI-13: an update keeps attributes, and a domain is deleted with those below it")
    func updatesAndDomains() async throws {
        try await SpotlightStage.with { stage in
            try await stage.reindex("put a Title", "update a org_example_flavour vanilla")
            let item = try #require(await stage.item("a"))
            #expect(item.attributes["title"] == "Title" && item.attributes["org_example_flavour"] == "vanilla")
            #expect(try await stage.spotlight.search("vani").map(\.identifier) == ["a"])
            let report = try await stage.reindex("many 0 10", "deleteDomain many.1")
            #expect(report.effect.deleted == 5)
            let all = try await stage.reindex("put z Last", "deleteDomain many", "delete a nobody")
            #expect(all.effect.deleted == 6)
            #expect(try await stage.identifiers() == ["z"])
            try await stage.reindex("deleteAll")
            #expect(try await stage.spotlight.items.isEmpty)
        }
    }

    // spec: SI-7, SI-8, SI-9
    @Test("SI-7, SI-8, SI-9: a batch has a client state of at most 250 bytes, and the default index has none")
    func batches() async throws {
        try await SpotlightStage.with { stage in
            try await stage.reindex(
                "state notes", "batch notes one 0 3", "state notes", "open notes 3 2", "long notes", "state notes",
                "state other")
            #expect(try await stage.identifiers() == ["0", "1", "2"])
            #expect(
                try await stage.said() == [
                    "state ", "state one", "long notes: CSIndexErrorDomain -1002", "state one", "state ",
                ])
            try await stage.reindex("deleteAll", "batch default x 5 1", "state default")
            #expect(
                try await stage.said() == [
                    "batch default x 5 1: CSIndexErrorDomain -1002", "state default: CSIndexErrorDomain -1002",
                ])
            // Without batches its changes are made at once.
            #expect(try await stage.identifiers() == ["5"])
        }
    }

    // spec: SI-7
    @Test("SI-7: a batch with a refused change fails, another begin drops a batch, and an end may be repeated")
    func faultyBatches() async throws {
        try await SpotlightStage.with { stage in
            try await stage.reindex("refused notes", "state notes")
            #expect(try await stage.said() == ["refused notes: CSIndexErrorDomain -1001", "state "])
            #expect(try await stage.identifiers().isEmpty)
            // More than may be open at once.
            try await stage.reindex("deleteAll", "again notes 20", "released 20", "state notes", "again notes 20")
            #expect(try await stage.said() == ["state again"])
            #expect(try await stage.identifiers() == ["20"])
            try await stage.reindex("deleteAll", "twice notes")
            #expect(try await stage.said() == ["early -1002"])
            #expect(try await stage.identifiers() == ["twice"])
        }
    }

    // spec: SI-7, SI-17
    @Test("SI-7, SI-17: a kill in the middle of a reindexing loses and doubles nothing")
    func aKillLosesNothing() async throws {
        try await SpotlightStage.with { stage in
            let killed = try await stage.reindex("resume notes 60 10 30")
            #expect(killed.ending == .interrupted(.crashed), "\(killed.ending)")
            #expect(killed.effect.added == 30)
            // The batch that was open is dropped.
            #expect(try await stage.identifiers().count == 30)
            let resumed = try await stage.reindex("state notes", "resume notes 60 10")
            #expect(resumed.ending == .acknowledged && resumed.effect.added == 31 && resumed.effect.replaced == 0)
            #expect(try await stage.said() == ["state 30"])
            #expect(Set(try await stage.identifiers()) == Set((0..<60).map { "\($0)" }))
            // All from the beginning: nothing is there twice.
            let again = try await stage.reindex("many 0 60")
            #expect(again.effect.added == 0 && again.effect.replaced == 60)
            #expect(try await stage.identifiers().count == 60)
        }
    }

    // spec: SI-9
    @Test("SI-9: errors have Apple's numbers") func errorsHaveTheirNumbers() async throws {
        var limits = SearchLimits()
        (limits.itemsPerFamily, limits.nameBytes) = (8, 20)
        try await SpotlightStage.with(limits: limits) { stage in
            try await stage.reindex("put averyveryverylongidentifier x", "many 0 9", "many 0 5")
            #expect(
                try await stage.said() == [
                    "put averyveryverylongidentifier x: CSIndexErrorDomain -1001", "many 0 9: CSIndexErrorDomain -1004",
                ])
            #expect(try await stage.identifiers().count == 5)
        }
        try await SpotlightStage.with { stage in
            try await stage.reindex("picture p \((10 << 20) + 1)", "picture q 100")
            #expect(try await stage.said() == ["picture p \((10 << 20) + 1): CSIndexErrorDomain -1001"])
        }
        let bundles = try TestBundles()
        try SpotlightStage.add(to: bundles)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            // Nobody serves the index.
            let host = try await daemon.host("spotlight").application
            try SpotlightStage.write("put a x", in: bundles)
            let spotlight = try SpotlightHost(host, store: nil)
            let report = try await spotlight.reindexAll(SpotlightStage.identifier)
            #expect(report.ending == .acknowledged && report.effect.added == 0)
            try await spotlight.serve()
            try SpotlightStage.write("put a x", in: bundles)
            #expect(try await spotlight.reindexAll(SpotlightStage.identifier).effect.added == 1)
        }
    }

    // spec: SI-10, SI-11
    @Test("SI-10, SI-11: a query finds items in batches, has a fault, or is cancelled") func queries() async throws {
        try await SpotlightStage.with { stage in
            try await stage.reindex(
                "many 0 300", #"query title == "Item 1*"c && title != "*9""#, #"query title == "item*""#,
                "query title ==", #"cancel title == "Item*""#)
            let wanted = (0..<300).map { "Item \($0)" }.filter { $0.hasPrefix("Item 1") && !$0.hasSuffix("9") }
            #expect(
                try await stage.said() == [
                    "\(wanted.count) in batches: \(wanted.sorted().joined(separator: ", "))", "0 in none: ",
                    "CSSearchQueryErrorDomain -2002", "CSSearchQueryErrorDomain -2003",
                ])
        }
    }

    // spec: SI-14
    @Test("SI-14: the file of a thumbnail is read while the call lasts") func thumbnails() async throws {
        try await SpotlightStage.with { stage in
            try await stage.reindex("picture p 70000")
            let item = try #require(await stage.item("p"))
            #expect(try await stage.spotlight.thumbnail(of: item) == [UInt8](repeating: 7, count: 70000))
            // The largest one.
            try await stage.reindex("picture p \(10 << 20)")
            #expect(try await stage.spotlight.thumbnail(of: item)?.count == 10 << 20)
        }
    }

    // spec: SI-15
    @Test("SI-15: changes of a throttled index wait") func changesWait() async throws {
        try await SpotlightStage.with { stage in
            await stage.spotlight.throttle(true)
            async let report = stage.reindex("put a Title")
            try await eventually {
                try await stage.daemon.events().contains { $0.event == EventName.callStarted.rawValue }
            }
            try await stage.host.fence()
            #expect(try await stage.spotlight.items.isEmpty)
            await stage.spotlight.throttle(false)
            #expect(try await report.ending == .acknowledged)
            #expect(try await stage.identifiers() == ["a", "throttling"])
        }
    }

    // spec: SI-15
    @Test("SI-15: an extension is told of the throttling, and of its end") func throttlingIsTold() async throws {
        try await SpotlightStage.with { stage in
            async let report = stage.reindex("put a Title", "keep")
            try await eventually { try await stage.identifiers() == ["a"] }
            await stage.spotlight.throttle(true)
            await stage.spotlight.throttle(true)
            await stage.spotlight.throttle(false)
            await stage.spotlight.throttle(false)
            // The extension has indexed what it was told, from within the second call.
            try await eventually { try await stage.identifiers() == ["a", "throttling"] }
            #expect(try await stage.item("throttling")?.attributes["title"] == "throttled unthrottled")
            try await stage.daemon.clock.advance(by: .seconds(301))
            #expect(try await report.ending == .timedOut)
        }
    }

    // spec: SI-15
    @Test("SI-15: all are told at once, and the last wish counts") func hangingExtensionsAreTold() async throws {
        let bundles = try TestBundles()
        for name in ["second", "third"] { try SpotlightStage.add(to: bundles, as: name) }
        try await SpotlightStage.with(bundles) { stage in
            let (spotlight, clock) = (stage.spotlight, stage.daemon.clock)
            for name in ["index", "second"] { try SpotlightStage.write("block", in: bundles, for: name) }
            try SpotlightStage.write("put later Later", in: bundles, for: "third")
            async let first = spotlight.reindexAll(SpotlightStage.identifier)
            async let second = spotlight.reindexAll("org.exthost.tests.second")
            let blocked = ["blocked-\(SpotlightStage.identifier)", "blocked-org.exthost.tests.second"]
            try await eventually { try await stage.identifiers() == blocked }
            /// Waits until both have been told so often.
            func told(_ count: Int) async throws {
                try await eventually {
                    try await stage.daemon.events().count {
                        $0.event == EventName.callStarted.rawValue
                            && $0.detail?.contains("Throttle") == true
                    } == count
                }
            }
            async let throttled: Void = spotlight.throttle(true)
            try await told(2)
            try await clock.advance(by: .seconds(31))
            await throttled
            // Changes go on in a moment, when another call wants them to wait.
            async let opened: Void = spotlight.throttle(false)
            try await told(4)
            async let throttledAgain: Void = spotlight.throttle(true)
            try await eventually { await spotlight.isThrottled }
            try await clock.advance(by: .seconds(31))
            try await told(6)
            async let third = spotlight.reindexAll("org.exthost.tests.third")
            try await eventually { await spotlight.waitingChanges == 1 }
            try await clock.advance(by: .seconds(31))
            _ = await (opened, throttledAgain)
            #expect(await spotlight.waitingChanges == 1)
            #expect(try await stage.identifiers() == blocked)

            async let openedAgain: Void = spotlight.throttle(false)
            try await told(9)
            try await clock.advance(by: .seconds(31))
            await openedAgain
            let ending = try await third.ending
            #expect(ending == .acknowledged)
            #expect(try await stage.identifiers().contains("later"))
            try await clock.advance(by: .seconds(301))
            let endings = try await [first.ending, second.ending]
            #expect(endings == [.timedOut, .timedOut])
        }
    }

    // spec: SI-16
    @Test("SI-16: each change of the index begins the five minutes anew") func aChangeRestartsTheQuietTime()
        async throws
    {
        try await SpotlightStage.with { stage in
            async let report = stage.reindex("put a Title", "keep")
            try await eventually { try await stage.identifiers() == ["a"] }
            try await stage.host.fence()
            try await stage.daemon.clock.advance(by: .seconds(200))
            // The extension indexes something when it hears of the end.
            await stage.spotlight.throttle(true)
            await stage.spotlight.throttle(false)
            try await eventually { try await stage.identifiers() == ["a", "throttling"] }
            try await stage.host.fence()
            try await stage.daemon.clock.advance(by: .seconds(299))
            #expect(try await stage.daemon.control.requests().count == 1)
            try await stage.daemon.clock.advance(by: .seconds(2))
            #expect(try await report.ending == .timedOut)
        }
    }

    // spec: SI-16
    @Test("SI-16: five minutes without a change of the index end the request, and what was indexed stays")
    func aQuietExtensionTimesOut() async throws {
        try await SpotlightStage.with { stage in
            async let report = stage.reindex("put a Title", "keep")
            try await eventually { try await stage.identifiers() == ["a"] }
            try await stage.host.fence()
            try await stage.daemon.clock.advance(by: .seconds(299))
            #expect(try await stage.daemon.control.requests().count == 1)
            try await stage.daemon.clock.advance(by: .seconds(2))
            #expect(try await report.ending == .timedOut)
            #expect(try await stage.identifiers() == ["a"])
            #expect(try await stage.daemon.control.requests().isEmpty)
        }
    }

    // spec: PC-5, PC-10, SI-1
    @Test("PC-5, PC-10: a dropped handler and a principal class that is none are told") func faults() async throws {
        try await SpotlightStage.with { stage in
            let report = try await stage.reindex("put a Title", "drop")
            guard case .failed(let error) = report.ending else {
                Issue.record("\(report.ending)")
                return
            }
            #expect(error.code == .handlerDropped)
        }
        try await SpotlightStage.with(principal: "Indexer.Stranger") { stage in
            let report = try await stage.reindex("put a Title")
            guard case .failed(let error) = report.ending else {
                Issue.record("\(report.ending)")
                return
            }
            #expect(error.code == .principalUnsuitable && error.message.contains("CSIndexExtensionRequestHandler"))
        }
    }

    // spec: SI-1
    @Test("SI-1: an extension gives the data and the file of an item") func contentsOfItems() async throws {
        try await SpotlightStage.with { stage in
            let data = try await stage.spotlight.data(of: "a", type: "public.text", from: SpotlightStage.identifier)
            #expect(String(decoding: data, as: UTF8.self) == "data of a")
            await #expect(throws: (any Error).self) {
                try await stage.spotlight.data(of: "a", type: "public.png", from: SpotlightStage.identifier)
            }
            let file = try await stage.spotlight.file(
                of: "a", type: "public.text", inPlace: true, from: SpotlightStage.identifier)
            #expect(file.name == "a.txt")
        }
    }

    // spec: SI-9
    @Test("SI-9: a file that another host uses, and one that is no index, are refused") func filesAreRefused()
        async throws
    {
        try await SpotlightStage.with { stage in
            let path = stage.bundles.path + "/index.sqlite"
            let first = try SpotlightHost(stage.host, store: path)
            for (file, code) in [(path, -1000), (stage.bundles.app + "/Info.plist", -1)] {
                let error = #expect(throws: NSError.self) { try SpotlightHost(stage.host, store: file) }
                #expect(error?.domain == "CSIndexErrorDomain" && error?.code == code, "\(String(describing: error))")
            }
            #expect(try await first.items.isEmpty)
        }
    }

    // spec: SI-10, SI-11
    @Test("SI-10: a query that compares too much ends, and another app's goes on") func expensiveQueries() async throws
    {
        var limits = SearchLimits()
        limits.workPerQuery = 200_000
        try await SpotlightStage.with(limits: limits) { stage in
            let many = (0..<40).map { "* == \"*nowhere\($0)*\"" }.joined(separator: " || ")
            try await stage.reindex("many 0 600", "query \(many)", #"query title == "Item 59""#)
            #expect(try await stage.said() == ["CSSearchQueryErrorDomain -2002", "1 in batches: Item 59"])
            let error = await #expect(throws: NSError.self) { try await stage.spotlight.query(many) }
            #expect(error?.localizedDescription.contains("Use fewer comparisons") == true)
        }
    }

    // spec: SI-7, SI-17
    @Test("SI-17: an index and its client states outlive a restart of the daemon and of the host")
    func theIndexOutlivesTheDaemon() async throws {
        let bundles = try TestBundles()
        try SpotlightStage.add(to: bundles)
        let path = bundles.path + "/index.sqlite"
        try await withRestartingDaemon(bundles: bundles) { manager in
            do {
                let host = try await HostApplication.connect(name: "spotlight", to: manager.address)
                let spotlight = try SpotlightHost(host, store: path)
                try await spotlight.serve()
                try SpotlightStage.write("batch notes one 0 3", "put stays Stays", "keep", in: bundles)
                async let report = spotlight.reindexAll(SpotlightStage.identifier)
                try await eventually { try await spotlight.items.count == 4 }
                manager.kill()
                try await eventually { manager.starts == 2 }
                _ = try? await report
                try SpotlightStage.write("state notes", "batch notes two 3 3", "state notes", in: bundles)
                try await eventually {
                    (try? await spotlight.reindexAll(SpotlightStage.identifier).ending) == .acknowledged
                }
                let said = try await spotlight.items.filter { $0.identifier.hasPrefix("said-") }.reversed()
                #expect(said.compactMap { $0.attributes["title"]?.string } == ["state one", "state two"])
                #expect(try await spotlight.items.count == 9)
                host.disconnect()
            }
            let host = try await HostApplication.connect(name: "next", to: manager.address)
            var next: SpotlightHost?
            // The last host's objects go with its connection.
            try await eventually {
                next = try? SpotlightHost(host, store: path)
                return next != nil
            }
            let spotlight = try #require(next)
            try await spotlight.serve()
            #expect(try await spotlight.items.count == 9)
            #expect(try await spotlight.search("stays", of: SpotlightStage.identifier).count == 1)
            withExtendedLifetime(host) {}
        }
    }

    @Test("PC-21: a host has no index, and there is one index for each user") func onlyAppsHaveAnIndex() async throws {
        try await SpotlightStage.with { stage in
            let second = try await stage.daemon.host("other").application
            let error = await #expect(throws: ExtensionHostError.self) {
                try await second.connect(toService: "org.exthost.spotlight")
            }
            #expect(error?.code == .notPermitted)
            let other = try SpotlightHost(second, store: nil)
            await #expect(throws: ExtensionHostError.self) { try await other.serve() }
        }
    }
}

/// A clock that a test moves.
private final class MovableClock: Sendable {
    private let offset = Mutex(0.0)
    private let start = Date()
    var now: Date { start.addingTimeInterval(offset.withLock { $0 }) }
    func advance(by seconds: Double) { offset.withLock { $0 += seconds } }
}

// NotificationServiceTests: a notification service, from the payload to what is shown (spec NS-1 to NS-8).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import TestPrograms
import Testing

@Suite struct NotificationServiceTests {
    static let service = "org.exthost.tests.service"

    static func withService(
        mayHide: Bool = false, strings: [String: String] = [:], languages: [String] = ["en"],
        _ body: (TestDaemon, NotificationHost) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "service", program: SampleApplications.buildFolder + "/Notifier",
            point: "com.apple.usernotifications.service",
            principalClass: "Notifier.NotificationService")
        for (language, text) in strings {
            let folder = bundles.path + "/Tests.app/\(language).lproj"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/Localizable.strings"))
        }
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("springboard")
            try await body(daemon, NotificationHost(host.application, mayHide: mayHide, languages: languages))
        }
    }

    /// A payload with a title, and members beside `aps`.
    static func payload(_ more: [String: Any] = [:], aps: [String: Any] = ["mutable-content": 1]) throws -> Data {
        var root = more
        root["aps"] = ["alert": ["title": "Hello", "body": "World"]].merging(aps) { $1 }
        return try JSONSerialization.data(withJSONObject: root)
    }

    // spec: NS-1
    @Test func onlyAMutableAlertIsGivenToTheExtension() async throws {
        try await Self.withService { daemon, host in
            let changed = try await host.push(Self.payload(), to: Self.service)
            #expect(
                changed.reason == nil && changed.shown?.title == "Hello [changed]" && changed.shown?.body == "World")
            for aps in [["mutable-content": 0], ["alert": NSNull(), "mutable-content": 1]] as [[String: Any]] {
                let asked = try await daemon.events().count { $0.event == EventName.requestCreated.rawValue }
                let same = try await host.push(Self.payload(aps: aps), to: Self.service)
                #expect(same.reason == .notMutable && same.shown == same.original)
                #expect(try await daemon.events().count { $0.event == EventName.requestCreated.rawValue } == asked)
            }
            await #expect(throws: ExtensionHostError.self) { try await host.push(Data("[]".utf8), to: Self.service) }
        }
    }

    // not simulated: N-151
    @Test func aDonatedMessageChangesNothingAndIsToldOnce() async throws {
        try await Self.withService { daemon, host in
            for _ in 0..<2 {
                let answer = try await host.push(Self.payload(["act": "message"]), to: Self.service)
                #expect(answer.shown?.title == "Hello [changed]" && answer.shown?.body == "World")
                #expect(answer.shown?.subtitle == "ada@example.org Engines true")
            }
            func told() async throws -> Int {
                try await Program.control(["logs", Self.service], socket: daemon.address.path).ending().output
                    .components(separatedBy: "INInteraction.donate has no effect").count - 1
            }
            try await eventually { try await told() > 0 }
            #expect(try await told() == 1)
        }
    }

    // not simulated: N-150
    @Test func aServicesOwnNotificationsAreRefusedByName() async throws {
        try await Self.withService { _, host in
            let answer = try await host.push(Self.payload(["act": "center"]), to: Self.service)
            #expect(
                answer.shown?.body == "notSimulated false notSimulated 0 0 notDetermined notSupported reply",
                "\(String(describing: answer.shown))")
        }
    }

    // spec: NS-2
    @Test func theWarningComesAfterThirtySecondsAndTwoMoreRemain() async throws {
        try await Self.withService { daemon, host in
            let answered = Task { try await host.push(Self.payload(["act": "hang"]), to: Self.service) }
            try await daemon.event { $0.event == EventName.callStarted.rawValue }
            try await daemon.clock.advance(by: .milliseconds(29_900))
            #expect(try await daemon.events().allSatisfy { $0.event != EventName.callFinished.rawValue })
            try await daemon.clock.advance(by: .milliseconds(100))
            let inTime = try await answered.value
            #expect(inTime.reason == nil && inTime.shown?.title == "in time")
            #expect(await inTime.duration == 30)
        }
    }

    // spec: NS-2, NS-3
    @Test func withoutAnAnswerTheOriginalIsShown() async throws {
        try await Self.withService { daemon, host in
            let late = Task { try await host.push(Self.payload(["act": "hangForEver"]), to: Self.service) }
            try await daemon.event { $0.event == EventName.callStarted.rawValue }
            try await daemon.clock.advance(by: .seconds(30))
            #expect(try await daemon.events().allSatisfy { $0.event != EventName.callFinished.rawValue })
            try await daemon.clock.advance(by: .seconds(2))
            let timedOut = try await late.value
            #expect(timedOut.reason == .timedOut && timedOut.shown == timedOut.original)
            #expect(await timedOut.duration == 32)
            let dropped = try await host.push(Self.payload(["act": "drop"]), to: Self.service)
            #expect(dropped.reason == .handlerDropped && dropped.shown == dropped.original)
            let dead = try await host.push(Self.payload(["act": "exit"]), to: Self.service)
            #expect(dead.reason == .ended(.exitedEarly) && dead.shown == dead.original)
        }
    }

    // spec: NS-4
    @Test func theFirstContentCountsAndAnEmptyOneHidesOnlyWithTheRight() async throws {
        try await Self.withService { daemon, host in
            let twice = try await host.push(Self.payload(["act": "twice"]), to: Self.service)
            #expect(twice.shown?.title == "Hello [changed]")
            try await daemon.event { $0.detail?.contains("E_HANDLER_TWICE") == true }
            let empty = try await host.push(Self.payload(["act": "empty"]), to: Self.service)
            #expect(empty.reason == .empty && empty.shown == empty.original)
        }
        try await Self.withService(mayHide: true) { _, host in
            let hidden = try await host.push(Self.payload(["act": "empty"]), to: Self.service)
            #expect(hidden.reason == nil && hidden.shown == nil)
        }
    }

    // spec: NS-6
    @Test("NS-6: one process serves several notifications, each by an object of its own, in any order")
    func severalNotificationsAreServedAtOnceByOneProcess() async throws {
        try await Self.withService { daemon, host in
            var open: [String: Task<NotificationHost.Presentation, any Error>] = [:]
            for name in ["a", "b", "c"] {
                let number = open.count + 1
                open[name] = Task { try await host.push(Self.payload(["act": "keep"]), to: Self.service, id: name) }
                try await daemon.event { $0.detail?.hasPrefix("notification.didReceive \(number) by") == true }
            }
            let first = try await host.push(Self.payload(["act": "answer", "names": ["c", "a"]]), to: Self.service)
            let pid = try #require(first.request?.processIdentifier)
            for (name, object) in [("c", 3), ("a", 1)] {
                let shown = try #require(try await open[name]?.value)
                #expect(shown.reason == nil && shown.shown?.body == "object \(object) got \(name)")
                #expect(shown.request?.processIdentifier == pid)
            }
            // The object of each of these has gone with its notification: b's and this one's are left.
            try await daemon.clock.advance(by: .zero)
            let count = try await host.push(Self.payload(["act": "count"]), to: Self.service)
            #expect(count.shown?.body == "object 5, 2 alive")
            let last = try await host.push(Self.payload(["act": "answer", "names": ["b"]]), to: Self.service)
            #expect(try await open["b"]?.value.shown?.body == "object 2 got b")
            #expect(last.request?.processIdentifier == pid)
        }
    }

    // spec: NS-6
    @Test("NS-6: one that hangs shows its original while others end, and a death ends all that are open")
    func oneThatHangsOrDiesEndsAsItselfOnly() async throws {
        try await Self.withService { daemon, host in
            let hangs = Task {
                try await host.push(Self.payload(["act": "hangForEver"]), to: Self.service, id: "hangs")
            }
            try await daemon.event { $0.event == EventName.callStarted.rawValue }
            try await daemon.clock.advance(by: .seconds(20))
            let later = Task { try await host.push(Self.payload(["act": "hang"]), to: Self.service, id: "later") }
            try await daemon.event { $0.detail?.hasPrefix("notification.didReceive 2 by") == true }
            try await daemon.clock.advance(by: .seconds(12))
            let timedOut = try await hangs.value
            #expect(timedOut.reason == .timedOut && timedOut.shown == timedOut.original)
            #expect(await timedOut.duration == 32)
            let other = try await host.push(Self.payload(), to: Self.service)
            #expect(other.reason == nil)
            try await daemon.clock.advance(by: .seconds(18))
            let inTime = try await later.value
            #expect(inTime.reason == nil && inTime.shown?.title == "in time")
            #expect(await inTime.duration == 30)

            let victim = Task { try await host.push(Self.payload(["act": "keep"]), to: Self.service, id: "victim") }
            try await daemon.event { $0.detail?.hasPrefix("notification.didReceive 4 by") == true }
            let dead = try await host.push(Self.payload(["act": "exit"]), to: Self.service)
            let hit = try await victim.value
            #expect(dead.reason == .ended(.exitedEarly) && hit.reason == .ended(.exitedEarly))
            #expect(hit.shown == hit.original)
            let next = try await host.push(Self.payload(["act": "count"]), to: Self.service)
            #expect(next.shown?.body == "object 1, 1 alive")
            #expect(next.request?.processIdentifier != dead.request?.processIdentifier)
        }
    }

    /// What the author's code does after the end of its notification harms nobody else in the process.
    @Test func aServiceThatIsLateServesOn() async throws {
        try await Self.withService { daemon, host in
            let blocked = Task { try await host.push(Self.payload(["act": "block"]), to: Self.service) }
            try await daemon.event { $0.event == EventName.callStarted.rawValue }
            blocked.cancel()
            await #expect(throws: CocoaError.self) { try await blocked.value }
            let late = Task { try await host.push(Self.payload(["act": "hang"]), to: Self.service) }
            try await daemon.event { $0.detail?.hasPrefix("notification.didReceive 2 by") == true }
            late.cancel()
            await #expect(throws: CocoaError.self) { try await late.value }
            let first = try await host.push(Self.payload(["act": "release"]), to: Self.service)
            let second = try await host.push(Self.payload(), to: Self.service)
            #expect(first.reason == nil && second.shown?.title == "Hello [changed]")
            #expect(first.request?.processIdentifier == second.request?.processIdentifier)
            #expect(try await daemon.control.exits().isEmpty)
            #expect(try await daemon.events().allSatisfy { $0.event != EventName.contextFault.rawValue })
        }
    }

    // spec: NS-7
    @Test func theRequestHasEveryPartOfThePayload() async throws {
        try await Self.withService { _, host in
            let aps: [String: Any] = [
                "alert": ["title": "Title", "subtitle": "Subtitle", "body": "Body"], "badge": 4, "sound": "default",
                "category": "message", "thread-id": "one", "mutable-content": 1,
            ]
            let result = try await host.push(
                Self.payload(["act": "describe", "list": [1, 2], "nothing": NSNull()], aps: aps), to: Self.service)
            #expect(result.shown?.body == "true|Subtitle|message|one|4|default|[1, 2]")
            #expect(result.original.userInfo.plist.dictionary?["list"] == [1, 2])
            let numbers = #"{"aps": {"alert": "x"}, "large": 1234567890123456789, "one": 1, "yes": true, "real": 1.5}"#
            let members = try await host.push(Data(numbers.utf8), to: Self.service).original.userInfo.plist.dictionary
            #expect(members?["large"] == 1_234_567_890_123_456_789 && members?["one"] == 1)
            #expect(members?["yes"] == true && members?["real"] == 1.5)
        }
    }

    // spec: NS-7
    @Test("NS-7: sounds, levels and the other values of a payload reach the author and come back")
    func theContentHasApplesOtherProperties() async throws {
        try await Self.withService { _, host in
            let aps: [String: Any] = [
                "sound": ["critical": 1, "name": "alarm.caf", "volume": 0.5], "interruption-level": "time-sensitive",
                "relevance-score": 0.25, "filter-criteria": "work", "target-content-id": "chat", "mutable-content": 1,
            ]
            let same = try await host.push(Self.payload(["act": "levels"], aps: aps), to: Self.service)
            #expect(same.shown?.subtitle == "timeSensitive 0.25 work chat true")
            let shown = try #require(same.shown)
            #expect(shown.interruption == .passive && shown.relevance == 1 && shown.filterCriteria == nil)
            #expect(shown.sound == "ring.caf" && shown.soundIsCritical == true && shown.soundVolume == 1)
            #expect(shown.summaryArgument == "Ada" && shown.summaryArgumentCount == 2)
            let plain = try await host.push(
                Self.payload(["act": "plain"], aps: ["interruption-level": "active", "mutable-content": 1]),
                to: Self.service)
            #expect(plain.reason == nil && plain.shown == plain.original)
        }
    }

    // spec: NS-1
    @Test("NS-1: the app's localized texts are in the content before the extension gets it")
    func localizedAlertsAreLookedUpInTheApp() async throws {
        let alert: [String: Any] = [
            "title-loc-key": "FROM", "title-loc-args": ["Ada"], "loc-key": "LINES", "loc-args": ["two", "one"],
            "subtitle-loc-key": "MISSING", "body": "plain",
        ]
        let aps: [String: Any] = ["alert": alert, "mutable-content": 1]
        try await Self.withService(
            strings: ["de": #""FROM" = "Von %@"; "LINES" = "%2$@, %1$@";"#, "en": #""FROM" = "From %@";"#],
            languages: ["de-AT"]
        ) { _, host in
            let result = try await host.push(Self.payload(aps: aps), to: Self.service)
            #expect(result.original.title == "Von Ada" && result.original.body == "one, two")
            #expect(result.shown?.title == "Von Ada [changed]" && result.shown?.subtitle == "MISSING")
            #expect(
                result.remarks.count == 1 && result.remarks[0].hasPrefix("MISSING is not in Localizable.strings of /"))
            // The original is localized, too.
            let dead = try await host.push(Self.payload(["act": "exit"], aps: aps), to: Self.service)
            #expect(dead.shown?.title == "Von Ada")
        }
        try await Self.withService(strings: ["en": "\"FROM\" = \"From"]) { _, host in
            let result = try await host.push(Self.payload(aps: aps), to: Self.service)
            #expect(result.original.title == "FROM" && result.original.body == "plain")
            #expect(result.remarks.contains { $0.hasSuffix("line 1: a quote is not closed") })
        }
    }

    // spec: NS-8
    @Test("NS-8: what is shown is known with the answer, and an extension that does not complete loses the request")
    func anAnswerIsShownBeforeTheExtensionCompletes() async throws {
        let bundles = try TestBundles()
        try bundles.addHostile("answersAndStays", point: "com.apple.usernotifications.service")
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = NotificationHost(try await daemon.host("springboard").application)
            let shown = Kept<NotificationHost.Presentation>()
            let pushing = Task {
                shown.keep(try await host.push(Self.payload(), to: "org.exthost.tests.answersAndStays"))
            }
            try await eventually { shown.take() != nil }
            try await pushing.value
            let presentation = try #require(shown.take())
            #expect(presentation.reason == nil && presentation.shown?.title == "Hello")
            #expect(try await daemon.control.requests().count == 1)
            // The clock moves to the limit for the completion only.
            try await daemon.clock.advance(by: .seconds(5))
            #expect(await presentation.request?.outcome.cause == .requestTimeout)
            #expect(await presentation.request?.explanation?.message.contains("did not complete within 5") == true)
            #expect(await presentation.duration == 5)
            #expect(await presentation.request?.exit?.record.cause == .requestTimeout)
            #expect(try await daemon.control.requests().isEmpty)
            #expect(try await daemon.events().count { $0.event == EventName.requestTimedOut.rawValue } == 1)
        }
    }
}

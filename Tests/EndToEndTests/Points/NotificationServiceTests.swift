// NotificationServiceTests: a notification service, from the payload to what is shown (spec NS-1 to NS-8).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import Testing

@Suite struct NotificationServiceTests {
    private static let service = "org.exthost.tests.service"

    private static func withService(
        mayHide: Bool = false, _ body: (TestDaemon, NotificationHost) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "service", program: SampleApplications.buildFolder + "/Notifier",
            point: "com.apple.usernotifications.service",
            principalClass: "Notifier.NotificationService")
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("springboard")
            try await body(daemon, NotificationHost(host.application, mayHide: mayHide))
        }
    }

    /// A payload with a title, and members beside `aps`.
    private static func payload(_ more: [String: Any] = [:], aps: [String: Any] = ["mutable-content": 1]) throws -> Data
    {
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

    // spec: NS-2
    @Test func theWarningComesAfterThirtySecondsAndTwoMoreRemain() async throws {
        try await Self.withService { daemon, host in
            let answered = Task { try await host.push(Self.payload(["act": "hang"]), to: Self.service) }
            try await daemon.event { $0.event == EventName.callStarted.rawValue }
            try await daemon.clock.advance(by: .milliseconds(29_900))
            #expect(try await daemon.events().allSatisfy { $0.event != EventName.callFinished.rawValue })
            try await daemon.clock.advance(by: .milliseconds(100))
            let inTime = try await answered.value
            #expect(inTime.reason == nil && inTime.shown?.title == "in time" && inTime.duration == 30)
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
            #expect(timedOut.reason == .timedOut && timedOut.shown == timedOut.original && timedOut.duration == 32)
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

    // spec: NS-5
    @Test(
        arguments: [
            ("picture.png", 100, "moved"), ("picture.png", 10_000_001, "UNErrorDomain 102"),
            ("sound.wav", 5_000_001, "UNErrorDomain 102"), ("film.mp4", 50_000_000, "moved"),
            ("letter.txt", 100, "UNErrorDomain 101"), ("picture.png", 0, "UNErrorDomain 102"),
        ])
    func anAttachmentMovesIntoTheStore(name: String, size: Int, outcome: String) async throws {
        try await Self.withService { _, host in
            let result = try await host.push(
                Self.payload(["act": "attach", "file": name, "size": size]), to: Self.service)
            #expect(result.shown?.subtitle == outcome)
            guard outcome == "moved" else { return #expect(result.shown?.attachments.isEmpty == true) }
            let attachment = try #require(result.shown?.attachments.first)
            #expect(attachment.identifier == "picture" && attachment.fileName == name)
            var status = stat()
            #expect(fstat(attachment.file.descriptor.raw, &status) == 0 && status.st_size == size)
        }
    }

    @Test func severalNotificationsAreServedAtOnceByOneProcess() async throws {
        try await Self.withService { daemon, host in
            let waiting = Task { try await host.push(Self.payload(["act": "hang"]), to: Self.service) }
            try await daemon.event { $0.event == EventName.callStarted.rawValue }
            let other = try await host.push(Self.payload(), to: Self.service)
            #expect(other.shown?.title == "Hello [changed]")
            try await daemon.clock.advance(by: .seconds(30))
            let first = try await waiting.value
            #expect(first.shown?.title == "in time")
            #expect(first.request?.processIdentifier == other.request?.processIdentifier)
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
}

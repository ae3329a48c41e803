// SealedNoteTests: the sample of a notification service, and an extension of its point without the framework (PC-27).

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import PointMessages
import PropertyListCoding
import Testing

@Suite struct SealedNoteTests {
    private static func payload(_ sealed: String) -> Data {
        Data(#"{"aps": {"alert": "New message", "mutable-content": 1}, "from": "Ada", "sealed": "\#(sealed)"}"#.utf8)
    }

    @Test("PC-27: the sample opens a sealed message, and says who wrote if it cannot")
    func theSampleOpensAMessage() async throws {
        try await withTestDaemon(applications: [try samples()], clock: .virtual) { daemon in
            let host = NotificationHost(try await daemon.host("springboard").application)
            let sample = "org.exthost.samples.sealed"
            let open = try await host.push(Self.payload("JxACFQFOChFMGQcLVA=="), to: sample)
            #expect(open.reason == nil && open.shown?.title == "Ada" && open.shown?.body == "Lunch at one?")
            #expect(open.shown?.userInfo.plist.dictionary?["sealed"] == nil)
            let broken = try await host.push(Self.payload("?"), to: sample)
            #expect(broken.shown?.body == "New message" && broken.shown?.interruption == .passive)
            let late = Task { try await host.push(Self.payload("later"), to: sample) }
            try await daemon.event { $0.detail?.hasPrefix("notification.didReceive 3 by") == true }
            try await daemon.clock.advance(by: .seconds(30))
            let shown = try await late.value
            #expect(shown.reason == nil && shown.shown?.title == "Ada" && shown.shown?.body == "New message")
        }
    }

    @Test("PC-27: at this point an extension without the framework lives and ends as at others")
    func anExtensionWithoutTheFrameworkServesRequests() async throws {
        let bundles = try TestBundles.withPuppet(point: "com.apple.usernotifications.service")
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("springboard")
            let request = try await host.begin(puppet, items: [order("return", "x")])
            #expect(await request.outcome.kind == .completed)
            let shown = try await NotificationHost(host.application).push(Self.payload("?"), to: puppet)
            #expect(shown.reason == .ended(.completed) && shown.shown == shown.original)
            let open = try await host.begin(puppet, items: [order("hang")])
            let error = await #expect(throws: ExtensionHostError.self) {
                try await open.call(ReceiveNotification(identifier: "x", content: NotificationContent()))
            }
            #expect(error?.code == .frameworkMissing && error?.message.contains("UserNotifications") == true)
            try await open.cancel()
            try await daemon.clock.advance(by: .seconds(10))
            #expect(await request.exit?.record.cause == .idle)
        }
    }
}

// FinalAnswerTests: the packets of a request, of which each has somebody who waits for it.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import Testing
import Transcripts

@Suite final class FinalAnswerTests {
    private let folder: TemporaryDirectory
    private let bundles: TestBundles

    init() throws {
        folder = try TemporaryDirectory(prefix: "exthost-packets")
        bundles = try TestBundles.withPuppet()
    }

    deinit { try? folder.remove() }

    /// The packets of the requests that `body` makes of a process that runs, by the side that sent them.
    private func packets(
        _ arguments: [String] = [], _ body: (FakeHost) async throws -> Void
    ) async throws -> [RecordedPacket] {
        let file = folder.path + "/session.jsonl"
        try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
            let host = try await daemon.host("notes")
            let first = try await host.begin(puppet, items: [order("nothing")])
            #expect(await first.outcome.kind == .completed)
            try await host.application.fence()
            let recorder = try await daemon.record(to: file)
            try await body(host)
            try await host.application.fence()
            try await recorder.stop()
        }
        return try Transcript(contentsOf: file).entries.compactMap {
            guard case .packet(let packet) = $0.content, [.host, .extension].contains(packet.role),
                !["credit", "fence", "fenceReply", "output"].contains(packet.kind)
            else { return nil }
            return packet
        }
    }

    private func outcomeAlone(_ host: FakeHost, _ item: NSExtensionItem) throws -> ExtensionRequest {
        try host.application.start(puppet, items: [item], reportsDelivery: false)
    }

    @Test func aRequestForTheOutcomeAloneTakesFourPackets() async throws {
        let packets = try await packets { host in
            let request = try outcomeAlone(host, order("return"))
            #expect(await request.outcome.kind == .completed)
            // It was delivered, as its end says.
            #expect(try await request.delivered() == request.processIdentifier && request.processIdentifier != nil)
        }
        #expect(packets.map(\.kind) == ["begin", "deliver", "complete", "finished"])
        #expect(packets.last?.answers == packets.first?.serial)
    }

    @Test func anErrorOfTheExtensionIsFinalAsWell() async throws {
        let packets = try await packets { host in
            let request = try outcomeAlone(host, order("no such act"))
            #expect(await request.outcome.cause == .cancelledByExtension)
        }
        #expect(packets.map(\.kind) == ["begin", "deliver", "cancelRequest", "finished"])
    }

    @Test func aRequestThatWasBegunReportsItsDelivery() async throws {
        let packets = try await packets { host in
            let request = try await host.begin(puppet, items: [order("nothing")])
            #expect(await request.outcome.kind == .completed)
        }
        #expect(packets.map(\.kind).sorted() == ["begin", "begun", "complete", "deliver", "finished"])
    }

    @Test func aCompletionHandlerWaitsForTheHostsAcknowledgement() async throws {
        let packets = try await packets { host in
            let request = try outcomeAlone(host, order("handler", "quick"))
            #expect(await request.outcome.kind == .completed)
        }
        let kinds = packets.map(\.kind)
        #expect(
            Array(kinds.prefix(6)) == ["begin", "deliver", "complete", "finished", "acknowledge", "acknowledge"])
    }

    @Test func itsDeliveryIsKnownAtItsEndAndItTakesNoCalls() async throws {
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try outcomeAlone(host, order("hang"))
            try await daemon.event { $0.event == EventName.requestDelivered.rawValue }
            #expect(request.processIdentifier == nil && request.isOpen)
            await #expect(throws: ExtensionHostError.self) { try await request.call(Knock()) }
            try await request.cancel()
            #expect(await request.outcome.cause == .cancelledByHost)
            #expect(try await request.delivered() == request.processIdentifier && request.processIdentifier != nil)
            #expect(await request.held() == nil)
        }
    }

    @Test func aRequestThatEndsBeforeItsDeliveryHasNoPid() async throws {
        // A program that never speaks to the daemon.
        try bundles.add("mute", script: "#!/bin/sh\nexec sleep 600\n")
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "launch=10min"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try host.application.start(
                "org.exthost.tests.mute", items: [], force: true, reportsDelivery: false)
            try await daemon.event { $0.event == EventName.processSpawned.rawValue }
            try await request.cancel()
            #expect(try await request.delivered() == nil)
        }
    }

    /// The answer with an error that follows a faulty completion still has the completion's handler.
    @Test func aCompletionThatFailsWaitsForItsHandler() async throws {
        let packets = try await packets { host in
            let request = try outcomeAlone(host, order("handler", "faulty"))
            #expect(await request.outcome.cause == .cancelledByExtension)
        }
        #expect(
            Array(packets.map(\.kind).prefix(6))
                == ["begin", "deliver", "cancelRequest", "finished", "acknowledge", "acknowledge"])
    }

    /// The point `answered` lies between the answer and its acknowledgement.
    @Test func afterAFaultWasOrderedHostsAcknowledgeAgain() async throws {
        let packets = try await packets(["--fault", "kill@suspended"]) { host in
            let request = try outcomeAlone(host, order("nothing"))
            #expect(await request.outcome.kind == .completed)
        }
        #expect(packets.map(\.kind) == ["begin", "deliver", "complete", "finished", "acknowledge"])
    }

    @Test func aRequestOfNoExtensionIsRefused() async throws {
        try await withTestDaemon(applications: []) { daemon in
            let host = try await daemon.host("notes")
            let request = try host.application.start("org.exthost.tests.none", items: [], reportsDelivery: false)
            #expect(await request.outcome.cause == .notPermitted)
            #expect(await request.explanation?.code == .noSuchExtension)
        }
    }

    @Test func itEndsWithItsConnection() async throws {
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try outcomeAlone(host, order("hang"))
            try await daemon.event { $0.event == EventName.requestDelivered.rawValue }
            host.disconnect()
            #expect(await request.outcome.cause == .connectionLost)
        }
    }
}

private struct Knock: PointMessage {
    static let name = "tests.knock"
}

// ReplayedSessionTests: sessions with views, files, crashes, several processes and lost connections replay clean both
// ways.

@testable import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PropertyListCoding
import Testing
import Transcripts

@Suite final class ReplayedSessionTests {
    private let stage: ReplayStage

    init() throws { stage = try ReplayStage() }

    // MARK: Views

    private static let translate = "org.exthost.tests.translate"

    private func translating() throws -> TestBundles {
        let bundles = try TestBundles()
        try bundles.add(
            "translate", program: SampleApplications.buildFolder + "/Translate", point: "com.apple.ui-services",
            principalClass: "Translate.TranslateController")
        return bundles
    }

    /// A person acts once the extension has nothing more to do: what it would do meanwhile comes before the act or
    /// after it.
    @Test func aSessionWithAViewReplaysClean() async throws {
        let bundles = try translating()
        try await stage.replayBothWays(bundles) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(Self.translate, items: [.text("Good morning Moon")])
            let view = try #require(await request.view { $0["Replace"]?.isEnabled == true })
            #expect(view["translation"]?.text == "gut Morgen Mond")
            try await request.use(.tap("Replace"))
            try await host.expect(.completed, of: request)
            let other = try await host.begin(Self.translate, items: [.text("x")])
            _ = await other.view { $0["Replace"]?.isEnabled == true }
            try await other.use(.tap("Done"))
            try await host.expect(.cancelled, of: other)
        }
    }

    /// The act that ends a request is answered with the view it left, or with the request's end: the daemon may have
    /// had either first.
    @Test func eitherRecordedAnswerToTheActThatEndsItsRequestReplaysClean() async throws {
        let bundles = try translating()
        var transcript = try await stage.record(bundles) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(Self.translate, items: [.text("x")])
            _ = await request.view { $0["Replace"]?.isEnabled == true }
            try await request.use(.tap("Done"))
            try await host.expect(.cancelled, of: request)
        }
        let act = try #require(transcript.packets.map(\.0).last { $0.kind == "useView" && !$0.isFromDaemon })
        let place = try #require(
            transcript.entries.firstIndex {
                guard case .packet(let packet) = $0.content else { return false }
                return packet.isFromDaemon && packet.role == .host && packet.answers == act.serial
            })
        guard case .packet(var answer) = transcript.entries[place].content else { throw CancellationError() }
        answer.payload = nil
        answer.body = [Key.code.rawValue: .integer(Int64(ExtensionHostError.Code.contextFinished.rawValue))]
        for (kind, isClean) in [("viewUsed", true), ("error", true), ("success", false)] {
            answer.kind = kind
            transcript.entries[place].content = .packet(answer)
            let divergence = try await transcript.replayAsHost(
                applications: [bundles.path], arguments: ReplayStage.patient)
            #expect((divergence == nil) == isClean, "\(kind): \(divergence.map { "\($0)" } ?? "")")
        }
    }

    // MARK: Files

    @Test func filesAndDataAsAttachmentsReplayClean() async throws {
        let bundles = try TestBundles.withPuppet()
        let path = stage.folder.path + "/letter.txt"
        let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try large.write(to: URL(fileURLWithPath: path))
        // What it took differs from run to run.
        let differing = ["payload[0].userInfo.peak", "payload[0].userInfo.seconds", "payload[0].userInfo.path"]
        try await stage.replayBothWays(bundles, ignoring: differing) { daemon in
            let host = try await daemon.host("notes")
            for form in ["file", "data", "place"] {
                let provider = try #require(NSItemProvider(contentsOf: URL(fileURLWithPath: path)))
                let request = try await host.begin(puppet, items: [order("digest", form, attachments: [provider])])
                let values = try items(of: await request.outcome).first?.userInfo
                #expect(values?["bytes"] as? Int == large.count, "\(form): \(values ?? [:])")
            }
        }
    }

    // MARK: Crashes

    @Test func aCrashOfTheExtensionIsRepeated() async throws {
        let bundles = try TestBundles.withPuppet()
        try await stage.replayBothWays(bundles) { daemon in
            let host = try await daemon.host("notes")
            let first = try await host.begin(puppet, items: [order("hang")])
            let crash = try await host.begin(puppet, items: [order("crash")])
            try await host.expect(.interrupted, .crashed, of: crash)
            try await host.expect(.interrupted, .crashed, of: first)
            let exit = try await host.begin(puppet, items: [order("exit", "3")])
            try await host.expect(.interrupted, .exitedEarly, of: exit)
            #expect(await exit.exit?.record.status == 3)
            let next = try await host.begin(puppet, items: [order("count")])
            try await host.expect(.completed, of: next)
        }
    }

    // MARK: Several

    @Test func severalProcessesHostsAndExtensionsAtOnceReplayClean() async throws {
        let bundles = try TestBundles()
        let program = SampleApplications.buildFolder + "/Puppet"
        try bundles.add("puppet", program: program, principalClass: "Puppet.Puppet")
        // One request a process.
        try bundles.add(
            "single", program: program, point: "com.apple.app.non-ui-extension", principalClass: "Puppet.Puppet")
        try await stage.replayBothWays(bundles) { daemon in
            let notes = try await daemon.host("notes")
            let photos = try await daemon.host("photos")
            let link = NSItemProvider(item: NSURL(string: "https://example.org/a"), typeIdentifier: "public.url")
            let waiting = try await notes.begin("org.exthost.tests.single", items: [order("hang")])
            let other = try await photos.begin("org.exthost.tests.single", items: [order("load", attachments: [link])])
            let shared = try await photos.begin(puppet, items: [order("load", attachments: [link])])
            #expect(other.processIdentifier != waiting.processIdentifier)
            try await photos.expect(.completed, of: other)
            try await photos.expect(.completed, of: shared)
            let again = try await notes.begin(puppet, items: [order("types", attachments: [link])])
            try await notes.expect(.completed, of: again)
            #expect(again.processIdentifier == shared.processIdentifier)
            try await notes.setState(.background)
            try await waiting.cancel()
            try await notes.expect(.cancelled, .cancelledByHost, of: waiting)
            // One host leaves before the other.
            photos.disconnect()
            try await daemon.event { $0.event == "host.disconnected" && $0.host == "photos" }
            let crashing = try await daemon.host("crashing", comesBack: false)
            let dropped = try await crashing.begin(puppet, items: [order("hang")])
            crashing.crash()
            try await daemon.event { $0.event == "host.disconnected" && $0.host == "crashing" }
            withExtendedLifetime(dropped) {}
            let last = try await notes.begin(puppet, items: [order("nothing")])
            try await notes.expect(.completed, of: last)
        }
    }

    // MARK: Lost connections

    @Test func aHostsLostConnectionThatCameBackReplaysUnbroken() async throws {
        let bundles = try TestBundles.withPuppet()
        try await stage.replayBothWays(bundles) { daemon in
            let relay = try LossyRelay(to: daemon.address.path, packets: 2...6, seed: 1)
            defer { relay.stop() }
            let host = try await HostApplication.connect(
                name: "notes", to: DaemonAddress(path: relay.path), patience: .seconds(30))
            for number in 0..<6 {
                let link = NSItemProvider(
                    item: NSURL(string: "https://example.org/\(number)"), typeIdentifier: "public.url")
                let request = try await host.begin(puppet, items: [order("load", attachments: [link])])
                #expect(await request.outcome.cause == .completed)
                // What it says last may be lost on the way and has to be said again before it leaves.
                try await daemon.event {
                    $0.event == EventName.requestDismissed.rawValue && $0.request == request.identifier
                }
            }
            #expect(relay.cutCount > 1)
            host.disconnect()
        }
    }

    @Test func anExtensionsLostConnectionThatCameBackReplaysUnbroken() async throws {
        let bundles = try TestBundles.withPuppet()
        try await stage.replayBothWays(bundles) { daemon in
            let host = try await daemon.host("notes")
            let link = NSItemProvider(item: NSURL(string: "https://example.org/a"), typeIdentifier: "public.url")
            let request = try await host.begin(puppet, items: [order("lose", "4", attachments: [link])])
            try await host.expect(.completed, of: request)
            let next = try await host.begin(puppet, items: [order("nothing")])
            try await host.expect(.completed, of: next)
        }
    }

    // MARK: What is refused

    /// An extension that is played is not killed for its memory, and takes every item.
    // not simulated: N-046
    @Test func endingsThatAPlayedExtensionDoesNotBringAboutAreRefusedBeforehand() async throws {
        let bundles = try TestBundles.withPuppet(rule: ["NSExtensionActivationSupportsText": true])
        let transcript = try await stage.record(bundles) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("count")], force: true)
            try await host.expect(.completed, of: request)
            let refused = try await host.begin(puppet, items: [.url("https://example.org")])
            try await host.expect(.refused, .ruleMismatch, of: refused)
        }
        let error = await #expect(throws: ExtensionHostError.self) {
            _ = try await transcript.replayAsExtension { _ in Issue.record("a host was run") }
        }
        #expect(
            error?.code == .invalidArgument && error?.message.contains("ended by ruleMismatch") == true,
            "\(error as Any)")
        #expect(try await transcript.replayAsHost(applications: [bundles.path]) == nil)
    }

    @Test func aSessionWithFaultsIsRefusedBeforehandBothWays() async throws {
        let bundles = try TestBundles.withPuppet()
        let transcript = try await stage.record(bundles) { daemon in
            try await daemon.faults.add(.kill, at: .delivered)
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")])
            try await host.expect(.interrupted, of: request)
        }
        let asHost = await #expect(throws: ExtensionHostError.self) {
            _ = try await transcript.replayAsHost(applications: [bundles.path])
        }
        #expect(
            asHost?.code == .invalidArgument && asHost?.message.contains("faults were injected") == true,
            "\(asHost as Any)")
        let asExtension = await #expect(throws: ExtensionHostError.self) {
            _ = try await transcript.replayAsExtension { _ in Issue.record("a host was run") }
        }
        #expect(asExtension?.message.contains("faults were injected") == true, "\(asExtension as Any)")
    }

    @Test func aKillByPidIsRefusedBeforehandAndOneByIdentifierIsRepeated() async throws {
        let bundles = try TestBundles.withPuppet()
        for isByPid in [true, false] {
            let transcript = try await stage.record(bundles) { daemon in
                let host = try await daemon.host("notes")
                let request = try await host.begin(puppet, items: [order("hang")])
                let pid = try #require(request.processIdentifier)
                _ = try await daemon.control.kill(isByPid ? .pid(pid) : .identifier(puppet))
                try await host.expect(.interrupted, .terminatedByOperator, of: request)
            }
            guard isByPid else {
                #expect(try await transcript.replayAsHost(applications: [bundles.path]) == nil)
                continue
            }
            let error = await #expect(throws: ExtensionHostError.self) {
                _ = try await transcript.replayAsHost(applications: ["/nonexistent"])
            }
            #expect(error?.message.contains("a kill by a pid") == true, "\(error as Any)")
        }
    }
}

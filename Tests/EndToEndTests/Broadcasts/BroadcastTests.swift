// BroadcastTests: uploads and set-ups of broadcasts, with real extension processes.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import Foundation
import PointHosts
import PointMessages
import PropertyListCoding
import TestPrograms
import Testing

@Suite struct BroadcastTests {
    private static let upload = "org.exthost.tests.upload"
    private static let setup = "org.exthost.tests.setup"

    private struct Stage {
        let daemon: TestDaemon
        let host: BroadcastHost

        func start(_ act: String?, limits: BroadcastSession.Limits = .init()) async throws -> BroadcastSession {
            try await host.start(upload, setupInfo: act.map { PointValue(["act": .string($0)]) }, limits: limits)
        }

        /// What the extension has printed.
        func output() async throws -> String {
            try await Program.control(["logs", upload], socket: daemon.address.path).ending().output
        }
    }

    /// Limits for extensions that hang, within which a slow machine makes the calls that are answered.
    private static var short: BroadcastSession.Limits {
        var limits = BroadcastSession.Limits()
        (limits.call, limits.end) = (.seconds(3), .seconds(1))
        return limits
    }

    /// Runs a body with a daemon, an upload and a set-up.
    private static func with(
        _ principalClass: String = "Broadcaster", clock: TestDaemon.ClockKind = .real,
        _ body: (Stage) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        for (name, point, type) in [
            ("upload", BroadcastHost.point, principalClass), ("setup", BroadcastHost.setupPoint, "Setter"),
        ] {
            try bundles.add(
                name, program: SampleApplications.buildFolder + "/Broadcaster", point: point, rule: nil,
                information: [
                    "NSExtension": [
                        "NSExtensionPointIdentifier": point, "NSExtensionPrincipalClass": "Broadcaster.\(type)",
                    ]
                ])
        }
        try await withTestDaemon(applications: [bundles.path], clock: clock) { daemon in
            let host = try await daemon.host("broadcasts").application
            try await body(Stage(daemon: daemon, host: BroadcastHost(host)))
        }
    }

    private static let format = BroadcastSample.Format.video(width: 64, height: 4, isFullRange: true, orientation: 6)
    private static let grey = [UInt8](repeating: 100, count: 64 * 6)

    /// Offers frames, each after the one before is processed.
    private static func frames(_ count: Int, to session: BroadcastSession) async throws {
        for number in 0..<count {
            try session.offer(video: grey, format, at: .milliseconds(number), duration: .milliseconds(1))
            try await session.settle()
        }
    }

    private static func steps(_ report: BroadcastSession.Report) -> String? {
        report.serviceInfo?.plist.dictionary?["steps"]?.string
    }

    // spec: BU-1
    @Test(
        "BU-1: the calls of a broadcast come in the order of its samples, on either carrier of them",
        arguments: [TestDaemon.ClockKind.real, .virtual])
    func order(clock: TestDaemon.ClockKind) async throws {
        try await Self.with(clock: clock) { stage in
            let session = try await stage.start("")
            try session.offer(video: Self.grey, Self.format, at: .zero)
            try session.offer(video: Self.grey, Self.format, at: .milliseconds(1))
            try await session.pause()
            // What comes during a pause does not count.
            #expect(try session.offer(video: Self.grey, Self.format, at: .milliseconds(2)) == .notRunning)
            try await session.resume()
            try await session.annotate("org.example.game")
            try session.offer(video: Self.grey, Self.format, at: .milliseconds(3))
            let report = await session.finish()
            #expect(
                Self.steps(report) == "frame, frame, paused, resumed, annotated org.example.game, frame",
                "\(report)")
            #expect(report.video.offered == 3 && report.video.processed == 3 && report.video.lost == 0)
            #expect(report.failure == nil && report.error == nil && report.url == "https://live.example/last")
            #expect(await report.request.outcome.kind == .completed)
            // A second end gives the same report, and nothing else is possible.
            #expect(await session.finish().video == report.video)
            await #expect(throws: ExtensionHostError.self) { try await session.pause() }
            #expect(try session.offer(video: Self.grey, Self.format, at: .zero) == .notRunning)
        }
    }

    // spec: BU-1, BU-2
    @Test("BU-1, BU-2: samples have their pixels, times and formats, and sound has its kind") func samples()
        async throws
    {
        try await Self.with { stage in
            let session = try await stage.start("describe")
            var planes = [UInt8](repeating: 0, count: 128 * 3 + 128 * 2)
            planes.replaceSubrange(128..<131, with: [7, 8, 9])
            planes.replaceSubrange(384..<388, with: [1, 2, 3, 4])
            try session.offer(
                video: planes, .video(width: 65, height: 3, isFullRange: false, orientation: 6), at: .seconds(1),
                duration: .milliseconds(40))
            try session.offer(sound: [[0.5, 0], [-1, 0], [0, 0]].map { $0 }, .audioApp, rate: 44_100, at: .zero)
            try session.offer(sound: [[1, .nan]], .audioMic, rate: 48_000, at: .zero)
            let report = await session.finish()
            #expect(report.counts.values.allSatisfy { $0.offered == 1 && $0.processed == 1 && $0.lost == 0 })
            let output = try await stage.output()
            #expect(output.contains("started 1"), "\(output)")
            #expect(
                output.contains(
                    "picture 65x3 420v 2 planes, rows of 128, luma [7, 8, 9], chroma [1, 2, 3, 4], orientation 6, "
                        + "unlocked true, duration 40000000 recent"), "\(output)")
            #expect(output.contains("sound 2: 2 frames, 44100 Hz, 3 channels, 12 bytes, [16383, -32767]"), "\(output)")
            #expect(output.contains("sound 3: 2 frames, 48000 Hz, 1 channels, 4 bytes, [32767, 0]"), "\(output)")
            #expect(throws: BroadcastSampleFault.self) {
                try session.offer(video: planes, Self.format, at: .zero)
            }
            // Without a set-up there is no dictionary.
            _ = await (try await stage.start(nil)).finish()
            #expect(try await stage.output().contains("started -1"))
        }
    }

    // spec: BU-1
    @Test("BU-1: an upload ends its broadcast with an error, and the first one counts") func failures() async throws {
        try await Self.with { stage in
            let atStart = try await stage.start("fail-at-start")
            #expect(atStart.hasEnded)
            #expect(try atStart.offer(video: Self.grey, Self.format, at: .zero) == .notRunning)
            let report = await atStart.finish()
            #expect(report.failure?.domain == "com.apple.ReplayKit.RPRecordingErrorDomain", "\(report)")
            #expect(report.failure?.code == -5802 && report.error == nil && report.video.offered == 0)
            // `broadcastFinished` is not called after an error.
            #expect(report.serviceInfo == nil)
            #expect(await report.request.outcome.kind == .completed)

            let later = try await stage.start("fail")
            try await Self.frames(2, to: later)
            #expect(later.hasEnded)
            let second = await later.finish()
            #expect(second.failure == BroadcastFailure(domain: "Broadcaster", code: 7, text: "enough"), "\(second)")
            #expect(second.video.processed == 2)

            let last = await (try await stage.start("fail-at-end")).finish()
            #expect(last.failure?.code == -5806 && last.url == "https://live.example/last", "\(last)")
        }
    }

    // spec: BU-2
    @Test("BU-2: an upload that hangs in a frame loses the others, and its broadcast ends") func hangs() async throws {
        try await Self.with { stage in
            let session = try await stage.start("hang", limits: Self.short)
            var offers: [BroadcastOffer] = []
            for number in 0..<10 {
                offers.append(try session.offer(video: Self.grey, Self.format, at: .milliseconds(number)))
            }
            #expect(offers == [.sent, .sent] + Array(repeating: .lost, count: 8))
            await #expect(throws: ExtensionHostError.self) { try await session.pause() }
            let report = await session.finish()
            #expect(report.video.offered == 10 && report.video.lost == 8 && report.video.processed == 0)
            #expect(report.error?.code == .timedOut, "\(report)")
            #expect(await report.request.outcome.kind == .cancelled)
        }
        try await Self.with { stage in
            let session = try await stage.start("hang-at-end", limits: Self.short)
            #expect(await session.finish().error?.code == .timedOut)
        }
        try await Self.with { stage in
            let error = await #expect(throws: ExtensionHostError.self) {
                _ = try await stage.start("hang-at-start", limits: Self.short)
            }
            #expect(error?.code == .timedOut)
        }
    }

    // spec: BU-2
    @Test("BU-2: frames larger than the stream's buffer do not stop a host whose upload hangs") func largeFrames()
        async throws
    {
        try await Self.with { stage in
            let format = BroadcastSample.Format.video(width: 2048, height: 2048, isFullRange: true, orientation: 1)
            let frame = [UInt8](repeating: 50, count: 2048 * 3072)
            let session = try await stage.start("hang", limits: Self.short)
            for _ in 0..<5 { try session.offer(video: frame, format, at: .zero) }
            let report = await session.finish()
            #expect(report.video.lost == 3 && report.error?.code == .timedOut, "\(report)")
            let working = try await stage.start("")
            for _ in 0..<4 {
                try working.offer(video: frame, format, at: .zero)
                try await working.settle()
            }
            #expect(await working.finish().video.processed == 4)
        }
    }

    // spec: BU-2
    @Test("BU-1: the death of an upload ends its broadcast, which says so") func deaths() async throws {
        try await Self.with { stage in
            let session = try await stage.start("die")
            for number in 0..<3 {
                try session.offer(video: Self.grey, Self.format, at: .milliseconds(number))
                do { try await session.settle() } catch { break }
            }
            let report = await session.finish()
            #expect(report.error != nil && report.failure == nil && report.video.processed == 2, "\(report)")
            #expect(await report.request.outcome.kind == .interrupted)
            await #expect(throws: ExtensionHostError.self) { _ = try await stage.start("die-at-start") }
        }
    }

    // spec: BU-1, PC-10
    @Test("BU-1, PC-10: a class that is no RPBroadcastSampleHandler is unsuitable") func unsuitable() async throws {
        try await Self.with("NoHandler") { stage in
            let error = await #expect(throws: ExtensionHostError.self) { _ = try await stage.start("") }
            #expect(error?.code == .principalUnsuitable, "\(String(describing: error))")
        }
    }

    // not simulated: N-180
    @Test("an upload that gets clips fails with notSimulated") func clips() async throws {
        try await Self.with("ClipHandler") { stage in
            let error = await #expect(throws: ExtensionHostError.self) { _ = try await stage.start("") }
            #expect(error?.code == .notSimulated, "\(String(describing: error))")
        }
    }

    // spec: BU-3
    @Test("BU-3: a set-up gives the address and the dictionary with which the upload starts") func setups()
        async throws
    {
        try await Self.with { stage in
            let game = BroadcastHost.Application("org.example.game", displayName: "Game")
            let session = try await stage.host.setUp(Self.setup, for: game)
            _ = await session.request.view { "\($0)".contains("org.example.game Game plain") }
            try await session.use(.tap("Good"))
            let setup = try #require(try await session.setup())
            #expect(setup.url.absoluteString == "https://live.example/room")
            let upload = try await stage.host.start(Self.upload, setupInfo: setup.setupInfo)
            _ = await upload.finish()
            #expect(try await stage.output().contains("started 1"))

            for (button, check) in [
                ("Bare", { $0.map { $0?.setupInfo == nil && $0 != nil } ?? false }),
                ("Cancel", { $0.map { $0 == nil } ?? false }),
                ("Empty", { $0 == nil }), ("Odd", { $0 == nil }), ("Die", { $0 == nil }), ("Fail", { $0 == nil }),
            ] as [(String, (BroadcastSetupSession.Setup??) -> Bool)] {
                let session = try await stage.host.setUp(Self.setup, for: game)
                _ = await session.request.view { _ in true }
                _ = try? await session.use(.tap(button))
                let result: BroadcastSetupSession.Setup??
                do { result = .some(try await session.setup()) } catch { result = nil }
                #expect(check(result), "\(button)")
            }
            // A set-up whose person does nothing lasts until the host has enough.
            let silent = try await stage.host.setUp(Self.setup, for: game)
            _ = await silent.request.view { _ in true }
            await silent.cancel()
            #expect(try await silent.setup() == nil)
        }
    }
}

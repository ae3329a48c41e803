// CallFaultTests: hosts and extensions that break the rules of calls. Each breach is answered or ends its peer, and the
// daemon and the other hosts go on.

import CallVocabulary
import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Testing

struct CallFaultTests {
    /// The healthy extension, a caller, and a hostile extension at the point of calls.
    private static func beside(
        hostile act: String? = nil, _ row: (TestDaemon) async throws -> Void
    ) async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.add(
            "caller", program: SampleApplications.buildFolder + "/Caller", point: CallTests.point,
            principalClass: "Caller.Caller")
        if let act { try bundles.addHostile(act, point: CallTests.point) }
        let points = bundles.path + "/points"
        try FileManager.default.createDirectory(atPath: points, withIntermediateDirectories: true)
        try Data(CallTests.pointFile().utf8).write(to: URL(fileURLWithPath: points + "/calls.plist"))
        try await besideAHealthyRequest(bundles, arguments: ["--extension-points", points], row)
    }

    // spec: PC-9
    @Test(
        "PC-9: each call that breaks a rule without breaking the protocol is answered by its error",
        arguments: ["callsWrongly", "callsTooMuch", "callsAfterTheEnd"])
    func aHostsWrongCallsAreAnswered(act: String) async throws {
        try await Self.beside { daemon in
            let healthy = try #require(try await daemon.control.requests().first)
            let verdict = try await HostilePeer.run(as: "host", act, ranging: "\(healthy.request)", against: daemon)
            #expect(verdict.message == "sound")
        }
    }

    @Test(arguments: [
        ("answersNoCall", "an answer to serial 999"), ("sendsExpiry", "callExpires"), ("callsWithoutName", "name"),
        ("callsWithoutNumber", "number"), ("cancelsWithoutNumber", "number"),
        ("answersCallTwice", "an answer to serial"), ("answersCallWithSuccess", "as the answer to a call"),
    ])
    func aHostThatBreaksTheProtocolByCallsIsCutOff(act: String, words: String) async throws {
        try await Self.beside { daemon in
            let verdict = try await HostilePeer.run(as: "host", act, against: daemon)
            #expect(verdict.code == ExtensionHostError.Code.protocolViolation.rawValue)
            #expect(verdict.message.contains(words), "\(verdict)")
        }
    }

    @Test(arguments: [
        "answersNoCall", "sendsExpiry", "callsWithoutName", "callsWithoutNumber", "cancelsWithoutNumber",
        "answersCallTwice", "answersCallWithSuccess", "callsUnlisted",
    ])
    func anExtensionThatBreaksTheProtocolByCallsIsKilled(act: String) async throws {
        try await Self.beside(hostile: act) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.\(act)", items: [.text("x")])
            // The call that some of them answer; the others end before it or with it open.
            let answer = await Result { try await request.call(Echo(text: "a")) }
            #expect(act == "answersCallTwice" || (try? answer.get()) == nil, "\(answer)")
            #expect(await request.outcome.cause == .protocolViolation)
            #expect(await request.exit?.record.cause == .protocolViolation)
        }
    }

    @Test func anExtensionsWrongCallsAreAnswered() async throws {
        try await Self.beside(hostile: "callsItsHostWrongly") { daemon in
            let host = try await daemon.host("notes")
            var handlers = PointHandlers()
            handlers.on(Question.self) { _, call in
                await withCheckedContinuation { done in call.whenCancelled { done.resume() } }
                return Echo.Reply(Echo(text: "late"))
            }
            let request = try await host.begin(
                "org.exthost.tests.callsItsHostWrongly", items: [.text("x")], handling: handlers)
            try await host.expect(.completed, of: request)
        }
    }

    // spec: PC-19
    @Test func anExtensionsWrongAnnotationsAreAnswered() async throws {
        try await Self.beside(hostile: "annotatesWrongly") { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.annotatesWrongly", items: [.text("x")])
            try await host.expect(.completed, of: request)
            #expect(try await host.application.annotations(of: "org.exthost.tests.annotatesWrongly").count == 16)
        }
    }

    @Test func anExtensionSendsEightPartsAheadAndNoMore() async throws {
        try await Self.beside(hostile: "sendsPartsAhead") { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.sendsPartsAhead", items: [.text("x")])
            // The sequence is not read before the extension has ended: it takes no part.
            var parts = request.parts(of: Count(upTo: 1)).makeAsyncIterator()
            try await host.expect(.completed, of: request)
            var count = 0
            while let part = try? await parts.next() { count += part.number }
            #expect(count == 8)
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

// ClassificationTests: reports of messages and calls, and the ends that they can have.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import LinuxSystem
import Locks
import PointHosts
import PointMessages
import TestPrograms
import Testing

@Suite struct ClassificationTests {
    private static let reporter = "org.exthost.tests.reporter"
    private static let address = "https://reports.example/spam"
    private static let (network, number) = (
        ClassificationHost.networkDestination, ClassificationHost.messageDestination
    )

    /// The server and the messaging app of one test, and what they have got.
    private final class Receivers: Sendable {
        let posted = Mutex<[MessageServer.Question]>([])
        let messages = Mutex<[ClassificationReport.Message]>([])
        /// The answer of the server.
        let status = Mutex(200)
        let sends = Mutex(true)

        var server: MessageServer {
            MessageServer { question in
                self.posted.withLock { $0.append(question) }
                return .init(status: self.status.withLock { $0 }, body: Data())
            }
        }

        var composer: ReportComposer {
            ReportComposer { message in
                self.messages.withLock { $0.append(message) }
                return self.sends.withLock { $0 }
            }
        }
    }

    private struct Stage {
        let daemon: TestDaemon
        let application: HostApplication
        let host: ClassificationHost
        let receivers: Receivers
        let output: Output

        func begin(_ text: String) async throws -> ClassificationSession {
            try await host.begin(
                .messages([ReportedCommunication(sender: "+15555550123", date: 1000, body: text)]), with: reporter)
        }

        /// Waits until the extension has printed lines.
        func waits(for lines: [String]) async throws {
            try await eventually { lines.allSatisfy { output.text.contains($0) } }
        }

        /// Waits until a call is open in the extension.
        func waits(forCall name: String, of session: ClassificationSession) async throws {
            let request = session.request.identifier
            try await daemon.event { $0.request == request && $0.detail?.hasPrefix(name + " ") == true }
        }

        /// Reports a message, and presses Done at once.
        func report(_ text: String) async throws -> ClassificationReport { try await begin(text).done() }
    }

    private static func with(
        _ attributes: [String: Any] = [network: address], principal: String = "Reporter",
        _ body: (Stage) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "reporter", program: SampleApplications.buildFolder + "/Reporter", point: ClassificationHost.point,
            rule: nil,
            information: [
                "NSExtension": [
                    "NSExtensionPointIdentifier": ClassificationHost.point,
                    "NSExtensionPrincipalClass": "Reporter.\(principal)",
                    "NSExtensionAttributes": attributes,
                ] as [String: Any]
            ])
        let (output, receivers) = (Output(), Receivers())
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let application = try await daemon.host("telephone", onOutput: output.add).application
            let host = ClassificationHost(application, server: receivers.server, composer: receivers.composer)
            try await body(
                Stage(daemon: daemon, application: application, host: host, receivers: receivers, output: output))
        }
    }

    private static func code(_ body: () async throws -> Void) async -> ExtensionHostError.Code? {
        do { try await body() } catch { return (error as? ExtensionHostError)?.code }
        return nil
    }

    private static func isEnded(_ session: ClassificationSession, _ code: ExtensionHostError.Code? = nil) async -> Bool
    {
        guard case .ended(let error) = await session.ending else { return false }
        return code == nil || error.code == code
    }

    private static func isCancelled(_ session: ClassificationSession) async -> Bool {
        if case .cancelled = await session.ending { true } else { false }
    }

    // spec: IC-1
    @Test("IC-1: the controller is prepared before its view is loaded, with the oldest communication first")
    func preparation() async throws {
        try await Self.with { stage in
            let messages = [("b", 2000.0, "two"), ("a", 1000.0, "one")].map {
                ReportedCommunication(sender: $0, date: $1, body: $2)
            }
            let session = try await stage.host.begin(.messages(messages), with: Self.reporter)
            #expect(session.view?.all.contains { $0.text == "two" } == true)
            try await stage.waits(
                for: [
                    "prepare messages a:1000:one|b:2000:two, view loaded: false", "viewDidLoad", "viewDidAppear false",
                ])
            await session.cancel()
            let calls = [ReportedCommunication(sender: nil, date: 5), ReportedCommunication(sender: "+1", date: 3)]
            let second = try await stage.host.begin(.calls(calls), with: Self.reporter)
            try await second.done()
            try await stage.waits(for: ["prepare calls +1:3|nobody:5", "respond ILCallClassificationRequest"])
        }
    }

    // spec: IC-1, PC-10
    @Test("IC-1, PC-10: a class that is no ILClassificationUIExtensionViewController is unsuitable")
    func unsuitable() async throws {
        try await Self.with(principal: "Stranger") { stage in
            #expect(await Self.code { _ = try await stage.begin("x") } == .principalUnsuitable)
        }
        try await Self.with { stage in
            let many = Array(
                repeating: ReportedCommunication(sender: nil, date: 0), count: ClassificationHost.mostCommunications + 1
            )
            let none = await Self.code { _ = try await stage.host.begin(.calls([]), with: Self.reporter) }
            let all = await Self.code { _ = try await stage.host.begin(.calls(many), with: Self.reporter) }
            let other = await Self.code { _ = try await stage.host.destination(of: "org.example.none") }
            #expect(none == .invalidArgument && all == .invalidArgument && other == .noSuchExtension)
        }
    }

    // spec: IC-2
    @Test("IC-2: Done is disabled until the extension is ready, and again when it is not any more")
    func readiness() async throws {
        try await Self.with { stage in
            let session = try await stage.begin("wait 2")
            #expect(!session.isReady)
            #expect(await Self.code { _ = try await session.done() } == .notPermitted)
            try await session.use(.tap("Ready"))
            #expect(session.isReady)
            try await session.use(.tap("Unready"))
            #expect(!session.isReady)
            // A waiter whose task ends gets its answer, and so has one whose report ends.
            let cancelled = Task { await session.waitUntilReady() }
            cancelled.cancel()
            #expect(await cancelled.value == false)
            let waiter = Task { await session.waitUntilReady() }
            try await session.use(.tap("Later"))
            #expect(await waiter.value)
            #expect(try await session.done().action == .reportJunk)
            #expect(await Self.code { _ = try await session.done() } == .contextFinished)
            let other = try await stage.begin("wait 2")
            let late = Task { await other.waitUntilReady() }
            await other.cancel()
            #expect(await late.value == false)
        }
    }

    // spec: IC-3
    @Test("IC-3: none reports nothing, and the other actions report; the last one blocks each sender once")
    func actions() async throws {
        try await Self.with { stage in
            let nothing = try await stage.report("act 0")
            #expect(nothing.action == .none && nothing.delivery == .none && nothing.isDelivered)
            // Values that nobody gets do no harm, and an override may call the base.
            #expect(try await stage.report("date 0").delivery == .none)
            #expect(stage.receivers.posted.withLock { $0.isEmpty })
            for (number, action) in [(1, ReportedCommunication.Action.reportNotJunk), (2, .reportJunk)] {
                let report = try await stage.report("act \(number)")
                #expect(report.action == action && report.delivery == .posted(status: 200))
                #expect(report.blockedSenders.isEmpty)
            }
            #expect(try await stage.report("super 2").action == .reportJunk)
            let messages = ["a", "b", "a"].enumerated().map {
                ReportedCommunication(sender: $1, date: Double($0), body: "act 3")
            }
            // The block comes after the report, whatever became of it.
            stage.receivers.status.withLock { $0 = 500 }
            let session = try await stage.host.begin(.messages(messages), with: Self.reporter)
            let report = try await session.done()
            #expect(report.action == .reportJunkAndBlockSender && report.blockedSenders == ["a", "b"])
            #expect(report.delivery == .posted(status: 500) && !report.isDelivered)
            #expect(await session.request.outcome.kind == .completed)
            guard case .answered(let same) = await session.ending else {
                Issue.record("\(await session.ending)")
                return
            }
            #expect(same.blockedSenders == report.blockedSenders)
        }
        try await Self.with(principal: "SilentReporter") { stage in
            let report = try await stage.report("x")
            #expect(report.action == .none && report.delivery == .none)
        }
    }

    // spec: IC-4
    @Test("IC-4: the host posts the values as JSON with version and app to the declared server")
    func network() async throws {
        try await Self.with([Self.network: Self.address, Self.number: "7726"]) { stage in
            #expect(try await stage.host.destination(of: Self.reporter) == .server(Self.address))
            let report = try await stage.report("values 2")
            let question = try #require(stage.receivers.posted.withLock { $0 }.first)
            #expect(question.url.absoluteString == Self.address && question.body == report.question?.body)
            #expect(question.headers["Content-Type"]?.hasPrefix("application/json") == true)
            let form = try #require(try JSONSerialization.jsonObject(with: question.body) as? [String: Any])
            #expect(Set(form.keys) == ["_version", "app", "classification"] && form["_version"] as? Int == 1)
            #expect((form["app"] as? [String: Any])?["version"] as? String == "1")
            let values = try #require(form["classification"] as? [String: Any])
            #expect(
                values["text"] as? String == "a" && values["number"] as? Int == 3 && values["share"] as? Double == 0.5)
            #expect(values["size"] as? Double == 1.5)
            #expect(values["flag"] as? Bool == true && values["nothing"] is NSNull && values["none"] is NSNull)
            #expect((values["list"] as? [Any])?.count == 2 && values["box"] as? String == "boxed")
            #expect(String(decoding: question.body, as: UTF8.self).contains(#""flag":true"#))
            _ = try await stage.report("hashable 2")
            let second = try #require(stage.receivers.posted.withLock { $0 }.last)
            #expect(
                String(decoding: second.body, as: UTF8.self).contains(
                    #""classification":{"classification":0,"number":"+1"}"#))
            // Without values, the object is empty.
            _ = try await stage.report("act 2")
            let third = try #require(stage.receivers.posted.withLock { $0 }.last)
            #expect(String(decoding: third.body, as: UTF8.self).contains(#""classification":{}"#))
            #expect(stage.receivers.messages.withLock { $0.isEmpty })
        }
    }

    // spec: IC-5
    @Test("IC-5: a report by message has the extension's text, or the action and the values, and a person sends it")
    func messages() async throws {
        try await Self.with([Self.number: "+1 (555) 555-0100"]) { stage in
            let report = try await stage.report("text 2")
            #expect(report.delivery == .sent && report.userString == "a text of 2 words")
            let message = try #require(stage.receivers.messages.withLock { $0 }.first)
            #expect(message.number == "+1 (555) 555-0100" && message.text == "a text of 2 words")
            #expect(try await stage.report("hashable 1").delivery == .sent)
            let second = try #require(stage.receivers.messages.withLock { $0 }.last)
            #expect(second.text == #"{"action":"reportNotJunk","userInfo":{"classification":0,"number":"+1"}}"#)
            #expect(try await stage.report("textAndDate 2").delivery == .sent)
            stage.receivers.sends.withLock { $0 = false }
            let kept = try await stage.report("text 3")
            #expect(kept.delivery == .discarded && !kept.isDelivered && kept.blockedSenders == ["+15555550123"])
            #expect(stage.receivers.posted.withLock { $0.isEmpty })
        }
    }

    // spec: IC-6
    @Test("IC-6: a press of Cancel ends the report, and so does an end of the extension: each report has one end")
    func ends() async throws {
        try await Self.with { stage in
            let session = try await stage.begin("act 2")
            await session.cancel()
            #expect(await Self.isCancelled(session))
            #expect(await session.request.outcome.kind == .completed)
            try await stage.waits(for: ["viewDidDisappear"])
            #expect(await Self.code { _ = try await session.done() } == .contextFinished)
            await session.cancel()
            for act in ["Complete", "Cancel"] {
                let session = try await stage.begin("act 2")
                _ = try? await session.use(.tap(act))
                #expect(await Self.isEnded(session, .interrupted), "\(act)")
            }
            let dead = try await stage.begin("die 2")
            #expect(await Self.code { _ = try await dead.done() } == .interrupted)
            #expect(await Self.isEnded(dead, .interrupted))
            #expect(await Self.code { _ = try await stage.begin("dieAtPrepare") } == .interrupted)
            #expect(stage.receivers.posted.withLock { $0.isEmpty })
            #expect(try await stage.report("act 2").delivery == .posted(status: 200))
        }
    }

    // spec: IC-6
    @Test("IC-6: the cancellation of the task that presses Done is as Cancel") func cancellation() async throws {
        try await Self.with { stage in
            let session = try await stage.begin("hang 2")
            let done = Task { try await session.done() }
            try await stage.waits(forCall: "classification.respond", of: session)
            done.cancel()
            await #expect(throws: CocoaError.self) { try await done.value }
            #expect(await Self.isCancelled(session))
            #expect(await session.request.outcome.kind == .cancelled)
        }
    }

    // spec: IC-6
    @Test("IC-6: Cancel ends a report whose answer is awaited") func cancelBeforeTheAnswer() async throws {
        // The process of the extension hangs, so it has no other report.
        try await Self.with { stage in
            let session = try await stage.begin("hang 2")
            let done = Task { try await session.done() }
            try await stage.waits(forCall: "classification.respond", of: session)
            let cancelled = Task { await session.cancel() }
            try await stage.waits(forCall: "classification.end", of: session)
            try await stage.daemon.clock.advance(by: .seconds(10))
            await cancelled.value
            #expect(await Self.isCancelled(session))
            #expect(await Self.code { _ = try await done.value } == .contextFinished)
        }
    }

    // spec: IC-6
    @Test("IC-6: an extension that answers as if its request were over, and goes on, does not hold Done")
    func answerAsIfOver() async throws {
        let bundles = try TestBundles()
        try bundles.addHostile("answersAsIfOver", point: ClassificationHost.point)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = ClassificationHost(try await daemon.host("telephone").application)
            let session = try await host.begin(
                .calls([ReportedCommunication(sender: "+15555550123", date: 0)]),
                with: "org.exthost.tests.answersAsIfOver")
            #expect(await session.waitUntilReady())
            #expect(await Self.code { _ = try await session.done() } == .noSuchRequest)
            #expect(await Self.isEnded(session, .noSuchRequest))
            #expect(await session.request.outcome.kind == .cancelled)
        }
    }

    // spec: P-720
    @Test("P-720: a controller that does not get ready for the communications has 10 s") func prepareHangs()
        async throws
    {
        try await Self.with { stage in
            let begun = Task { try await stage.begin("hangAtPrepare") }
            try await stage.daemon.event { $0.detail?.hasPrefix("classification.prepare ") == true }
            try await stage.daemon.clock.advance(by: .seconds(10))
            #expect(await Self.code { _ = try await begun.value } == .timedOut)
        }
    }

    // spec: P-720
    @Test("P-720: an answer that does not come in 10 s, is no JSON or is too large ends the report")
    func badAnswers() async throws {
        try await Self.with { stage in
            for act in ["date", "endless", "large", "long", "deep"] {
                let session = try await stage.begin("\(act) 2")
                #expect(await Self.code { _ = try await session.done() } == .invalidArgument, "\(act)")
                #expect(await Self.isEnded(session, .invalidArgument), "\(act)")
            }
            try await stage.waits(for: ["userInfo.list.0.when"])
            let late = try await stage.begin("hang 2")
            let done = Task { try await late.done() }
            try await stage.waits(forCall: "classification.respond", of: late)
            try await stage.daemon.clock.advance(by: .seconds(10))
            #expect(await Self.code { _ = try await done.value } == .timedOut)
            #expect(await Self.isEnded(late, .timedOut))
            #expect(stage.receivers.posted.withLock { $0.isEmpty })
        }
    }

    // spec: P-721
    @Test("P-721: a report that does not reach its receiver fails, and the view is taken down all the same")
    func failures() async throws {
        for attributes in [[:], [Self.network: "http://reports.example/"], [Self.number: "call me"]] {
            try await Self.with(attributes) { stage in
                let session = try await stage.begin("act 2")
                let report = try await session.done()
                guard case .failed = report.delivery else {
                    Issue.record("\(report.delivery)")
                    return
                }
                #expect(!report.isDelivered && stage.receivers.posted.withLock { $0.isEmpty })
                #expect(await session.request.outcome.kind == .completed)
            }
        }
        try await Self.with { stage in
            let refusing = MessageServer { _ in throw MessageServer.Unauthorized() }
            let silent = MessageServer { _ in
                try await Task.sleep(for: .seconds(600))
                return .init(body: Data())
            }
            let wordy = MessageServer(body: Data(count: MessageServer.largestBody + 1))
            for (server, limit, words) in [
                (wordy, .seconds(600), "has more than"),
                (nil, .seconds(600), "no server"), (refusing, .seconds(600), "does not allow"),
                (silent, .milliseconds(100), "did not answer within"),
            ] as [(MessageServer?, Duration, String)] {
                let host = ClassificationHost(stage.application, server: server, limit: limit)
                let session = try await host.begin(
                    .messages([ReportedCommunication(sender: "a", date: 0, body: "act 3")]), with: Self.reporter)
                let report = try await session.done()
                guard case .failed(let why) = report.delivery, why.contains(words) else {
                    Issue.record("\(report.delivery)")
                    return
                }
                #expect(report.blockedSenders == ["a"])
                #expect(await session.request.outcome.kind == .completed)
            }
        }
    }

    // spec: P-721
    @Test("P-721: a process that dies while the report is under way does not take it back") func death() async throws {
        try await Self.with { stage in
            let server = MessageServer { question in
                let process = try await stage.daemon.event { $0.event == "process.spawned" }
                if let pid = process.pid { kill(pid_t(pid), SIGKILL) }
                _ = try await stage.daemon.event { $0.event == "process.exited" }
                return .init(body: Data())
            }
            let host = ClassificationHost(stage.application, server: server)
            let session = try await host.begin(
                .messages([ReportedCommunication(sender: "a", date: 0, body: "act 2")]), with: Self.reporter)
            #expect(try await session.done().delivery == .posted(status: 200))
            guard case .answered = await session.ending else {
                Issue.record("\(await session.ending)")
                return
            }
        }
    }
}

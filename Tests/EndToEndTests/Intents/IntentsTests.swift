// IntentsTests: intents step by step, the person's answers, and what a hostile handler can do.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import TestPrograms
import Testing

@Suite struct IntentsTests {
    private static let assistant = "org.exthost.tests.assistant"

    private struct Stage {
        let daemon: TestDaemon
        let host: HostApplication

        func perform(
            _ parameters: [String: [String]], of className: String = "INSendMessageIntent", isLocked: Bool = false,
            asking person: IntentsHost.Person = { _ in .stop }
        ) async throws -> IntentsHost.Run {
            try await IntentsHost(host, isLocked: isLocked).perform(
                className, parameters: parameters.mapValues { .texts($0) }, by: assistant, asking: person)
        }

        /// Sends a message to Anna.
        func send(_ content: String) async throws -> IntentsHost.Run {
            try await perform(["recipients": ["Anna"], "content": [content]])
        }

        /// The output of the extension.
        func output() async throws -> String {
            let ending = try await Program.control(["logs", assistant], socket: daemon.address.path).ending()
            return ending.output + ending.errors
        }
    }

    /// Runs a body with a daemon whose clock is virtual, and an extension of a class.
    private static func with(
        _ principalClass: String = "Assistant", clock: TestDaemon.ClockKind = .virtual,
        _ body: (Stage) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "assistant", program: SampleApplications.buildFolder + "/Assistant", point: IntentsHost.point, rule: nil,
            information: [
                "NSExtension": [
                    "NSExtensionPointIdentifier": IntentsHost.point,
                    "NSExtensionPrincipalClass": "Assistant.\(principalClass)",
                    "NSExtensionAttributes": [
                        "IntentsSupported": [
                            "INSendMessageIntent", "INPlayMediaIntent", "INStartWorkoutIntent", "OwnIntent", "No/Name",
                        ],
                        "IntentsRestrictedWhileLocked": ["INPlayMediaIntent"],
                    ],
                ]
            ])
        try await withTestDaemon(applications: [bundles.path], clock: clock) { daemon in
            let host = try await daemon.host("assistant").application
            try await body(Stage(daemon: daemon, host: host))
        }
    }

    // spec: IN-2, IN-4
    @Test("IN-2: each parameter is resolved in order, then the intent is confirmed and handled") func steps()
        async throws
    {
        try await Self.with { stage in
            let run = try await stage.send("Hello")
            #expect(run.ending == .handled, "\(run)")
            let names = run.steps.map { step in
                switch step {
                case .resolve(let parameter, let results): "\(parameter) \(results?.map(\.kind.rawValue) ?? ["-"])"
                case .question: "question"
                case .confirm(let answer): "confirm \(answer?.code ?? "-")"
                case .handle(let answer): "handle \(answer.code)"
                }
            }
            #expect(
                names == [
                    #"recipients ["success"]"#, #"outgoingMessageType ["-"]"#, #"content ["notRequired"]"#,
                    #"speakableGroupName ["-"]"#, "confirm ready", "handle success",
                ])
            let answer = try #require(run.answer)
            #expect(answer.className == "INSendMessageIntentResponse" && answer.number == 3 && answer.isSuccess)
            let message = try #require(answer.values["sentMessage"])
            #expect(message["content"] == .text("Hello") && message["dateSent"] == .date(5))
            #expect(message["identifier"] != .text(""))
            guard case .list(let people)? = message["recipients"] else {
                Issue.record("\(message)")
                return
            }
            #expect(people.map(\.words) == ["Anna"])
            #expect(answer.activity?.type == "org.exthost.tests.send")
            #expect(answer.activity?.userInfo == ["count": .integer(3), "name": .text("x")])
            let request = try #require(run.request)
            #expect(await request.outcome.kind == .completed)
        }
    }

    // spec: IN-2, PC-12
    @Test("IN-2, PC-12: the async forms answer, and methods that are not written are skipped") func asyncForms()
        async throws
    {
        try await Self.with("LaterAssistant") { stage in
            let run = try await stage.send("Hello")
            #expect(run.ending == .handled && run.values["content"] == .text("Hello!"))
            #expect(
                run.steps.contains(.confirm(nil)) && run.steps.contains(.resolve(parameter: "recipients", results: nil))
            )
        }
    }

    // spec: IN-3
    @Test("IN-3: the person gives values, chooses and confirms; without an answer the conversation ends")
    func questions() async throws {
        try await Self.with { stage in
            let given = try await stage.perform(["content": ["Hello"]]) { question in
                guard case .value("recipients", let type, nil) = question, type.isList else { return .stop }
                return .value(.texts(["Anna", "Tom"]))
            }
            #expect(given.ending == .handled && given.values["recipients"]?.words == "Anna, Tom", "\(given)")
            let chosen = try await stage.perform(["content": ["Hello"], "recipients": ["Anna", "many"]]) { question in
                guard case .choice(_, let options) = question, options.count == 2 else { return .stop }
                return .option(1)
            }
            #expect(chosen.ending == .handled && chosen.values["recipients"]?.words == "Anna, second", "\(chosen)")
            let sure = try await stage.perform(["content": ["Hello"], "recipients": ["sure"]]) { _ in .yes }
            #expect(sure.ending == .handled && sure.values["recipients"]?.words == "surely", "\(sure)")
            let both = try await stage.perform(["content": ["Hello"], "recipients": ["sure", "sure"]]) { _ in .yes }
            #expect(both.ending == .handled && both.values["recipients"]?.words == "surely, surely", "\(both)")
            let kept = try await stage.perform(["content": ["Hello"], "recipients": ["kept", "Tom"]])
            #expect(kept.ending == .handled && kept.values["recipients"]?.words == "kept, Tom", "\(kept)")
            let absent = try await stage.perform(["recipients": ["absent"]])
            #expect(absent.ending == .handled && absent.values["recipients"]?.words == "absent")
            #expect(try await stage.perform([:]).ending == .needsValue(parameter: "recipients"))
            #expect(try await stage.perform(["recipients": ["many"]]).ending == .ambiguous(parameter: "recipients"))
            let far = try await stage.perform(["recipients": ["many"]]) { _ in .option(2) }
            #expect(far.ending == .ambiguous(parameter: "recipients"))
            #expect(try await stage.perform(["recipients": ["sure"]]).ending == .unconfirmed(parameter: "recipients"))
            let unknown = try await stage.perform(["recipients": ["Anna", "unknown"]])
            #expect(unknown.ending == .unsupported(parameter: "recipients", reason: nil))
            #expect(try await stage.send("reason").ending == .unsupported(parameter: "content", reason: 3))
            #expect(await unknown.request?.outcome.kind == .completed)
        }
    }

    // spec: IN-2
    @Test("IN-2: a confirmation or a handling may fail") func failures() async throws {
        try await Self.with { stage in
            let refused = try await stage.send("refuse")
            #expect(refused.ending == .failed && refused.answer?.code == "failureRequiringAppLaunch")
            #expect(!refused.steps.contains { if case .handle = $0 { true } else { false } })
            let failed = try await stage.send("fail")
            #expect(failed.ending == .failed && failed.answer?.code == "failure")
        }
    }

    // spec: IN-1, IN-4
    // not simulated: N-170
    @Test("IN-1: a class that the extension does not support, or that is locked or not built, is refused")
    func classes() async throws {
        try await Self.with { stage in
            func code(_ name: String, _ parameters: [String: [String]] = [:]) async -> ExtensionHostError.Code? {
                do {
                    _ = try await stage.perform(parameters, of: name)
                    return nil
                } catch { return (error as? ExtensionHostError)?.code }
            }
            #expect(await code("INCreateNoteIntent") == .invalidArgument)
            #expect(await code("INStartWorkoutIntent") == .notSimulated)
            #expect(await code("OwnIntent") == .invalidArgument)
            #expect(await code("No/Name") == .invalidArgument)
            #expect(await code("INSendMessageIntent", ["nothing": ["x"]]) == .invalidArgument)
            #expect(await code("INSendMessageIntent", ["content": ["x", "y"]]) == .invalidArgument)
            #expect(await code("INSendMessageIntent", ["outgoingMessageType": ["loud"]]) == .invalidArgument)
            let locked = try await stage.perform([:], of: "INPlayMediaIntent", isLocked: true)
            #expect(locked.ending == .restricted && locked.request == nil && locked.steps.isEmpty)
            let open = try await stage.perform(["recipients": ["Anna"]], isLocked: true)
            #expect(open.ending == .handled)
        }
    }

    // spec: IN-1, PC-10
    @Test("IN-1, PC-10: an object that is no handler is named with the missing protocol") func handlers() async throws {
        try await Self.with { stage in
            for (service, words) in [
                ("nobody", "handler(for:) returned no object"),
                ("stranger", "does not adopt INSendMessageIntentHandling"),
            ] {
                let run = try await stage.perform(["recipients": ["Anna"], "serviceName": [service]])
                guard case .fault(let error) = run.ending else {
                    Issue.record("\(run.ending)")
                    return
                }
                #expect(error.code == .principalUnsuitable && error.message.contains(words), "\(error)")
            }
            let media = try await stage.perform([:], of: "INPlayMediaIntent")
            guard case .fault(let error) = media.ending else {
                Issue.record("\(media.ending)")
                return
            }
            #expect(error.message.contains("Assistant does not adopt INPlayMediaIntentHandling"), "\(error)")
        }
        try await Self.with("NoAssistant") { stage in
            let run = try await stage.send("x")
            #expect(run.ending == .ended(.cancelledByExtension))
        }
        try await Self.with("IdleAssistant") { stage in
            guard case .fault = try await stage.send("x").ending else {
                Issue.record("IdleAssistant has handled a message")
                return
            }
        }
    }

    // MARK: Hostile handlers

    // spec: IN-2
    @Test("IN-2: a handler that does not answer has 10 s") func limit() async throws {
        try await Self.with { stage in
            let late = Task { try await stage.send("hang") }
            try await stage.daemon.event { $0.detail?.hasPrefix("intents.handle 7 by") == true }
            try await stage.daemon.clock.advance(by: .seconds(10))
            let ended = try await late.value
            #expect(ended.ending == .timedOut, "\(ended.ending)")
            #expect(await ended.request?.outcome.kind != .completed)
        }
    }

    // spec: IN-3, PC-4, PC-5
    @Test("PC-4, PC-5: a second answer is ignored, a dropped handler and a death end the request") func misuse()
        async throws
    {
        try await Self.with(clock: .real) { stage in
            let twice = try await stage.send("twice")
            #expect(twice.ending == .handled && twice.answer?.code == "success")
            try await eventually { try await stage.output().contains("E_HANDLER_TWICE") }
            #expect(try await stage.send("drop").ending == .handlerDropped)
            #expect(try await stage.send("drop resolve").ending == .handlerDropped)
            #expect(try await stage.send("die").ending == .ended(.exitedEarly))
        }
    }

    // spec: IN-3
    @Test("IN-3: a value of another type, too many options or values, and endless questions are faults") func bounds()
        async throws
    {
        try await Self.with { stage in
            for content in ["wrong", "many", "huge"] {
                guard case .fault(let error) = try await stage.send(content).ending else {
                    Issue.record("\(content) has no fault")
                    continue
                }
                #expect([.protocolViolation, .payloadTooLarge].contains(error.code), "\(content): \(error)")
            }
            let endless = try await stage.perform(["recipients": ["Anna"], "content": ["again"]]) { _ in
                .value(.texts(["again"]))
            }
            #expect(endless.ending == .endless(parameter: "content"))
            let questions = endless.steps.filter { if case .question = $0 { true } else { false } }
            #expect(questions.count == IntentsHost.mostQuestions)
            // The bound is about each value of a list.
            let nine = Array(repeating: "sure", count: IntentsHost.mostQuestions + 1)
            let sure = try await stage.perform(["recipients": nine, "content": ["Hello"]]) { _ in .yes }
            #expect(sure.ending == .handled, "\(sure)")
        }
    }

    // spec: IN-2
    @Test("IN-2: a cancelled task cancels the request") func cancellation() async throws {
        try await Self.with { stage in
            let task = Task { try await stage.send("hang") }
            try await stage.daemon.event { $0.detail?.hasPrefix("intents.handle 7 by") == true }
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
            // The extension serves the next intent.
            #expect(try await stage.send("Hello").ending == .handled)
        }
    }
}

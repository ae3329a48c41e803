// IntentsDriver: `run` for an intents extension: an intent, step by step.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import Locks
import PointHosts
import PointMessages
import Scenarios

struct IntentsDriver: PointDriver {
    static let point = IntentsHost.point
    static let showsView = false

    static let exploredCalls: [ExplorationCall] = {
        let intent = IntentDescription(
            "INSendMessageIntent", identifier: "explored", values: ["content": .text("Hello")])
        return [
            ExplorationCall(DescribeIntent("INSendMessageIntent")),
            ExplorationCall(ResolveIntent(intent, parameter: "content")), ExplorationCall(ConfirmIntent(intent)),
            ExplorationCall(HandleIntent(intent)), ExplorationCall(EndIntent(), after: [1, 2, 3, 4], isLast: true),
        ]
    }()

    private let step: IntentStep
    private let named: String?

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        let options = command.intents
        named = options.intent
        step = try Self.step(options)
    }

    static func step(_ options: IntentOptions) throws -> IntentStep {
        IntentStep(
            options.intent ?? "", parameters: try options.param.map { try pair($0, "--param") },
            replies: try options.reply.map { try pair($0, "--reply") }, isLocked: options.locked)
    }

    static func pair(_ text: String, _ option: String) throws -> IntentStep.Pair {
        guard let pair = IntentStep.Pair(text) else {
            throw CommandError.usage("“\(text)” has no name and value", remedy: "Write \(option) NAME=VALUE")
        }
        return pair
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        var step = step
        if named == nil {
            guard let first = try await IntentsHost(host).supportedIntents(of: identifier).first else {
                throw CommandError.usage(
                    "\(identifier) supports no intents", remedy: "List their classes in IntentsSupported")
            }
            step.className = first
        }
        let ending = try await IntentEnding(step, host, identifier)
        return PointReport(
            text: ending.text, json: [("extension", .string(identifier))] + ending.members,
            status: ending.run.ending == .handled ? 0 : ExitStatus.notExpected)
    }
}

/// An intent's steps and their end, for people and for scenarios.
struct IntentEnding: Sendable {
    let run: IntentsHost.Run
    private let identifier: String
    private let className: String
    private let duration: Double?

    /// Performs an intent.
    ///
    /// - Throws: errors of `IntentsHost.perform`.
    init(_ step: IntentStep, _ host: HostApplication, _ identifier: String) async throws {
        (self.identifier, className) = (identifier, step.className)
        let parameters = Self.inputs(step.parameters)
        let replies = Mutex(step.replies)
        run = try await IntentsHost(host, isLocked: step.isLocked).perform(
            step.className, parameters: parameters, by: identifier
        ) { question in
            let reply = replies.withLock { replies -> String? in
                guard let index = replies.firstIndex(where: { $0.name == question.parameter }) else { return nil }
                return replies.remove(at: index).value
            }
            return reply.map { Self.reply($0, to: question) } ?? .stop
        }
        duration = await run.duration
    }

    /// The values of parameters, of which lists have several.
    static func inputs(_ pairs: [IntentStep.Pair]) -> [String: IntentInput] {
        Dictionary(grouping: pairs, by: \.name).mapValues { .texts($0.map(\.value)) }
    }

    /// Reads an answer of a person.
    private static func reply(_ text: String, to question: IntentsHost.Question) -> IntentsHost.Reply {
        switch question {
        case .value: return .value(.texts([text]))
        case .choice(_, let options):
            if let index = options.firstIndex(where: { $0.words == text }) { return .option(index) }
            return Int(text).flatMap { $0 > 0 ? .option($0 - 1) : nil } ?? .value(.texts([text]))
        case .confirmation:
            return ["yes", "true"].contains(text) ? .yes : text == "no" ? .stop : .value(.texts([text]))
        }
    }

    // MARK: Text

    var text: String {
        var text = "\(headline): \(printable(className)) by \(printable(identifier))"
        if let pid = run.request?.processIdentifier { text += ", pid \(pid)" }
        if let duration { text += ", after \(written(seconds: duration))" }
        text += "\n"
        for step in run.steps { text += "  \(Self.words(step))\n" }
        for (name, value) in run.answer?.values.sorted(by: { $0.key < $1.key }) ?? [] {
            text += "  \(printable(name)): \(printable(value.words))\n"
        }
        if let activity = run.answer?.activity { text += "  activity: \(printable(activity.type))\n" }
        for remark in run.remarks { text += "  remark: \(printable(remark))\n" }
        return text
    }

    private var headline: String { why.map { "\(result.word.rawValue), \($0)" } ?? result.word.rawValue }

    private static func words(_ step: IntentsHost.Step) -> String {
        switch step {
        case .resolve(let parameter, nil): return "resolve \(printable(parameter)): not written"
        case .resolve(let parameter, let results?):
            return "resolve \(printable(parameter)): "
                + (results.isEmpty ? "no result" : results.map(words).joined(separator: "; "))
        case .question(let question, let reply):
            return "asked about \(printable(question.parameter)): \(printable(words(reply, to: question)))"
        case .confirm(nil): return "confirm: not written"
        case .confirm(let answer?): return "confirm: \(printable(answer.code)) (\(answer.number))"
        case .handle(let answer): return "handle: \(printable(answer.code)) (\(answer.number))"
        }
    }

    private static func words(_ result: IntentResolution) -> String {
        var words = result.kind.rawValue
        if let value = result.value { words += " \(printable(value.words))" }
        if !result.options.isEmpty {
            words += " " + result.options.map { printable($0.words) }.joined(separator: ", ")
        }
        if let reason = result.reason { words += ", reason \(reason)" }
        return words
    }

    private static func words(_ reply: IntentsHost.Reply, to question: IntentsHost.Question) -> String {
        switch (reply, question) {
        case (.value(.texts(let texts)), _): return texts.joined(separator: ", ")
        case (.value(.value(let value)), _): return value.words
        case (.option(let index), .choice(_, let options)) where options.indices.contains(index):
            return options[index].words
        case (.option(let index), _): return "choice \(index + 1)"
        case (.yes, _): return "yes"
        case (.stop, _): return "no answer"
        }
    }

    private var why: String? {
        switch run.ending {
        case .handled: nil
        case .failed: run.answer.map { "the extension answered \($0.code) (\($0.number))" }
        case .restricted: "the device is locked"
        case .needsValue(let parameter): "\(parameter) needs a value"
        case .ambiguous(let parameter): "\(parameter) needs a choice"
        case .unconfirmed(let parameter): "\(parameter) needs a confirmation"
        case .unsupported(let parameter, let reason):
            "the value of \(parameter) is not supported" + (reason.map { " (reason \($0))" } ?? "")
        case .endless(let parameter): "more than \(IntentsHost.mostQuestions) questions about \(parameter)"
        case .timedOut: "the extension did not answer in time"
        case .ended(let cause): "the request ended (\(cause?.rawValue ?? "no cause"))"
        case .handlerDropped: "the extension released a handler without a call"
        case .fault(let error): "\(error)"
        }
    }

    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        let word: PointResult =
            switch run.ending {
            case .handled: .handled
            case .failed, .fault, .endless: .failed
            case .restricted: .refused
            case .needsValue: .needsValue
            case .ambiguous: .disambiguation
            case .unconfirmed: .confirmationRequired
            case .unsupported: .unsupported
            case .timedOut: .timedOut
            case .ended: .ended
            case .handlerDropped: .handlerDropped
            }
        return (word, why)
    }

    // MARK: JSON

    var members: [(name: String, value: JSON)] {
        [
            ("intent", .string(className)), ("result", .string(result.word.rawValue)), ("reason", .optional(why)),
            ("pid", .optional(run.request?.processIdentifier)), ("duration", .optional(duration)),
            ("steps", .array(run.steps.map(Self.json))),
            ("values", .object(run.values.sorted { $0.key < $1.key }.map { ($0.key, Self.json($0.value)) })),
            ("code", .optional(run.answer?.code)), ("number", .optional(run.answer?.number)),
            (
                "response",
                .object((run.answer?.values ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, Self.json($0.value)) })
            ),
            ("activity", .optional(run.answer?.activity?.type)),
            ("remarks", .array(run.remarks.map { .string($0) })),
        ]
    }

    private static func json(_ step: IntentsHost.Step) -> JSON {
        switch step {
        case .resolve(let parameter, let results):
            [
                "step": .string("resolve"), "parameter": .string(parameter),
                "results": results.map { .array($0.map(json)) } ?? .null,
            ]
        case .question(let question, let reply):
            [
                "step": .string("question"), "parameter": .string(question.parameter),
                "reply": .string(words(reply, to: question)),
            ]
        case .confirm(let answer): ["step": .string("confirm"), "code": .optional(answer?.code)]
        case .handle(let answer): ["step": .string("handle"), "code": .string(answer.code)]
        }
    }

    private static func json(_ result: IntentResolution) -> JSON {
        [
            "kind": .string(result.kind.rawValue), "value": result.value.map(json) ?? .null,
            "options": .array(result.options.map(json)), "reason": .optional(result.reason),
        ]
    }

    private static func json(_ value: IntentValue) -> JSON {
        switch value {
        case .text(let text), .url(let text): .string(text)
        case .integer(let number): .optional(number)
        case .number(let number), .date(let number): .optional(number)
        case .boolean(let truth): .boolean(truth)
        case .components(let numbers):
            .object(numbers.sorted { $0.key < $1.key }.map { ($0.key, .optional($0.value)) })
        case .data(let bytes): .string(Data(bytes).base64EncodedString())
        case .list(let elements): .array(elements.map(json))
        case .record(_, let members): .object(members.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })
        }
    }
}

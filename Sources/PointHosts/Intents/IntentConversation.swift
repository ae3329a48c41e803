// IntentConversation: the steps of one intent, with checks of all that the extension answers.

import ExtensionHost
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import PointMessages

/// One intent on its way through an extension.
struct IntentConversation {
    /// An error of the extension's, or one that it reports about the caller's arguments.
    struct Failure: Error {
        let error: any Error
        /// The error if it is the fault of the caller's arguments.
        let callersError: ExtensionHostError?

        /// - Parameter isFirst: whether no step has been made, so that arguments may be at fault.
        init(_ error: any Error, isFirst: Bool = false) {
            self.error = error
            let known = isFirst ? error as? ExtensionHostError : nil
            callersError = known.flatMap { [.notSimulated, .invalidArgument].contains($0.code) ? $0 : nil }
        }
    }

    /// A step that ends the conversation.
    private struct Stop: Error { let ending: IntentsHost.Ending }

    private let request: ExtensionRequest
    private let className: String
    private let identifier = UUID().uuidString
    private var steps: [IntentsHost.Step] = []
    private var values: [String: IntentValue] = [:]
    private var answer: IntentAnswer?
    private var remarks: [String] = []
    /// The values that the answers of the extension may still take up.
    private var budget = IntentsHost.largestConversation
    /// The number of turns that have asked about the parameter that is being resolved.
    private var questions = 0
    /// Whether the present turn has asked. A turn asks once for each value of a list.
    private var hasAsked = false

    init(_ request: ExtensionRequest, _ className: String) { (self.request, self.className) = (request, className) }

    func run(_ ending: IntentsHost.Ending) -> IntentsHost.Run {
        IntentsHost.Run(
            className: className, identifier: identifier, ending: ending, steps: steps, values: values, answer: answer,
            request: request, remarks: remarks)
    }

    /// Performs all steps.
    ///
    /// - Throws: `Failure`; errors of the caller's arguments and of `person`.
    mutating func run(
        _ given: [String: IntentInput], _ person: IntentsHost.Person
    ) async throws -> IntentsHost.Ending {
        let parameters = try await describe()
        for (name, input) in given.sorted(by: { $0.key < $1.key }) {
            guard let parameter = parameters.first(where: { $0.name == name }) else {
                throw ExtensionHostError(
                    .invalidArgument, "\(className) has no parameter \(name)",
                    remedy: "Use \(parameters.map(\.name).joined(separator: ", "))")
            }
            values[name] = try Self.value(input, parameter)
        }
        do {
            for parameter in parameters where parameter.isResolved { try await resolve(parameter, person) }
            try await confirm()
            return try await handle()
        } catch let stop as Stop {
            return stop.ending
        }
    }

    static func value(_ input: IntentInput, _ parameter: DescribeIntent.Parameter) throws -> IntentValue {
        if let value = input.value(of: parameter.type) { return value }
        let type = parameter.type
        let words = type.kind == .record ? type.record ?? "record" : type.kind.rawValue
        throw ExtensionHostError(
            .invalidArgument, "the value of \(parameter.name) is no \(words)\(type.isList ? " in a list" : "")",
            remedy: type.cases.map { "Use one of \($0.keys.sorted().prefix(12).joined(separator: ", "))" })
    }

    private func call<Message: PointMessage>(_ message: Message) async throws -> Message.Reply {
        do { return try await request.call(message) } catch { throw Failure(error, isFirst: steps.isEmpty) }
    }

    private static func violation(_ text: String) -> Failure {
        Failure(ExtensionHostError(.protocolViolation, "the extension answered with \(text)"))
    }

    /// Takes the size of an answer from the budget, before the answer is read any further.
    private mutating func spend(_ values: [IntentValue], texts: [String] = [], and count: Int = 0) throws {
        guard !values.contains(where: { $0.isDeeper(than: IntentsHost.deepestValue) }) else {
            throw Self.violation("values that are nested more than \(IntentsHost.deepestValue) levels deep")
        }
        budget -= count + texts.reduce(0) { $0 + $1.utf8.count / 64 } + values.reduce(0) { $0 + $1.size }
        guard budget >= 0 else {
            throw Self.violation("more than \(IntentsHost.largestConversation) values in one conversation")
        }
    }

    private var intent: IntentDescription { IntentDescription(className, identifier: identifier, values: values) }

    private mutating func describe() async throws -> [DescribeIntent.Parameter] {
        let parameters = try await call(DescribeIntent(className)).parameters
        guard parameters.count <= IntentsHost.largestList, Set(parameters.map(\.name)).count == parameters.count,
            parameters.allSatisfy({ $0.name.utf8.count <= 200 })
        else { throw Self.violation("too many parameters, or with repeated or long names") }
        guard parameters.count(where: \.isResolved) <= IntentsHost.mostResolutions else {
            throw Self.violation("more than \(IntentsHost.mostResolutions) parameters to resolve")
        }
        let types = parameters.map(\.type)
        guard types.allSatisfy({ ($0.cases?.count ?? 0) <= IntentsHost.largestList }) else {
            throw Self.violation("more than \(IntentsHost.largestList) cases of a parameter")
        }
        try spend(
            [], texts: types.flatMap { [$0.record ?? ""] + ($0.cases ?? [:]).keys },
            and: types.reduce(0) { $0 + 1 + ($1.cases?.count ?? 0) })
        return parameters
    }

    // MARK: Resolution

    /// Resolves a parameter until it needs no value any more.
    private mutating func resolve(
        _ parameter: DescribeIntent.Parameter, _ person: IntentsHost.Person
    ) async throws {
        questions = 0
        // Each turn but the last one asks, so the bound of asking turns bounds all.
        while true {
            hasAsked = false
            let results = try await call(ResolveIntent(intent, parameter: parameter.name)).results
            if let results { try check(results, parameter) }
            steps.append(.resolve(parameter: parameter.name, results: results))
            guard let results else { return }
            if try await !apply(results, parameter, person) { return }
        }
    }

    /// Checks the results for a parameter.
    private mutating func check(_ results: [IntentResolution], _ parameter: DescribeIntent.Parameter) throws {
        let (name, type) = (parameter.name, parameter.type.element)
        guard results.count <= IntentsHost.largestList, parameter.type.isList || results.count == 1 else {
            throw Self.violation("\(results.count) results for \(name)")
        }
        for result in results {
            guard result.options.count <= IntentsHost.largestList else {
                throw Self.violation("more than \(IntentsHost.largestList) options for \(name)")
            }
            let given = [result.value].compactMap { $0 } + result.options
            try spend(given, and: 1)
            guard given.allSatisfy(type.holds) else {
                throw Self.violation("a value for \(name) that has another type")
            }
            switch result.kind {
            case .success where result.value == nil: throw Self.violation("a success for \(name) without a value")
            case .disambiguation where result.options.isEmpty:
                throw Self.violation("a disambiguation for \(name) without options")
            case .unrecognized: throw Self.violation("an unknown result for \(name)")
            default: break
            }
        }
    }

    /// Applies the results to the parameter's value, with the person's help.
    ///
    /// - Returns: whether the person has answered, so that the parameter is resolved anew.
    private mutating func apply(
        _ results: [IntentResolution], _ parameter: DescribeIntent.Parameter, _ person: IntentsHost.Person
    ) async throws -> Bool {
        // A list without results stays as it is, and so does a value that needs no resolution.
        if results.allSatisfy({ $0.kind == .notRequired }) { return false }
        var elements: [IntentValue] = []
        if parameter.type.isList {
            if case .list(let present)? = values[parameter.name] { elements = present }
        } else if let value = values[parameter.name] {
            elements = [value]
        }
        if parameter.type.isList, !elements.isEmpty, results.count != elements.count,
            results.contains(where: { $0.kind != .success })
        {
            remarks.append("\(parameter.name) has \(elements.count) values and \(results.count) results")
        }
        var resolved: [IntentValue] = []
        var isAsked = false
        for (index, result) in results.enumerated() {
            let present = index < elements.count ? elements[index] : nil
            switch result.kind {
            case .success: if let value = result.value { resolved.append(value) }
            case .notRequired: if let present { resolved.append(present) }
            case .unsupported: throw Stop(ending: .unsupported(parameter: parameter.name, reason: result.reason))
            case .needsValue:
                isAsked = true
                let type = parameter.type
                resolved += try await ask(
                    .value(parameter: parameter.name, type: type, reason: result.reason), parameter, person,
                    .needsValue(parameter: parameter.name))
            case .disambiguation:
                isAsked = true
                resolved += try await ask(
                    .choice(parameter: parameter.name, options: result.options), parameter, person,
                    .ambiguous(parameter: parameter.name))
            case .confirmationRequired:
                let question = IntentsHost.Question.confirmation(
                    parameter: parameter.name, value: result.value ?? present, reason: result.reason)
                let answered = try await ask(question, parameter, person, .unconfirmed(parameter: parameter.name))
                resolved += answered
                // What is confirmed needs no further resolution (ours), so an extension cannot ask again and again.
                if answered != [result.value ?? present].compactMap({ $0 }) { isAsked = true }
            case .unrecognized: break
            }
        }
        if parameter.type.isList {
            values[parameter.name] = resolved.isEmpty ? nil : .list(resolved)
        } else {
            values[parameter.name] = resolved.first
        }
        return isAsked
    }

    /// Asks the person.
    ///
    /// - Returns: the values that take the place of the element in question.
    private mutating func ask(
        _ question: IntentsHost.Question, _ parameter: DescribeIntent.Parameter, _ person: IntentsHost.Person,
        _ otherwise: IntentsHost.Ending
    ) async throws -> [IntentValue] {
        if !hasAsked {
            guard questions < IntentsHost.mostQuestions else {
                throw Stop(ending: .endless(parameter: parameter.name))
            }
            (questions, hasAsked) = (questions + 1, true)
        }
        let reply = try await person(question)
        steps.append(.question(question, reply))
        switch (reply, question) {
        case (.value(let input), _):
            let value = try Self.value(input, parameter)
            if parameter.type.isList, case .list(let elements) = value { return elements }
            return [value]
        case (.option(let index), .choice(_, let options)) where options.indices.contains(index):
            return [options[index]]
        case (.yes, .confirmation(_, let value, _)): return value.map { [$0] } ?? []
        default: throw Stop(ending: otherwise)
        }
    }

    // MARK: Confirmation and handling

    private mutating func confirm() async throws {
        let reply = try await call(ConfirmIntent(intent)).answer
        if let reply { try check(reply) }
        steps.append(.confirm(reply))
        guard let reply else { return }
        answer = reply
        guard reply.isSuccess else { throw Stop(ending: .failed) }
    }

    private mutating func handle() async throws -> IntentsHost.Ending {
        let reply = try await call(HandleIntent(intent)).answer
        try check(reply)
        steps.append(.handle(reply))
        answer = reply
        return reply.isSuccess ? .handled : .failed
    }

    private mutating func check(_ answer: IntentAnswer) throws {
        let activity = answer.activity
        let information = activity?.userInfo ?? [:]
        try spend(
            Array(answer.values.values) + Array(information.values),
            texts: [
                answer.className, answer.code, activity?.type ?? "", activity?.title ?? "", activity?.webpage ?? "",
            ]
                + answer.values.keys + information.keys,
            and: 1)
    }
}

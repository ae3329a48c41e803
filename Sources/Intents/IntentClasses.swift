// IntentClasses: classes of intents by their names, and the intents and interactions that a host sends.

import ExtensionFoundation
import ExtensionWire
import Foundation
package import PointFrameworkKit
package import PointMessages

/// The classes of intents in the process of an extension, for this framework and for `IntentsUI`.
package enum IntentClasses {
    /// Finds a class of intents: of this module, of that of the principal class, or of one that its name has.
    ///
    /// - Throws: `ExtensionHostError` `notSimulated` for an unbuilt class of Apple's, else `invalidArgument`.
    package static func type(_ name: String, _ session: PointSession) throws -> INIntent.Type {
        let isName = name.utf8.count <= 200 && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        var candidates = name.contains(".") ? [name] : ["Intents.\(name)"]
        if let principal = session.principal, !name.contains(".") {
            let module = String(reflecting: Swift.type(of: principal)).prefix { $0 != "." }
            candidates.append("\(module).\(name)")
        }
        let found = isName ? candidates.lazy.compactMap { NSClassFromString($0) as? INIntent.Type }.first : nil
        guard let found, found._handling != nil else {
            if name.hasPrefix("IN"), name.hasSuffix("Intent") {
                throw ExtensionHostError(.notSimulated, "intents of the class \(name) are not simulated")
            }
            throw ExtensionHostError(
                .invalidArgument, "the extension has no class \(name) of intents",
                remedy: "Generate it in the module of the principal class")
        }
        return found
    }

    /// Makes an intent of a class with the values that a host sends.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` for a parameter or a value that the class does not have.
    static func intent(_ description: IntentDescription, _ type: INIntent.Type) throws -> INIntent {
        let intent = type.init()
        intent.identifier = description.identifier
        try set(description.values, of: intent, type._parameters.map(\.property), "parameter")
        return intent
    }

    private static func set(
        _ values: [String: IntentValue], of object: NSObject, _ properties: [_IntentProperty], _ kind: String
    ) throws {
        let className = "\(Swift.type(of: object))"
        for (name, value) in values {
            guard let property = properties.first(where: { $0.name == name }) else {
                throw ExtensionHostError(.invalidArgument, "\(className) has no \(kind) \(name)")
            }
            guard property.set(object, value) else {
                throw ExtensionHostError(
                    .invalidArgument, "the value of \(name) is not of the type of \(className).\(name)")
            }
        }
    }

    // MARK: Interactions

    /// The value of an entry of `userInfo`; nil for one that only a property of a class can have.
    private static func entry(_ value: IntentValue) -> Any? {
        switch value {
        case .text(let text): text
        case .url(let text): URL(string: text)
        case .integer(let number): number
        case .number(let number): number
        case .date(let seconds): Date(timeIntervalSince1970: seconds)
        case .boolean(let truth): truth
        case .data(let bytes): Data(bytes)
        case .list(let elements): elements.compactMap(entry)
        case .components, .record: nil
        }
    }

    /// The numbers among which the codes of a response are, for the standard ones and for an author's own.
    private static let codeNumbers = [0..<32, 100..<1_100].joined()

    /// Describes a class of intents and that of its responses.
    ///
    /// - Throws: errors of `type(_:_:)`.
    package static func describe(_ name: String, _ session: PointSession) throws -> DescribeInteraction.Reply {
        let type = try type(name, session)
        guard let response = type._handling?.response else {
            throw ExtensionHostError(.invalidArgument, "the class \(name) has no responses")
        }
        let codes = codeNumbers.compactMap { number -> DescribeInteraction.Code? in
            let made = response.init()
            made._setCode(number)
            let code = made._code
            return code.number == number ? .init(code.name, number, isSuccess: code.isSuccess) : nil
        }
        return DescribeInteraction.Reply(
            type._parameters.map { .init($0.property.name, $0.property.type, isResolved: $0.resolve != nil) },
            response: "\(response)",
            properties: response._properties.map { .init($0.name, $0.type, isResolved: false) }, codes: codes)
    }

    /// Makes an interaction that a host sends.
    ///
    /// - Throws: errors of `type(_:_:)`; `ExtensionHostError` `invalidArgument` for a property or a value that the
    ///   classes do not have.
    package static func interaction(_ message: IntentInteraction, _ session: PointSession) throws -> INInteraction {
        let type = try type(message.intent.className, session)
        var response: INIntentResponse?
        if let answer = message.answer, let made = type._handling?.response.init() {
            made._setCode(answer.number)
            guard made._code.number == answer.number else {
                throw ExtensionHostError(
                    .invalidArgument, "\(Swift.type(of: made)) has no code \(answer.code) (\(answer.number))",
                    remedy: "Generate the class again, for both extensions")
            }
            try set(answer.values, of: made, Swift.type(of: made)._properties, "property")
            made.userActivity = answer.activity.map { activity in
                let made = NSUserActivity(activityType: activity.type)
                made.title = activity.title
                let entries = activity.userInfo.compactMapValues(entry)
                made.userInfo = entries.isEmpty ? nil : entries
                made.webpageURL = activity.webpage.flatMap { URL(string: $0) }
                return made
            }
            response = made
        }
        let interaction = INInteraction(intent: try intent(message.intent, type), response: response)
        interaction.identifier = message.identifier
        interaction.direction =
            switch message.direction {
            case .outgoing: .outgoing
            case .incoming: .incoming
            case .unspecified, .unrecognized: .unspecified
            }
        if message.start.isFinite, message.end.isFinite, message.start <= message.end {
            interaction.dateInterval = DateInterval(
                start: Date(timeIntervalSince1970: message.start), end: Date(timeIntervalSince1970: message.end))
        }
        return interaction
    }
}

extension INInteraction {
    /// The classes of an interaction, by which parameters travel.
    package struct Classes: Sendable {
        let intent: INIntent.Type
        let response: INIntentResponse.Type?

        /// Makes the parameter of a path; nil if the interaction has no such object.
        package func parameter(_ path: IntentParameterPath) -> INParameter? {
            switch path.owner {
            case .intent: INParameter(intent, path.path, indexes: path.indexes)
            case .response: response.map { INParameter($0, path.path, indexes: path.indexes) }
            case .unrecognized: nil
            }
        }

        /// The path of a parameter. One of another interaction has no owner.
        package func path(_ parameter: INParameter) -> IntentParameterPath {
            var owner = IntentParameterPath.Owner.unrecognized
            if parameter.belongs(to: intent) { owner = .intent }
            if let response, parameter.belongs(to: response) { owner = .response }
            return IntentParameterPath(owner, parameter.parameterKeyPath, indexes: parameter.indexes)
        }
    }

    package var classes: Classes { Classes(intent: type(of: intent), response: intentResponse.map { type(of: $0) }) }
}

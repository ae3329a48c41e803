// IntentInterface: the views of one interaction, with checks of all that the extension answers.

import ExtensionHost
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import PointMessages

/// The interface of an interaction while the host asks for its views.
struct IntentInterface {
    private let host: HostApplication
    private let identifier: String
    private let subject: IntentViewHost.Subject
    private let sizes: IntentViewHost.Sizes
    private let place: ConfigureIntentView.Place
    private let behavior: ConfigureIntentView.Behavior

    private var parts: [IntentViewSession.Part] = []
    private var failure: CallFailure?
    private var remarks: [String] = []
    private var requests: [ExtensionRequest] = []
    /// The parameters that a view displays, or that the extension hides.
    private var done: Set<IntentParameterPath> = []
    private var interaction: IntentInteraction?
    private var all: [IntentParameterPath] = []

    init(
        _ host: HostApplication, _ identifier: String, _ subject: IntentViewHost.Subject,
        _ sizes: IntentViewHost.Sizes, _ place: ConfigureIntentView.Place, _ behavior: ConfigureIntentView.Behavior
    ) {
        (self.host, self.identifier, self.subject) = (host, identifier, subject)
        (self.sizes, self.place, self.behavior) = (sizes, place, behavior)
    }

    var session: IntentViewSession {
        IntentViewSession(subject.className, parts, failure, remarks, requests)
    }

    /// Asks for all views.
    ///
    /// - Throws: errors of `IntentViewHost.show`.
    mutating func make() async throws {
        var open: ExtensionRequest? = try await begin()
        if let request = open {
            do {
                try await describe(request)
            } catch let error as ExtensionHostError where [.notSimulated, .invalidArgument].contains(error.code) {
                await IntentViewSession.end(request)
                throw error
            } catch {
                failure = try await CallFailure(error, request)
            }
        }
        // The request that has described the class is that of the first view, too.
        var wanted: [IntentParameterPath] = []
        var rest = all[...]
        var hasMethod = true
        while failure == nil, hasMethod {
            let request: ExtensionRequest
            if let opened = open { request = opened } else { request = try await begin() }
            open = nil
            do {
                hasMethod = try await configure(request, wanted)
            } catch {
                failure = try await CallFailure(error, request)
                if let path = wanted.first { parts.append(.standard(path)) }
            }
            // A view may display parameters that would be next.
            rest = rest.drop { done.contains($0) }
            guard failure == nil, hasMethod, let next = rest.popFirst() else { break }
            guard requests.count < IntentViewHost.mostViews else {
                remarks.append("the host shows no more than \(IntentViewHost.mostViews) views")
                parts.append(.standard(next))
                break
            }
            wanted = [next]
        }
        parts += rest.filter { !done.contains($0) }.map { .standard($0) }
    }

    private func begin() async throws -> ExtensionRequest { try await host.begin(identifier, items: []) }

    // MARK: The interaction

    private static func violation(_ text: String) -> ExtensionHostError {
        ExtensionHostError(.protocolViolation, "the extension answered with \(text)")
    }

    /// Asks for the properties of the class, and makes the interaction of the subject.
    private mutating func describe(_ request: ExtensionRequest) async throws {
        let reply = try await request.call(DescribeInteraction(subject.className))
        let properties = reply.parameters + reply.properties
        guard properties.count <= IntentsHost.largestList, reply.codes.count <= IntentsHost.largestList,
            properties.allSatisfy({
                $0.name.utf8.count <= 200 && ($0.type.cases?.count ?? 0) <= IntentsHost.largestList
            })
        else { throw Self.violation("too many properties or codes, or with long names") }
        let values = try read(subject.values, reply.parameters, subject.className)
        var answer: IntentAnswer?
        switch subject.response {
        case .none: break
        case .answer(let given): answer = given
        case .made(let name, let given):
            guard let code = reply.codes.first(where: { $0.name == name }) else {
                throw ExtensionHostError(
                    .invalidArgument, "\(reply.response) has no code \(name)",
                    remedy: "Use \(reply.codes.prefix(12).map(\.name).joined(separator: ", "))")
            }
            answer = IntentAnswer(
                reply.response, code: code.name, number: code.number, isSuccess: code.isSuccess,
                values: try read(given, reply.properties, reply.response), activity: nil)
        }
        let now = Date().timeIntervalSince1970
        interaction = IntentInteraction(
            identifier: UUID().uuidString,
            IntentDescription(subject.className, identifier: subject.identifier, values: values), answer,
            direction: subject.direction, start: now, end: now)
        let shown =
            reply.parameters.filter { values[$0.name] != nil }.map { IntentParameterPath(.intent, $0.name) }
            + reply.properties.filter { answer?.values[$0.name] != nil }.map { IntentParameterPath(.response, $0.name) }
        all = Array((subject.parameters ?? shown).prefix(IntentViewHost.mostParameters))
    }

    private func read(
        _ given: [String: IntentInput], _ properties: [DescribeIntent.Parameter], _ className: String
    ) throws -> [String: IntentValue] {
        var values: [String: IntentValue] = [:]
        for (name, input) in given.sorted(by: { $0.key < $1.key }) {
            guard let property = properties.first(where: { $0.name == name }) else {
                throw ExtensionHostError(
                    .invalidArgument, "\(className) has no parameter \(name)",
                    remedy: "Use \(properties.map(\.name).joined(separator: ", "))")
            }
            values[name] = try IntentConversation.value(input, property)
        }
        return values
    }

    // MARK: Views

    /// Asks for a view, and adds it to the interface.
    ///
    /// - Parameter wanted: the parameters; empty: the whole interaction.
    /// - Returns: whether the extension has a method for parameters.
    private mutating func configure(
        _ request: ExtensionRequest, _ wanted: [IntentParameterPath]
    ) async throws -> Bool {
        guard let interaction else { return false }
        let reply = try await request.call(
            ConfigureIntentView(
                wanted, of: interaction, all: all, behavior: behavior, place: place,
                least: .init(sizes.least.width, sizes.least.height), most: .init(sizes.most.width, sizes.most.height)))
        guard reply.parameters.count <= IntentViewHost.mostParameters,
            reply.parameters.allSatisfy({
                $0.path.utf8.count <= IntentViewHost.longestPath && $0.indexes.count <= IntentViewHost.mostParameters
            })
        else {
            throw Self.violation("more than \(IntentViewHost.mostParameters) parameters of a view, or with long names")
        }
        let isWhole = reply.method == .interaction
        if isWhole, reply.displaysMessage { hideMessage() }
        guard reply.isConfigured else {
            await IntentViewSession.end(request)
            if let path = wanted.first { parts.append(.standard(path)) }
            return reply.method == .parameters
        }
        let displayed = reply.parameters.filter { path in
            let isKnown = path.owner != .unrecognized
            if !isKnown { remarks.append("\(path.path) is no parameter of this interaction") }
            return isKnown
        }
        // The host does not ask again for a parameter of a view that is configured for it.
        done.formUnion(wanted + displayed)
        let (width, height) = (reply.size.width, reply.size.height)
        guard width > 0 || height > 0 else {
            await IntentViewSession.end(request)
            if !(wanted + displayed).isEmpty { parts.append(.hidden(displayed.isEmpty ? wanted : displayed)) }
            return reply.method == .parameters
        }
        let size = CGSize(
            width: bounded(width, sizes.least.width, sizes.most.width),
            height: bounded(height, sizes.least.height, sizes.most.height))
        if size.width != width || size.height != height {
            remarks.append(
                "the view wants \(Self.text(width)) × \(Self.text(height)) points, and has "
                    + "\(Self.text(size.width)) × \(Self.text(size.height))")
        }
        requests.append(request)
        parts.append(
            .view(.init(request: request, parameters: wanted, displayed: displayed, size: size, isWhole: isWhole)))
        return reply.method == .parameters
    }

    /// Hides the parameters of a message, which the view of the whole interaction shows.
    private mutating func hideMessage() {
        guard ["INSendMessageIntent", "INSearchForMessagesIntent"].contains(subject.className) else { return }
        done.formUnion(all.filter { $0.owner == .intent })
    }

    private func bounded(_ value: Double, _ least: Double, _ most: Double) -> Double {
        value.isFinite ? min(max(value, least), most) : most
    }

    private static func text(_ length: Double) -> String {
        length == length.rounded() && abs(length) < 1e9 ? "\(Int(length))" : "\(length)"
    }
}

// ExplainCommand: the verb that explains clause by clause whether an extension is offered some items.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show why an extension is offered some items, or not.",
        discussion: """
            Prints the result of each clause of the activation rule. If one attachment or one count decides, it also
            prints the change that would make the rule match. exthostctl rule eval tests a rule without a daemon.

            EXAMPLES
              exthostctl explain org.example.app.share --url https://example.org --text hello
              exthostctl explain org.example.app.share --file photo.jpg --json
            """)

    @Argument(help: ArgumentHelp("The extension's identifier.", valueName: "id"), completion: .extensions)
    var identifier: String

    @OptionGroup(title: "Payload")
    var payload: PayloadOptions

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let types = try payload.types
        let explanation = try await global.withControl { try await $0.explain(identifier, types) }
        try StandardOutput.write(global.json ? explanation.json.document : explanation.text)
    }
}

extension OfferExplanation {
    fileprivate var json: JSON {
        guard case .object(var members) = offer.json else { return .null }
        let clauses = clauses.map { clause -> JSON in
            ["clause": .string(clause.clause), "result": .boolean(clause.result), "detail": .string(clause.detail)]
        }
        members += [("clauses", .array(clauses)), ("nearMiss", .optional(nearMiss))]
        return .object(members)
    }

    fileprivate var text: String {
        var text =
            "\(printable(offer.identifier)) is \(offer.shown ? "" : "not ")offered these items: \(printable(offer.why))\n"
        for clause in clauses {
            text += String(repeating: "  ", count: min(clause.level, 20) + 1) + (clause.result ? "✓ " : "✗ ")
            text += printable(clause.clause) + (clause.detail.isEmpty ? "" : "  – \(printable(clause.detail))") + "\n"
        }
        return text
    }
}

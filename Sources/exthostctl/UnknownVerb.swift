// UnknownVerb: a first word that is no verb, with a suggestion.

import ArgumentParser
import ExtensionHostTesting
import ExtensionProtocol

struct UnknownVerb {
    let message: String
    let remedy: String

    /// Finds an unknown verb. Nil if the words are a verb, or an option stands in a verb's place.
    init?(_ arguments: [String], of root: any ParsableCommand.Type) {
        let verb = LeadingOptions.verb(of: arguments, in: root)
        var names = root.verbs
        for word in verb {
            guard let (_, command) = names.first(where: { $0.name == word }) else { return nil }
            names = command.verbs
        }
        guard !names.isEmpty, let word = arguments.dropFirst(verb.count).first, !word.hasPrefix("-"), word != "help"
        else {
            return nil
        }
        let spoken = (["exthostctl"] + verb).joined(separator: " ")
        message = verb.isEmpty ? "there is no verb “\(printable(word))”" : "\(spoken) has no verb “\(printable(word))”"
        let question = NearestNames.question(word, among: names.map(\.name)).map { $0 + " " } ?? ""
        remedy = "\(question)\(spoken) --help lists all verbs"
    }
}

extension ParsableCommand {
    fileprivate static var verbs: [(name: String, command: any ParsableCommand.Type)] {
        (configuration.ungroupedSubcommands + configuration.groupedSubcommands.flatMap(\.subcommands)).map {
            ($0.configuration.commandName ?? "", $0)
        }
    }
}

// WhichCommand: the verb that shows all copies of an extension, the one in use, and the rule that chose it.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct WhichCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "which",
        abstract: "Show all copies of an extension, the one in use, and the rule that selected it.",
        discussion: """
            The daemon uses the copy of the highest version. Among several of these, it uses the one that was registered last.

            EXAMPLE
              exthostctl which org.example.app.share
            """)

    @Argument(help: ArgumentHelp("The extension's identifier.", valueName: "id"), completion: .extensions)
    var identifier: String

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let copies = try await global.withControl {
            try await $0.extensions(matching: ["NSExtensionIdentifier=\(identifier)"], allCopies: true)
        }
        guard !copies.isEmpty else {
            throw CommandError.missing(
                "there is no extension \(identifier)", remedy: "exthostctl list -A -D lists all extensions")
        }
        let winner = copies.first(where: \.isWinner)
        if global.json {
            let answer: JSON = [
                "identifier": .string(identifier), "winner": .optional(winner?.path),
                "rule": .optional(winner?.rule.rawValue),
                "election": .string(copies[0].election.rawValue),
                "copies": .array(
                    copies.map { copy in
                        guard case .object(var members) = ListedExtension(record: copy).json else { return .null }
                        members += [("rule", .string(copy.rule.rawValue)), ("registered", .time(copy.registered))]
                        return .object(members)
                    }),
            ]
            return try StandardOutput.write(answer.document)
        }
        var text = ""
        for copy in copies.sorted(by: { $0.isWinner && !$1.isWinner }) {
            text += "\(printable(copy.prefix))    \(printable(copy.version))  \(printable(copy.path))\n"
            text += "         \(copy.rule.explanation); registered \(written(universalTime: copy.registered))\n"
            for problem in copy.problems { text += "         \(Colour.red("disabled")): \(printable(problem))\n" }
        }
        if copies[0].election == .ignore { text += "The user has switched it off: the daemon does not offer it.\n" }
        try StandardOutput.write(text)
    }
}

// MatchCommand: the verb that lists the extensions that some items are offered to.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct MatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match",
        abstract: "Show which extensions the daemon offers for some items, and why.",
        discussion: """
            The command evaluates the activation rule of each extension for the types of the attachments. exthostctl
            explain shows each clause that decided. The command uses only the names of files and does not read them.

            EXAMPLES
              exthostctl match --url https://example.org
              exthostctl match --page https://example.org --page-title Example
              exthostctl match --file photo.jpg --file song.mp3 --json
            """)

    @OptionGroup(title: "Payload")
    var payload: PayloadOptions

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let types = try payload.types
        let offers = try await global.withControl { try await $0.match(types) }
        if global.json { return try StandardOutput.write(JSON.array(offers.map(\.json)).document) }
        var table = Table("", "EXTENSION", "WHY")
        for offer in offers { table.add(offer.shown ? "✓" : "✗", offer.identifier, offer.why) }
        try StandardOutput.write(table.text(emptyNote: "There is no usable extension."))
    }
}

extension PayloadOptions {
    /// The types of the attachments that the command line names.
    var types: OfferedTypes {
        get throws {
            OfferedTypes(try Payload(parts(in: CommandLine.arguments.dropFirst())).offered)
        }
    }
}

extension OfferRecord {
    var json: JSON { ["identifier": .string(identifier), "shown": .boolean(shown), "why": .string(why)] }
}

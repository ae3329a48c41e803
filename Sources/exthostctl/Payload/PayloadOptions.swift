// PayloadOptions: the options for the shared content, in the order of the command line.

import ArgumentParser
import Scenarios

/// The options of a payload. The parser checks and explains them, but does not preserve their order: `parts(in:)` reads
/// that from the command line.
struct PayloadOptions: ParsableArguments {
    @Option(parsing: .unconditionalSingleValue, help: ArgumentHelp("Attach this text.", valueName: "text"))
    var text: [String] = []

    @Option(parsing: .unconditionalSingleValue, help: ArgumentHelp("Attach this web address.", valueName: "url"))
    var url: [String] = []

    @Option(
        parsing: .unconditionalSingleValue, help: ArgumentHelp("Attach this file.", valueName: "path"),
        completion: .file())
    var file: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Attach the bytes of a file as this type.", valueName: "type=path")
    )
    var data: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Attach the property list in this file.", valueName: "path"),
        completion: .file())
    var plist: [String] = []

    @Option(parsing: .unconditionalSingleValue, help: ArgumentHelp("Set the title of the item.", valueName: "text"))
    var title: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Attach this web page as a browser does: its address, and the results of its script if the extension's rule asks for them.",
            valueName: "url"))
    var page: [String] = []

    @Option(
        name: .customLong("page-title"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Set the title of the previous page.", valueName: "text"))
    var pageTitle: [String] = []

    @Option(
        name: .customLong("page-results"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Set the results of the script in the previous page, from a JSON file or a property list; empty without this option.",
            valueName: "path"), completion: .file())
    var pageResults: [String] = []

    @Flag(name: .customLong("item"), help: "Start the next item.")
    var itemStarts: Int

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Add the items of a property list or JSON file, in the form of run --json.", valueName: "path"),
        completion: .file())
    var items: [String] = []

    /// Whether the payload is one text and nothing else.
    var isOneText: Bool {
        text.count == 1 && itemStarts == 0
            && [url, file, data, plist, title, page, pageTitle, pageResults, items].allSatisfy(\.isEmpty)
    }

    /// Whether the payload is one file and nothing else.
    var isOneFile: Bool {
        file.count == 1 && itemStarts == 0
            && [text, url, data, plist, title, page, pageTitle, pageResults, items].allSatisfy(\.isEmpty)
    }

    /// Whether the payload is one web page and nothing else.
    var isOnePage: Bool {
        page.count == 1 && itemStarts == 0
            && [text, url, file, data, plist, title, pageTitle, pageResults, items].allSatisfy(\.isEmpty)
    }

    /// Returns the parts in `arguments`, which the parser has accepted. The value of an option stands behind it or
    /// behind `=`.
    func parts(in arguments: some Sequence<String>) -> [PayloadPart] {
        var parts: [PayloadPart] = []
        var pending: (@Sendable (String) -> PayloadPart)?
        for argument in arguments {
            if let make = pending {
                parts.append(make(argument))
                pending = nil
                continue
            }
            if argument == "--" { break }
            if argument == PayloadPart.nextItemOption { parts.append(.nextItem) }
            let words = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let make = PayloadPart.valued(String(words[0])) else { continue }
            if words.count > 1 { parts.append(make(String(words[1]))) } else { pending = make }
        }
        return parts
    }
}

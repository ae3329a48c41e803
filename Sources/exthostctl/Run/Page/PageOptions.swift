// PageOptions: the options of `run` for a web page with the extension's script.

import ArgumentParser
import PageMessages

struct PageOptions: ParsableArguments {
    @Option(
        name: .customLong("page-html"),
        help: ArgumentHelp(
            "Run the extension's script in this page, whose address is --page. Its results are sent, and finalize runs at the end.",
            valueName: "file"),
        completion: .file())
    var html: String?

    @Option(
        help: ArgumentHelp(
            "The engine that shows the page: auto takes the first that works here. exthostctl pages lists them.",
            valueName: "auto|wpe|chromium|jsc"),
        completion: .list(["auto"] + PageEngineKind.allCases.map(\.rawValue)),
        transform: { text in
            if text == "auto" { return Engine(kind: nil) }
            guard let kind = PageEngineKind(rawValue: text) else {
                throw ValidationError(
                    "“\(text)” is not an engine. Write one of: auto, \(PageEngineKind.allCases.map(\.rawValue).joined(separator: ", "))."
                )
            }
            return Engine(kind: kind)
        })
    var engine: Engine?

    @Option(
        name: .customLong("save-page"),
        help: ArgumentHelp("Write the page to this file after finalize has run.", valueName: "file"),
        completion: .file())
    var save: String?

    @Flag(
        name: .customLong("page-only"),
        help: "Send the results without the page's address. One report says that Safari does so.")
    var pageOnly = false

    struct Engine: Sendable {
        /// Nil for the first that works.
        let kind: PageEngineKind?
    }

    func validate() throws {
        let others = [("--engine", engine != nil), ("--save-page", save != nil), ("--page-only", pageOnly)]
        if html == nil, let option = others.first(where: \.1) {
            throw ValidationError("\(option.0) needs a page: add --page URL --page-html FILE.")
        }
    }
}

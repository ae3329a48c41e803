// PagesCommand: the verb that lists the engines for web pages.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import PageMessages
import PointHosts

struct PagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pages",
        abstract: "List the engines that show web pages for scripts of extensions.",
        discussion: """
            Each engine is started and tried. The order is that of auto. An engine that does not work has the reason
            and the packages to install. Exit status 1 if none works.

            EXAMPLES
              exthostctl pages
              exthostctl pages --json
            """)

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let programs = try PageHostPrograms()
        let engines = try await PageEngineSearch(programs: programs).all()
        let (layers, problems) = try programs.confinement()
        if global.json {
            try StandardOutput.write(JSON.array(engines.map(\.json)).document)
        } else {
            var table = Table("ENGINE", "SCRIPTS", "OWN WORLD", "LAYOUT", "FRAMES", "VERSION")
            for engine in engines {
                guard let facts = engine.facts else { continue }
                func word(_ fact: Bool) -> String { fact ? "yes" : "no" }
                table.add(
                    engine.kind.rawValue, word(facts.scripts), word(facts.isolatedWorld), word(facts.layout),
                    word(facts.frames), facts.version)
            }
            try StandardOutput.write(table.text(emptyNote: "No engine works here."))
            for engine in engines {
                guard let error = engine.error else { continue }
                let remedy = error.remedy.map { ". \($0)" } ?? ""
                try StandardOutput.write(printable("\(engine.kind.rawValue): \(error.message)\(remedy)") + "\n")
            }
            if !global.quiet { try StandardOutput.write("Confined by \(layers)\n") }
            for problem in problems { try StandardOutput.write(printable("Not confined by \(problem)") + "\n") }
        }
        guard engines.contains(where: { $0.facts != nil }) else { throw ExitCode(ExitStatus.notExpected) }
    }
}

extension PageEngineSearch.Found {
    fileprivate var json: JSON {
        [
            "engine": .string(kind.rawValue), "works": .boolean(facts != nil),
            "version": .optional(facts?.version),
            "scripts": facts.map { .boolean($0.scripts) } ?? .null,
            "isolatedWorld": facts.map { .boolean($0.isolatedWorld) } ?? .null,
            "layout": facts.map { .boolean($0.layout) } ?? .null,
            "frames": facts.map { .boolean($0.frames) } ?? .null,
            "reason": .optional(error?.message), "remedy": .optional(error?.remedy),
        ]
    }
}

// ConfigCommand: the verb that shows the daemon's settings, each with its source.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show the daemon's configuration.", subcommands: [Show.self],
        defaultSubcommand: Show.self)

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Print each value in force with its source, and the settings that were ignored.",
            discussion: """
                A value without a setting comes from the extension point, or is absent. Exit status 1 if a setting was ignored.

                EXAMPLES
                  exthostctl config show
                  exthostctl config show --json
                """)

        @OptionGroup(title: "Global options")
        var global: GlobalOptions

        func run() async throws {
            let report = try await global.withControl { try await $0.configuration() }
            if global.json {
                let document: JSON = [
                    "settings": .array(
                        report.settings.map {
                            ["name": .string($0.name), "value": .optional($0.value), "source": .string($0.source)]
                        }),
                    "problems": .array(
                        report.problems.map {
                            ["source": .string($0.source), "name": .optional($0.name), "message": .string($0.message)]
                        }),
                    "files": .array(report.files.map(JSON.string)),
                ]
                try StandardOutput.write(document.document)
            } else {
                var table = Table("SETTING", "VALUE", "SOURCE")
                for setting in report.settings { table.add(setting.name, setting.value ?? "-", setting.source) }
                try StandardOutput.write(table.text(emptyNote: "There are no settings."))
                for problem in report.problems { StandardError.line("exthostctl: \(printable("\(problem)"))") }
            }
            if !report.problems.isEmpty { throw ExitCode(ExitStatus.notExpected) }
        }
    }
}

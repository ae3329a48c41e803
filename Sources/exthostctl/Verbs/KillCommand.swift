// KillCommand: the verb that ends an extension from outside.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct KillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kill",
        abstract: "Kill every process of an extension or app, or one by its pid; returns when they have exited.",
        discussion: """
            Their open requests end as interrupted, cause terminatedByOperator.

            EXAMPLES
              exthostctl kill org.example.app.share
              exthostctl kill 4242
            """)

    @Argument(
        help: ArgumentHelp(
            "The identifier of an extension or app, or the pid of one of its processes.", valueName: "id"),
        completion: .extensions)
    var identifier: String

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let target: Kill.Target = Int(identifier).map { .pid($0) } ?? .identifier(identifier)
        let pids = try await global.withControl { try await $0.kill(target) }
        if global.json {
            let answer: JSON = ["killed": .array(pids.map(JSON.integer))]
            try StandardOutput.write(answer.document)
        } else if !global.quiet {
            for pid in pids { try StandardOutput.line("ended \(pid)") }
        }
    }
}

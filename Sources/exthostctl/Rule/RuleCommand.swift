// RuleCommand: the verb that evaluates one activation rule, without a daemon.

import ActivationRules
import ArgumentParser
import ExtensionHostTesting

struct RuleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rule", abstract: "Try an activation rule.",
        discussion: """
            EXAMPLE
              exthostctl rule eval --rule rule.txt --items items.json
            """,
        subcommands: [RuleEvalCommand.self])
}

struct RuleEvalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eval",
        abstract: "Evaluate an activation rule for some items, and show which clauses decided.",
        discussion: """
            The rule's file has the bare text of a predicate, or is a property list with the rule, such as an
            Info.plist. The items' file is JSON or a property list:
            {"extensionItems": [{"attachments": [{"registeredTypeIdentifiers": [TYPE, …]}]}]}.
            No daemon is needed. The exit status is 0 whether the rule matches or not, and 1 if the rule is unreadable.

            EXAMPLES
              exthostctl rule eval --rule rule.txt --items items.json
              exthostctl rule eval --rule Share.appex/Info.plist --items items.plist --json
            """)

    @Option(help: ArgumentHelp("The rule.", valueName: "file"), completion: .file())
    var rule: String

    @Option(help: ArgumentHelp("The items to evaluate the rule for.", valueName: "file"), completion: .file())
    var items: String

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let subject: RuleSubject
        do {
            subject = try RuleSubject(try ItemsRepresentation.read(items))
        } catch let error as RuleError {
            throw CommandError.usage("the rule cannot be evaluated for \(items): \(error.message)", remedy: error.hint)
        }
        let bytes = [UInt8](try InputFile(rule).data())
        // Reading and evaluating are separate, so that a failure of either can report the rule's form.
        var form = ActivationRule.Form.predicate
        do {
            let rule = try ActivationRule(file: bytes)
            form = rule.form
            let explanation = try rule.explain(subject)
            let warnings = rule.warnings(for: subject.vocabulary)
            if global.json { return try StandardOutput.write(explanation.json(warnings).document) }
            try StandardOutput.write(printable(lines: explanation.text))
            if !global.quiet {
                for warning in warnings { StandardError.line("exthostctl: " + printable(warning.written)) }
            }
        } catch let error as RuleError {
            if global.json {
                try StandardOutput.write(error.json(form: form).document)
            } else {
                StandardError.line("exthostctl: " + printable("\(self.rule): \(error)"))
            }
            throw ExitCode(ExitStatus.notExpected)
        }
    }

    private func printable(lines text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }.joined(
            separator: "\n")
    }

    private func printable(_ text: String) -> String { ExtensionHostTesting.printable(text) }
}

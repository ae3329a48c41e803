// ControlCommand: the root command with all verbs.

import ArgumentParser

struct ControlCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exthostctl",
        abstract: "Inspect an app extension daemon, and act as a host application.",
        discussion: """
            EXAMPLES
              exthostctl list
              exthostctl run org.example.app.share --url https://example.org
              exthostctl watch --since 0
              exthostctl record session.jsonl
              exthostctl with --applications ./Apps -- swift test
              exthostctl app ./Notes.app
              exthostctl lint Example.app
              exthostctl test share.scenario
              exthostctl bench ./Share.app
              exthostctl doctor

            SHELL COMPLETION
              bash  source <(exthostctl --generate-completion-script bash)
              zsh   exthostctl --generate-completion-script zsh > _exthostctl
                    in a folder of $fpath
              fish  exthostctl --generate-completion-script fish | source

            EXIT STATUS
               0  the request was completed, or the verb succeeded
              10  cancelled     11  interrupted     12  timed out     13  refused
               1  the outcome was not the expected one, a rule is unreadable, a bundle has faults, a
                   test failed, or doctor found a problem
              64  usage         66  no such extension, host, request or file
              69  no daemon     70  internal error  77  not permitted
             130  Ctrl-C        with, record, app: the command's own
            With --json an exit without a result prints {"error": {…}, "status": …}.
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(
                name: "Extensions",
                subcommands: [
                    ListCommand.self, ShowCommand.self, WhichCommand.self, AddCommand.self, RemoveCommand.self,
                    ElectCommand.self, ConsentCommand.self,
                    MatchCommand.self, ExplainCommand.self, RuleCommand.self, LintCommand.self,
                ]),
            CommandGroup(
                name: "Requests",
                subcommands: [
                    RunCommand.self, RequestsCommand.self, CancelCommand.self, LogsCommand.self, PagesCommand.self,
                    TransfersCommand.self, FilesCommand.self,
                ]),
            CommandGroup(
                name: "Processes and hosts",
                subcommands: [
                    ProcessesCommand.self, KillCommand.self, ResetCommand.self, ExitsCommand.self, HostsCommand.self,
                    HostCommand.self,
                ]),
            CommandGroup(
                name: "The daemon",
                subcommands: [
                    StatusCommand.self, DoctorCommand.self, WatchCommand.self, RecordCommand.self, ReplayCommand.self,
                    ClockCommand.self, FaultCommand.self,
                    ConfigCommand.self, StatsCommand.self,
                    WithCommand.self,
                ]),
            CommandGroup(name: "Apps", subcommands: [AppCommand.self]),
            CommandGroup(
                name: "Authors",
                subcommands: [
                    NewCommand.self, BundleCommand.self, StubCommand.self, TestCommand.self, ExploreCommand.self,
                    BenchCommand.self,
                ]),
            CommandGroup(
                name: "Not simulated", subcommands: [HoldCommand.self, ReadyCommand.self, AccessCommand.self]),
        ])
}

/// A rewriter of the command line. Global options stand before or after the verb, but the parser accepts them only
/// after it.
enum LeadingOptions {
    private static let flags: Set<String> = ["--json", "--ephemeral", "-q", "--quiet", "--user", "--system"]
    private static let valued: Set<String> = ["--socket"]

    /// Moves global options from before the verb to behind it, and behind the second word of a verb of two.
    static func moved(_ arguments: [String], of root: any ParsableCommand.Type) -> [String] {
        var rest = arguments[...]
        var leading: [String] = []
        while let option = rest.first {
            if flags.contains(option) || valued.contains(where: { option.hasPrefix($0 + "=") }) {
                leading.append(rest.removeFirst())
            } else if valued.contains(option), rest.count > 1 {
                leading += rest.prefix(2)
                rest.removeFirst(2)
            } else {
                break
            }
        }
        guard !leading.isEmpty else { return arguments }
        let verb = verb(of: rest, in: root)
        // Without a verb the parser reports what is missing.
        return verb.isEmpty ? Array(rest) : verb + leading + rest.dropFirst(verb.count)
    }

    /// Whether the results are for a program.
    ///
    /// Options after `--` belong to another program, and those after the path of `app` to the app.
    static func wantJSON(_ arguments: [String]) -> Bool {
        let isApp = arguments.first == AppCommand.configuration.commandName
        let own = arguments.prefix { $0 != "--" && !(isApp && $0.hasSuffix(".app")) }
        return own.contains("--json")
    }

    /// Returns the words of the verb at the start of `arguments`.
    static func verb(of arguments: some Sequence<String>, in root: any ParsableCommand.Type) -> [String] {
        var verb: [String] = []
        var command = root
        for word in arguments {
            guard let next = command.subcommand(named: word) else { break }
            verb.append(word)
            command = next
        }
        return verb
    }
}

extension ParsableCommand {
    fileprivate static func subcommand(named name: String) -> (any ParsableCommand.Type)? {
        let all = configuration.ungroupedSubcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
        return all.first { $0.configuration.commandName == name }
    }
}

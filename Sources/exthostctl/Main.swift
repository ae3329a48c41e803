// Main: the entry point, from the command line to an exit status.

import ArgumentParser
import Foundation

@main
struct Main {
    static func main() async {
        let arguments = LeadingOptions.moved(Array(CommandLine.arguments.dropFirst()), of: ControlCommand.self)
        let wantsJSON = LeadingOptions.wantJSON(arguments)
        do {
            var command = try ControlCommand.parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            let status = report(error, arguments)
            // The standard output of these verbs belongs to another program, once that has run.
            let ranAnother = error is ExitCode && ["app", "with"].contains(arguments.first)
            if wantsJSON, !ranAnother { writeJSON(error, status, arguments) }
            exit(status)
        }
    }

    /// Writes a JSON document for the failure, unless the verb has printed one: with `--json` every exit has a
    /// document.
    private static func writeJSON(_ error: any Error, _ status: Int32, _ arguments: [String]) {
        guard status != 0, !StandardOutput.isUsed else { return }
        let name: String
        var (message, remedy, cause) = ("", String?.none, String?.none)
        if let error = CommandError(error) {
            (name, message, remedy, cause) = (error.name, error.message, error.remedy, error.cause)
        } else if error is ExitCode {
            name = status == ExitStatus.interrupted ? "interrupted" : "failed"
            message =
                status == ExitStatus.interrupted ? "interrupted by a signal" : "the verb ended with status \(status)"
        } else {
            name = "usage"
            let unknown = UnknownVerb(arguments, of: ControlCommand.self)
            (message, remedy) = (
                unknown?.message ?? ControlCommand.message(for: error).split(separator: "\n").joined(separator: " "),
                unknown?.remedy
            )
        }
        let members: JSON = [
            "name": .string(name), "message": .string(message),
            "remedy": .optional(remedy?.isEmpty == true ? nil : remedy),
            "cause": .optional(cause),
        ]
        try? StandardOutput.write(JSON.object([("error", members), ("status", .integer(Int(status)))]).document)
    }

    /// Reports the failure to people in one line, and returns its exit status.
    private static func report(_ error: any Error, _ arguments: [String]) -> Int32 {
        if let error = CommandError(error) {
            // Faults of a file begin with its name, as a compiler's do: editors find the place by it.
            if case .faults = error {
                StandardError.line("\(error)")
            } else {
                StandardError.line("exthostctl: \(error)")
            }
            return error.exitStatus
        }
        let status = ControlCommand.exitCode(for: error)
        // An outcome that set its own status has been printed.
        if error is ExitCode { return status.rawValue }
        // The user asked for the help or the version.
        if status.isSuccess {
            print(ControlCommand.fullMessage(for: error))
            return status.rawValue
        }
        if let unknown = UnknownVerb(arguments, of: ControlCommand.self) {
            StandardError.line("exthostctl: \(unknown.message). \(unknown.remedy)")
            return status.rawValue
        }
        let message = ControlCommand.message(for: error).split(separator: "\n").joined(separator: " ")
        let verb = LeadingOptions.verb(of: arguments, in: ControlCommand.self)
        let help = (["exthostctl"] + verb + ["--help"]).joined(separator: " ")
        let end = message.hasSuffix(".") || message.hasSuffix("?") ? "" : "."
        StandardError.line("exthostctl: \(message)\(end) \(help) shows the usage")
        return status.rawValue
    }
}

// Main: from the command line to an exit status.

import ArgumentParser
import Foundation

@main
struct Main {
    static func main() async {
        let arguments = LeadingOptions.moved(Array(CommandLine.arguments.dropFirst()), of: ControlCommand.self)
        do {
            var command = try ControlCommand.parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            exit(report(error, arguments))
        }
    }

    /// Tells people what went wrong, in one line, and gives the exit status for it.
    private static func report(_ error: any Error, _ arguments: [String]) -> Int32 {
        if let error = CommandError(error) {
            // Faults of a file begin with its name, as a compiler's do: editors find the place by it.
            if case .faults = error { StandardError.line("\(error)") } else { StandardError.line("exthostctl: \(error)") }
            return error.exitStatus
        }
        let status = ControlCommand.exitCode(for: error)
        // An outcome that gave its own status has been printed.
        if error is ExitCode { return status.rawValue }
        // The help and the version are what was asked for.
        if status.isSuccess {
            print(ControlCommand.fullMessage(for: error))
            return status.rawValue
        }
        let message = ControlCommand.message(for: error).split(separator: "\n").joined(separator: " ")
        let verb = LeadingOptions.verb(of: arguments, in: ControlCommand.self)
        let help = (["exthostctl"] + verb + ["--help"]).joined(separator: " ")
        StandardError.line("exthostctl: \(message)\(message.hasSuffix(".") ? "" : ".") \(help) shows what there is")
        return status.rawValue
    }
}

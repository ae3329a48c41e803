// CancelCommand: the verb that cancels a request from outside.

import ArgumentParser
import ExtensionHost
import ExtensionProtocol

struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel a request as an operator.",
        discussion: """
            The first characters of the identifier are enough if they match one open request.

            EXAMPLE
              exthostctl cancel 4F2A91C3
            """)

    @Argument(help: ArgumentHelp("The request, as exthostctl requests shows it.", valueName: "request"))
    var request: String

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func validate() throws {
        guard request.count >= 4, request.utf8.allSatisfy({ "0123456789ABCDEFabcdef-".utf8.contains($0) }) else {
            throw ValidationError(
                "“\(request)” is not a request. Write four or more characters of an identifier from exthostctl requests."
            )
        }
    }

    func run() async throws {
        let cancelled = try await global.withControl { control in
            let identifier = try await identify(control)
            try await control.cancel(identifier)
            return identifier
        }
        if global.json {
            let answer: JSON = ["request": .string(cancelled.description)]
            try StandardOutput.write(answer.document)
        } else if !global.quiet {
            try StandardOutput.line("cancelled \(cancelled)")
        }
    }

    private func identify(_ control: DaemonControl) async throws -> RequestIdentifier {
        if let identifier = RequestIdentifier(request) { return identifier }
        let start = request.uppercased()
        let matching = try await control.requests().map(\.request).filter { $0.description.hasPrefix(start) }
        switch matching.count {
        case 0:
            throw CommandError.missing("no open request begins with \(start)", remedy: "exthostctl requests lists them")
        case 1: return matching[0]
        default:
            throw CommandError.usage(
                "\(matching.count) requests begin with \(start)", remedy: "Write more of the identifier")
        }
    }
}

// LogsCommand: the verb that shows an extension's output.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct LogsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Show the output of an extension, or the output for one request.",
        discussion: """
            The daemon stores the last 256 KiB of output of each of the 64 extensions that printed last. If a process
            serves several requests at once, each of them has its lines. The first characters of a request's identifier
            are enough. With -f, the command continues until the request has ended; for an extension, until Ctrl-C or
            the daemon's end.

            EXAMPLES
              exthostctl logs org.example.app.share
              exthostctl logs -f 4F2A91C3
            """)

    @Argument(
        help: ArgumentHelp("An extension's identifier, or a request.", valueName: "id|request"), completion: .extensions
    )
    var name: String

    @Flag(name: .shortAndLong, help: "Continue with new output.")
    var follow = false

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        try await global.withControl { control in
            var isEmpty = true
            do {
                for try await batch in control.logs(of: name, follow: follow) {
                    isEmpty = false
                    if batch.lost { StandardError.line("exthostctl: earlier lines are no longer stored") }
                    try StandardOutput.write(batch.lines.map(text).joined())
                }
            } catch let error as ExtensionHostError where error.code == .connectionLost && follow {
                if !global.quiet { StandardError.line("exthostctl: the daemon has ended") }
            }
            if isEmpty, !follow, !global.quiet {
                StandardError.line("exthostctl: the daemon has no stored output of \(printable(name))")
            }
        }
    }

    private func text(_ line: LogLine) -> String {
        let bytes = String(decoding: line.bytes, as: UTF8.self)
        if global.json {
            let json: JSON = [
                "time": .time(line.time), "extension": .string(line.extensionIdentifier), "pid": .integer(line.pid),
                "stream": .string(line.stream), "text": .string(bytes),
            ]
            return json.line + "\n"
        }
        // An extension may not control the terminal; a file gets the raw output.
        let shown = StandardOutput.isTerminal ? printable(bytes) : bytes
        let text = line.stream == "stderr" ? Colour.yellow(shown) : shown
        return
            "\(written(exactTime: line.time)) \(printable(line.extensionIdentifier))[\(line.pid)] \(line.stream): \(text)\n"
    }
}

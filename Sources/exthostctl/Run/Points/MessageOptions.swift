// MessageOptions: the options of `run` for message filters, reports and call directories.

import ArgumentParser

/// The options for a message, its server, and numbers.
struct MessageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Message filter: the text of the message. Default: a message about a prize.", valueName: "text"))
    var sms: String?

    @Option(
        name: [.customLong("from"), .customLong("sender")],
        help: ArgumentHelp(
            "Message filter, report: the sender of the message or call. Default +15555550123.", valueName: "number")
    )
    var sender: String?

    @Flag(help: "Report: report a telephone call, not a message.")
    var call = false

    @Flag(help: "Report: press Done after --tap and the other acts, as soon as the button is enabled.")
    var done = false

    @Option(
        help: ArgumentHelp(
            "Message filter: the body of the server's answer, if the filter asks its server. Without it, the server does not answer.",
            valueName: "file"),
        completion: .file())
    var serverAnswer: String?

    @Option(
        help: ArgumentHelp(
            "Call directory: look this number up in the loaded directory. Repeatable.", valueName: "number"))
    var lookup: [String] = []

    /// The options in use of message filters.
    var given: [String] {
        [("--sms", sms != nil), ("--from", sender != nil), ("--server-answer", serverAnswer != nil)].filter(\.1)
            .map(\.0)
    }

    /// The options in use of reports.
    var ofReports: [String] { [("--call", call), ("--done", done)].filter(\.1).map(\.0) }
}

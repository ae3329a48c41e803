// MessageOptions: the options of `run` for message filters and call directories.

import ArgumentParser

/// The options for a message, its server, and numbers.
struct MessageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Message filter: the text of the message. Default: a message about a prize.", valueName: "text"))
    var sms: String?

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp("Message filter: the sender. Default +15555550123.", valueName: "number")
    )
    var sender: String?

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
}

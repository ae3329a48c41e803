// MessagesAppOptions: the options of `run` for iMessage apps. --tap uses the view.

import ArgumentParser

/// The options for a conversation, and for the person's use of its input field.
struct MessagesAppOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "iMessage app: compact, expanded or transcript. Default compact; with --select expanded.",
            valueName: "style"))
    var style: String?

    @Option(
        help: ArgumentHelp(
            "iMessage app: open it by a message with this URL, which another participant has sent.",
            valueName: "url"))
    var select: String?

    @Option(
        help: ArgumentHelp(
            "iMessage app: let a message with this URL come from another participant, before --tap. Repeatable.",
            valueName: "url"))
    var incoming: [String] = []

    @Option(
        help: ArgumentHelp(
            "iMessage app: after --tap, send what is in the input field, or cancel the message there.",
            valueName: "send|cancel"))
    var field: String?

    @Flag(help: "iMessage app: show it over a photo or the camera.")
    var overMedia = false

    /// The options in use.
    var given: [String] {
        [
            ("--style", style != nil), ("--select", select != nil), ("--incoming", !incoming.isEmpty),
            ("--field", field != nil), ("--over-media", overMedia),
        ].filter(\.1).map(\.0)
    }
}

// IntentOptions: the options of `run` for intents.

import ArgumentParser

/// The options for an intent, its parameters, and the person's answers.
struct IntentOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Intents, also with interface: the class of the intent, as in IntentsSupported. Default: the first of them.",
            valueName: "class"))
    var intent: String?

    @Option(
        help: ArgumentHelp(
            "Intents, also with interface: the value of a parameter, such as content=Hello. Repeatable, also for the values of a list.",
            valueName: "name=value"))
    var param: [String] = []

    @Option(
        help: ArgumentHelp(
            "Intents: the answer to a question about a parameter: a value, the number or the name of a choice, or yes. Repeatable, in the order of the questions. Without an answer the conversation ends.",
            valueName: "name=value"))
    var reply: [String] = []

    @Flag(help: "Intents: the device is locked, so intents in IntentsRestrictedWhileLocked are refused.")
    var locked = false

    @Option(
        help: ArgumentHelp(
            "Intents with interface: the code of the response that is shown, such as ready, or none. Default success.",
            valueName: "name"))
    var code: String?

    @Option(
        help: ArgumentHelp(
            "Intents with interface: the value of a property of the response. Repeatable.", valueName: "name=value"))
    var result: [String] = []

    @Option(
        help: ArgumentHelp(
            "Intents with interface: the intents extension, by its identifier or path, that performs the intent first. Its responses are shown.",
            valueName: "extension"))
    var handler: String?

    @Option(
        name: .customLong("view-size"),
        help: ArgumentHelp(
            "Intents with interface: the largest size of a view in points. Default 375x600.", valueName: "size"))
    var viewSize: String?

    @Flag(help: "Intents with interface: the views are on a card of Maps, not among the answers of Siri.")
    var maps = false

    /// The options in use for views.
    var ofViews: [String] {
        [
            ("--code", code != nil), ("--result", !result.isEmpty), ("--handler", handler != nil),
            ("--view-size", viewSize != nil), ("--maps", maps),
        ].filter(\.1).map(\.0)
    }

    /// The options in use for steps.
    var given: [String] {
        [
            ("--intent", intent != nil), ("--param", !param.isEmpty), ("--reply", !reply.isEmpty),
            ("--locked", locked),
        ].filter(\.1).map(\.0)
    }
}

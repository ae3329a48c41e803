// IntentOptions: the options of `run` for intents.

import ArgumentParser

/// The options for an intent, its parameters, and the person's answers.
struct IntentOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Intents: the class of the intent, as in IntentsSupported. Default: the first of them.",
            valueName: "class"))
    var intent: String?

    @Option(
        help: ArgumentHelp(
            "Intents: the value of a parameter, such as content=Hello. Repeatable, also for the values of a list.",
            valueName: "name=value"))
    var param: [String] = []

    @Option(
        help: ArgumentHelp(
            "Intents: the answer to a question about a parameter: a value, the number or the name of a choice, or yes. Repeatable, in the order of the questions. Without an answer the conversation ends.",
            valueName: "name=value"))
    var reply: [String] = []

    @Flag(help: "Intents: the device is locked, so intents in IntentsRestrictedWhileLocked are refused.")
    var locked = false

    /// The options in use.
    var given: [String] {
        [
            ("--intent", intent != nil), ("--param", !param.isEmpty), ("--reply", !reply.isEmpty),
            ("--locked", locked),
        ].filter(\.1).map(\.0)
    }
}

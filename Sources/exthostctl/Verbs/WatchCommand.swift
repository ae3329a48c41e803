// WatchCommand: the event log as it grows.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print the event log: what happens from now on, or since an event.",
        discussion: """
            Times count from the first event shown. Ends with the daemon, or with Ctrl-C.

            EXAMPLES
              exthostctl watch
              exthostctl watch --since 0 --json
            """)

    @Option(help: ArgumentHelp("Begin with what the log holds after this number; 0 is all of it.", valueName: "seq"))
    var since: Int?

    @Flag(name: .customLong("no-follow"), help: "End with what the log holds now.")
    var noFollow = false

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func validate() throws {
        if let since, since < 0 { throw ValidationError("--since takes the number of an event, or 0.") }
    }

    func run() async throws {
        try await global.withControl { control in
            var timeline = Timeline(isColoured: StandardOutput.hasColour)
            var last = since
            var isStopping = false
            do {
                for try await batch in control.watch(since: since, follow: !noFollow) {
                    var text = ""
                    if let oldest = batch.oldest {
                        let gap = Self.gap(after: last ?? 0, before: oldest).line
                        text += (global.json ? gap : Timeline.gap(after: last ?? 0, before: oldest)) + "\n"
                    }
                    for event in batch.events { text += (global.json ? event.json.line : timeline.line(event)) + "\n" }
                    try StandardOutput.write(text)
                    last = batch.events.last?.sequence ?? last
                    isStopping = isStopping || batch.events.contains { $0.event == EventName.daemonStopping.rawValue }
                }
            } catch let error as ExtensionHostError where error.code == .connectionLost && isStopping {
                // It said that it was about to: this is the end of the log.
            }
        }
    }

    private static func gap(after last: Int, before oldest: Int) -> JSON {
        ["gap": ["from": .integer(last + 1), "to": .integer(oldest - 1), "count": .integer(oldest - 1 - last)]]
    }
}

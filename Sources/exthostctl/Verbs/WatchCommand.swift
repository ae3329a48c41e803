// WatchCommand: the verb that shows the event log as it grows, or from a file, and checks its consistency.

import ArgumentParser
import LogChecker
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Glibc
import LinuxSystem
import Locks

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print the event log: new events, or all events since a number.",
        discussion: """
            Times count from the first event shown. The command ends with the daemon, or with Ctrl-C.

            With --check, the command checks each event against the state machines of docs/event-log.md. It reports the
            first occurrence of each violation on standard error. The exit status is then 1, also after Ctrl-C.

            EXAMPLES
              exthostctl watch
              exthostctl watch --since 0 --json > log.jsonl
              exthostctl watch --file log.jsonl --check
            """)

    @Option(help: ArgumentHelp("Begin with the events after this number; 0 prints the whole log.", valueName: "seq"))
    var since: Int?

    @Flag(name: .customLong("no-follow"), help: "Stop at the current end of the log.")
    var noFollow = false

    @Flag(help: "Report impossible events.")
    var check = false

    @Option(help: ArgumentHelp("Read a log that --json printed, not the daemon's.", valueName: "path"))
    var file: String?

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func validate() throws {
        if let since, since < 0 { throw ValidationError("--since takes the number of an event, or 0.") }
        if file != nil, since != nil || noFollow {
            throw ValidationError("--file reads the whole file: omit --since and --no-follow.")
        }
    }

    func run() async throws {
        let violations = ViolationCount()
        var log = WatchedLog(isJSON: global.json, violations: check ? violations : nil)
        // Without --check SIGINT itself ends the program, as it ends other programs that only print. Each violation has
        // been reported at once.
        let closing = check && file == nil ? try ClosingSignals() : nil
        defer { withExtendedLifetime(closing) {} }
        closing?.begin { _ in Glibc.exit(violations.isNone ? ExitStatus.interrupted : ExitStatus.notExpected) }
        do {
            if let file {
                try log.show(file: file)
            } else {
                try await follow(&log)
            }
        } catch let error as ExtensionHostError where !violations.isNone {
            StandardError.line("exthostctl: \(printable("\(error)"))")
        }
        log.finish()
        if !violations.isNone { throw ExitCode(ExitStatus.notExpected) }
    }

    nonisolated(nonsending) private func follow(_ log: inout WatchedLog) async throws {
        var shown = log
        try await global.withControl { control in
            var last = since
            var isStopping = false
            do {
                for try await batch in control.watch(since: since, follow: !noFollow) {
                    try shown.show(batch, after: last ?? 0)
                    last = batch.events.last?.sequence ?? last
                    isStopping = isStopping || batch.events.contains { $0.event == EventName.daemonStopping.rawValue }
                }
            } catch let error as ExtensionHostError where error.code == .connectionLost && isStopping {
                // The daemon announced its stop: this is the end of the log.
            }
        }
        log = shown
    }
}

/// The number of reported violations. The thread that handles signals reads it, too.
private final class ViolationCount: Sendable {
    private let count = Atomic<Int>(0)

    var isNone: Bool { count.load(ordering: .relaxed) == 0 }

    func add() { count.add(1, ordering: .relaxed) }
}

/// A log that prints events, and checks whether they are possible.
private struct WatchedLog {
    private let isJSON: Bool
    /// The count of violations. Nil if nothing is checked.
    private let violations: ViolationCount?
    private var timeline = Timeline(isColoured: StandardOutput.hasColour)
    private var monitor = LogChecker()

    /// The largest accepted file in bytes: no person would read a larger log to its end.
    private static let largestFile = 1 << 30

    init(isJSON: Bool, violations: ViolationCount?) { (self.isJSON, self.violations) = (isJSON, violations) }

    mutating func show(_ batch: EventBatch, after last: Int) throws {
        var text = ""
        if let oldest = batch.oldest {
            let gap: JSON = [
                "gap": ["from": .integer(last + 1), "to": .integer(oldest - 1), "count": .integer(oldest - 1 - last)]
            ]
            text += (isJSON ? gap.line : Timeline.gap(after: last, before: oldest)) + "\n"
            monitor = LogChecker()
        }
        for event in batch.events { text += line(event) }
        try StandardOutput.write(text)
        for event in batch.events { judge(event) }
    }

    mutating func show(file: String) throws {
        let bytes: [UInt8]
        do {
            bytes = try readFile(file, maximumSize: Self.largestFile)
        } catch {
            throw CommandError.missing(
                "\(file) cannot be read: \(error)", remedy: "Name a file from exthostctl watch --json")
        }
        for text in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            // After dropped events, nothing from before is known any more.
            if text.hasPrefix(#"{"gap""#) || text.hasPrefix(#"{ "gap""#) {
                monitor = LogChecker()
                continue
            }
            let event = try EventRecord(line: text)
            try StandardOutput.write(line(event))
            judge(event)
        }
    }

    private mutating func line(_ event: EventRecord) -> String {
        (isJSON ? event.json.line : timeline.line(event)) + "\n"
    }

    private mutating func judge(_ event: EventRecord) {
        guard violations != nil, let violation = monitor.observe(event) else { return }
        tell(violation)
    }

    /// Reports what is missing at the end of a whole log.
    func finish() {
        guard violations != nil else { return }
        for violation in monitor.unfinished() { tell(violation) }
    }

    private func tell(_ violation: Violation) {
        violations?.add()
        StandardError.line(printable("\(violation)"))
    }
}

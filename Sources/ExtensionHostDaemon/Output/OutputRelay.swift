// OutputRelay: the relay of extensions' output to the journal, line by line, with the fields of the events around it,
// at a limited rate.

import EventLog
import EventLoop
import ExtensionProtocol
import Logging

/// The relay of output to the journal, at a limited rate for each extension.
///
/// `exthostctl logs` has every line that the daemon still holds.
@HostActor
final class OutputRelay {
    /// The message identifier of these lines, for the journal's catalogue.
    nonisolated static let messageIdentifier = "7f55e67e051d46a58ebb5029daae0477"
    /// The lines that may come at once, and the lines a second from then on.
    ///
    /// Both are below the bound that journald has for each service by itself (RateLimitBurst=).
    private nonisolated static let burst = 500
    private nonisolated static let rate = 100.0

    private struct State {
        var allowance: Allowance
        var dropped = 0
    }

    private let clock: RealClock
    private let logger: Logger
    /// The state of each ring. In the system's daemon each user's extension has its own, so no user can crowd out
    /// another's lines.
    private var states: [String: State] = [:]

    /// Relays the new lines of a log.
    ///
    /// - Parameters:
    ///   - output: the log whose lines it relays.
    ///   - clock: real time, also under a virtual clock: the journal's bound does not depend on the model's time.
    init(_ output: OutputLog, clock: RealClock, logger: Logger) {
        (self.clock, self.logger) = (clock, logger)
        output.relay = { [weak self] in self?.relay($0, $1, $2) }
    }

    private func relay(_ lines: LineAssembly.Lines, _ origin: LogLine, _ printer: OutputLog.Printer) {
        let now = clock.now
        let name = printer.ring
        var state = states[name] ?? State(allowance: Allowance(burst: Self.burst, rate: Self.rate, at: now))
        defer { states[name] = state }
        var sent = 0
        lines.each { bytes in
            guard state.allowance.take(at: now) else { return false }
            if state.dropped > 0 {
                send(
                    "\(state.dropped) lines were dropped here: exthostctl logs \(origin.extensionIdentifier) has the stored lines",
                    origin, printer)
                state.dropped = 0
            }
            send(String(decoding: bytes, as: UTF8.self), origin, printer)
            sent += 1
            return true
        }
        state.dropped += lines.count - sent
    }

    private func send(_ text: String, _ line: LogLine, _ printer: OutputLog.Printer) {
        var metadata: Logger.Metadata = [
            LogField.message: "\(Self.messageIdentifier)", LogField.event: "output", LogField.stream: "\(line.stream)",
            LogField.extension: "\(line.extensionIdentifier)", LogField.pid: "\(line.pid)",
        ]
        // An extension that serves several requests does not say which of them a line belongs to. So the line belongs
        // to none, and all of them are named.
        if !printer.story.isEmpty {
            let field = printer.story.count == 1 ? LogField.request : LogField.openRequest
            metadata[field] = .array(printer.story.map { "\($0)" })
        }
        logger.info("\(line.extensionIdentifier): \(text)", metadata: metadata)
    }
}

// RunReport: the end of a request, for scripts and for people.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

/// All data about a finished request.
struct RunReport {
    let request: RequestIdentifier
    let extensionIdentifier: String
    let outcome: RequestOutcome
    private(set) var explanation: ExtensionHostError?
    let pid: Int?
    let hostState: HostStateName?
    let timings: Timings
    /// The exit of the process. Nil while the process lives on.
    let exit: ExitRecord?
    /// The accesses that the extension was denied during the request.
    let refusals: [RefusalRecord]

    init(_ request: ExtensionRequest) async {
        self.request = request.identifier
        extensionIdentifier = request.extensionIdentifier
        outcome = await request.outcome
        explanation = await request.explanation
        pid = request.processIdentifier
        hostState = await request.hostState
        let ended = request.currentExit
        if let ended { timings = ended.timings } else { timings = await request.timings }
        exit = ended?.record
        refusals = await request.refusals
    }

    /// Adds explanations that the daemon lacks: that this command sent nothing, and that a private daemon has no log
    /// any more.
    mutating func explain(hasItems: Bool, isPrivate: Bool) {
        if !hasItems, outcome.cause == .ruleMismatch, let refusal = explanation {
            explanation = ExtensionHostError(
                refusal.code, "the request has no items, and \(extensionIdentifier) requires some",
                remedy: "Add items with --url, --text or --file; exthostctl run --help lists all options",
                cause: refusal.message)
        }
        if isPrivate, outcome.cause == .connectionLost, let loss = explanation {
            explanation = ExtensionHostError(
                loss.code, "the private daemon exited, which ended the request",
                remedy: "Begin again; exthostd printed the reason on standard error", cause: loss.cause)
        }
    }

    /// The exit status. A lost connection to the daemon is no outcome of the extension's.
    var exitStatus: Int32 {
        outcome.cause == .connectionLost ? ExtensionHostError.Code.noDaemon.exitStatus : outcome.kind.exitStatus
    }

    /// The report in the shape of `run --json` (interface, "JSON shapes").
    var json: JSON {
        get async {
            var members: [(name: String, value: JSON)] = [
                ("request", .string(request.description)), ("extension", .string(extensionIdentifier)),
                ("outcome", .string(outcome.kind.rawValue)), ("cause", .string(outcome.cause.rawValue)),
                ("pid", .optional(pid)),
                ("items", await items), ("error", await error), ("hostState", .optional(hostState?.rawValue)),
                ("expired", .boolean(exit?.expired ?? false)), ("timings", timings.json), ("exit", exit?.json ?? .null),
            ]
            if !refusals.isEmpty { members.append(("refusals", .array(refusals.map(\.json)))) }
            return .object(members)
        }
    }

    /// The returned items, if the extension returned any.
    private var items: JSON {
        get async {
            guard case .completed(let items) = outcome else { return .array([]) }
            return await .items(items)
        }
    }

    /// The extension's own error, or else the daemon's reason for ending the request.
    private var error: JSON {
        get async {
            if case .cancelled(_, let error) = outcome { return await .error(error) }
            guard let explanation else { return .null }
            return await .error(explanation)
        }
    }

    // MARK: For people

    var text: String {
        get async {
            var line = headline
            if outcome.cause.rawValue != outcome.kind.rawValue { line += " (\(outcome.cause.rawValue))" }
            line += ": \(printable(extensionIdentifier))"
            if let pid { line += ", pid \(pid)" }
            if let finished = timings.finished { line += ", \(written(seconds: finished))" }
            var text = line + "\n" + (await why)
            if case .completed(let items) = outcome {
                for (index, item) in items.enumerated() {
                    text += "  item \(index + 1)\n" + Self.lines(await .item(item), depth: 2)
                }
            }
            return text + details
        }
    }

    /// The refusals of the confinement, and the end of the process.
    private var details: String {
        var text = ""
        for refusal in refusals { text += "  refused: \(printable("\(refusal)"))\n" }
        if let exit { text += "  process \(Self.summary(exit)) after \(written(seconds: timings.exited ?? 0))\n" }
        return text
    }

    /// The lines after a driver's own report: the reason for an end that neither side chose, and the details.
    var remarks: String {
        let isChosen = [.completed, .cancelled].contains(outcome.kind)
        return (isChosen ? "" : explanation.map { "  \(printable("\($0)"))\n" } ?? "") + details
    }

    private var headline: String {
        switch outcome.kind {
        case .completed: Colour.green(outcome.kind.rawValue)
        case .cancelled: Colour.yellow(outcome.kind.rawValue)
        case .interrupted, .timedOut, .refused: Colour.red(outcome.kind.rawValue)
        }
    }

    private var why: String {
        get async {
            if let explanation { return "  \(printable("\(explanation)"))\n" }
            guard case .cancelled(_, let error) = outcome else { return "" }
            return Self.lines(["error": await .error(error)], depth: 1)
        }
    }

    /// Returns a value as an indented list. Empty and absent values are left out.
    private static func lines(_ value: JSON, depth: Int) -> String {
        guard case .object(let members) = value else { return "" }
        let indent = String(repeating: "  ", count: depth)
        var text = ""
        for (name, value) in members {
            // The error's own line shows its description already.
            if name == "NSLocalizedDescription" { continue }
            // The elements of a list are shown one by one under its name.
            var elements = [value]
            if case .array(let values) = value { elements = values }
            for element in elements { text += entry(indent + printable(name), element, depth) }
        }
        return text
    }

    private static func entry(_ name: String, _ value: JSON, _ depth: Int) -> String {
        switch value {
        case .null: return ""
        case .object(let members):
            // This object is an error.
            if members.map(\.name) == ["domain", "code", "description", "userInfo"] {
                let words = members.map { Self.summary($0.value) }
                return "\(name): \(words[2]) (\(words[0]) \(words[1]))\n" + lines(members[3].value, depth: depth + 1)
            }
            let inner = lines(value, depth: depth + 1)
            return inner.isEmpty ? "" : "\(name)\n\(inner)"
        default: return "\(name): \(summary(value))\n"
        }
    }

    private static func summary(_ value: JSON) -> String {
        if case .string(let text) = value { return printable(text) }
        return value.line
    }

    private static func summary(_ exit: ExitRecord) -> String {
        let how =
            exit.signal.map { "by signal \($0)" } ?? exit.status.map { "with status \($0)" } ?? "with unknown status"
        let peak = exit.peakMemory.map { ", \(written(bytes: $0)) at its peak," } ?? ""
        return "ended \(how) (\(exit.cause.rawValue))\(peak)"
    }
}

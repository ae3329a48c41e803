// KeyboardDriver: `run` for a keyboard: a text field, the keys that are tapped, and the edits that come of it.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import Scenarios

struct KeyboardDriver: PointDriver {
    static let point = KeyboardHost.point
    static let showsView = true
    static let takesText = true

    /// The view is shown and removed once. Keys are tapped, the mirror begins to lag, and the app clears its text.
    static let exploredCalls: [ExplorationCall] = {
        let empty = KeysContext(sequence: 1, hasText: false, before: nil, selected: nil, after: nil)
        func document(delay: Double) -> KeysDocument {
            KeysDocument(
                document: "D0C00000-0000-4000-8000-000000000001", traits: KeysTraits(), context: empty,
                settings: KeysSettings(
                    width: KeyboardHost.Settings().width, mirrorDelay: delay, needsSwitchKey: true, fullAccess: false))
        }
        var cleared = empty
        // Later than all answers to edits.
        cleared.sequence = 1 << 20
        return [
            ExplorationCall(document(delay: 0)),
            ExplorationCall(KeysAppear(), after: [1]),
            ExplorationCall(KeysTap(number: 0, place: 0), after: [2]),
            ExplorationCall(KeysTap(number: 0, place: 0), after: [2]),
            ExplorationCall(document(delay: 60), after: [1]),
            ExplorationCall(KeysChange(cleared, isMove: false), after: [1]),
            ExplorationCall(KeysDisappear(), after: [2]),
            ExplorationCall(KeysEnd(), after: [1], isLast: true),
        ]
    }()

    static var exploredHandlers: PointHandlers { KeyboardHost.textHandlers() }

    private let text: String
    private let keys: [String]
    private let words: String?
    private let traits: KeysTraits
    private let givesFullAccess: Bool
    private let isInteractive: Bool
    private let console: RunConsole

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        text = command.payload.text.first ?? ""
        keys = try command.view.acts(in: CommandLine.arguments.dropFirst()).map { act in
            guard case .tap(let key) = act else {
                throw CommandError.usage("a keyboard has only keys to tap", remedy: "Write --tap NAME, or --type WORDS")
            }
            return key
        }
        words = options.type
        var traits = KeysTraits()
        traits.isSecure = options.secure
        self.traits = traits
        givesFullAccess = options.fullAccess
        isInteractive = command.interactive
        self.console = console
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        var hasGiven = false
        if givesFullAccess, try await !host.consents(of: identifier).contains(KeyboardHost.fullAccess) {
            try await host.setConsent(KeyboardHost.fullAccess, true, of: identifier)
            hasGiven = true
        }
        let field = KeyboardHost(host, keyboard: identifier, text: text, traits: traits)
        let report: PointReport
        do {
            report = try await use(field, identifier)
        } catch {
            if hasGiven { try? await host.setConsent(KeyboardHost.fullAccess, false, of: identifier) }
            throw error
        }
        if hasGiven { try await host.setConsent(KeyboardHost.fullAccess, false, of: identifier) }
        return report
    }

    private func use(_ field: KeyboardHost, _ identifier: String) async throws -> PointReport {
        await field.focus()
        let isShown = await field.shown == .custom(identifier)
        let pid = await field.request?.processIdentifier
        var failure: String?
        if isInteractive {
            await converse(field)
        } else {
            do {
                for key in keys { try await field.tap(key) }
                if let words { try await field.type(words) }
            } catch let error as ExtensionHostError {
                failure = "\(error)"
            }
        }
        let mirror = await field.mirrors.last
        await field.close()
        let (text, selection, edits) = (await field.text, await field.selection, await field.edits)
        let remarks = await field.remarks + [failure].compactMap(\.self)
        var lines = [
            isShown
                ? "typed: \(printable(identifier))" + (pid.map { ", pid \($0)" } ?? "")
                : "the system's keyboard: \(printable(identifier)) was not shown"
        ]
        let earlier = await field.editCount - edits.count
        if earlier > 0 { lines.append("  \(earlier) earlier edits") }
        lines += edits.map { "  \(Self.words($0))" }
        let place = selection.isEmpty ? "insertion point \(selection.lowerBound)" : "selection \(selection)"
        lines.append("text    “\(printable(text))”, \(place)")
        if let mirror {
            let parts = [mirror.before, mirror.selected, mirror.after].map { $0.map { "“\(printable($0))”" } ?? "nil" }
            lines.append("mirror  before \(parts[0]), selected \(parts[1]), after \(parts[2])")
        }
        lines += remarks.map { "remark: \(printable($0))" }
        let json: [(name: String, value: JSON)] = [
            ("extension", .string(identifier)), ("shown", .boolean(isShown)), ("pid", .optional(pid)),
            ("text", .string(text)),
            ("selection", .array([selection.lowerBound, selection.upperBound].map(JSON.integer))),
            ("edits", .array(edits.map(Self.json))),
            (
                "mirror",
                [
                    "before": .optional(mirror?.before), "selected": .optional(mirror?.selected),
                    "after": .optional(mirror?.after),
                ]
            ),
            ("remarks", .array(remarks.map(JSON.string))),
        ]
        let hasFailed = failure != nil || (!isShown && !traits.isForSystemOnly)
        return PointReport(
            text: lines.joined(separator: "\n") + "\n", json: json, status: hasFailed ? ExitStatus.notExpected : 0)
    }

    private static func words(_ edit: KeysEdit) -> String {
        var words = edit.kind.rawValue
        if let text = edit.text { words += " “\(printable(text))”" }
        if let location = edit.location { words += " \(location)" }
        if let length = edit.length { words += " \(length)" }
        return words
    }

    private static func json(_ edit: KeysEdit) -> JSON {
        let members: [(name: String, value: JSON)] = [
            ("kind", .string(edit.kind.rawValue)), ("text", .optional(edit.text)),
            ("location", .optional(edit.location)), ("length", .optional(edit.length)),
        ]
        return .object(members.filter { if case .null = $0.value { false } else { true } })
    }

    /// Reads lines until `close` or the end of input.
    private func converse(_ field: KeyboardHost) async {
        let help = "tap KEY · type WORDS · next · close"
        console.line("exthostctl: \(help)")
        await console.line(printable(field.keys.joined(separator: " ")))
        for await line in TerminalSheet.standardInput() {
            let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            do {
                switch (words.first, words.count) {
                case ("close", 1): return
                case ("next", 1): await field.switchAway()
                case ("tap", 2): try await field.tap(words[1])
                case ("type", 2): try await field.type(words[1])
                default:
                    console.line("exthostctl: “\(printable(line))” is not an act: \(help)")
                    continue
                }
                await console.line("“\(printable(field.text))”")
            } catch {
                console.line("exthostctl: \(printable("\(error)"))")
            }
        }
    }
}

// WaitReport: the reason why a request waits, and the options that answer it.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

/// A message of `run` about a request without an outcome for a while, so that the terminal does not stay silent.
struct WaitReport {
    let request: ExtensionRequest
    let isDelivered: Bool
    /// Whether the outcome is known, and only the end of the process is missing.
    let isFinished: Bool
    let limit: Duration?

    /// The message: several lines without the last newline.
    var text: String {
        let name = printable(request.extensionIdentifier) + (request.processIdentifier.map { ", pid \($0)" } ?? "")
        if isFinished {
            return
                "exthostctl: \(name) still runs after 3 s. A completion handler is at work, or the process waits for another request"
        }
        guard isDelivered else {
            return "exthostctl: \(name) has no request after 3 s: its process was launched, but has sent no hello"
        }
        var lines = ["exthostctl: \(name) has not answered after 3 s"]
        let buttons = request.view.map { Self.buttons($0) } ?? []
        if let view = request.view {
            let shown = buttons.map { $0.isEnabled ? "[\(printable($0.name))]" : "(\(printable($0.name)))" }
            let title = printable(view.title ?? view.name ?? "")
            lines.append("view: " + ([title] + shown).filter { !$0.isEmpty }.joined(separator: " "))
        }
        let loads = request.loadCount
        lines.append("loads: \(loads.done) done, \(loads.open) load handlers open")
        lines.append(Self.remedy(buttons, isSheet: request.view.map(Self.hasSheet) ?? false))
        lines.append(
            limit.map {
                "it times out after \(written(seconds: $0 / .seconds(1))); --timeout sets another limit, or none"
            }
                ?? "Ctrl-C cancels the request; --timeout 10s sets a limit")
        return lines.joined(separator: "\n  ")
    }

    private typealias Button = (name: String, isEnabled: Bool, isAct: Bool)

    /// Returns the elements that can be tapped, in the order of the view. Post and Cancel of a sheet are acts.
    private static func buttons(_ view: ViewElement) -> [Button] {
        let inside = view.children.flatMap(buttons)
        switch view.kind {
        case .sheet: return inside + [("Post", view.isEnabled, true), ("Cancel", true, true)]
        case .button, .item, .row:
            guard let name = view.title ?? view.name, !name.isEmpty else { return inside }
            return [(name, view.isEnabled, false)] + inside
        default: return inside
        }
    }

    private static func hasSheet(_ view: ViewElement) -> Bool {
        view.kind == .sheet || view.children.contains(where: hasSheet)
    }

    private static func remedy(_ buttons: [Button], isSheet: Bool) -> String {
        var options = buttons.filter { $0.isEnabled && !$0.isAct }.prefix(3).map { "--tap '\(printable($0.name))'" }
        for button in buttons where button.isAct && button.isEnabled {
            options.append("--act \(button.name.lowercased())")
        }
        if isSheet { options.append("--act 'text WORDS'") }
        guard !options.isEmpty else { return "its view has nothing to tap: the extension itself has to answer" }
        return "a user can answer it: \(options.joined(separator: ", ")), or --interactive"
    }
}

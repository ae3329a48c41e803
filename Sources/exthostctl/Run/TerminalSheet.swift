// TerminalSheet: an extension's view in a terminal, which a person controls by lines of input.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import Glibc
import Locks
import Scenarios

/// A terminal that shows each view of a request, and performs the lines of standard input one after the other.
///
/// The end of input ends the acts, not the request.
final class TerminalSheet: Sendable {
    private let request: ExtensionRequest
    private let console: RunConsole
    /// The view that the terminal shows.
    private let drawn = Mutex<ViewElement?>(nil)

    init(request: ExtensionRequest, console: RunConsole) {
        self.request = request
        self.console = console
    }

    static let help = SheetAct.help + " · an empty line shows the view again"

    /// Starts drawing and reading. Both run until the request has ended.
    func start() {
        Task {
            console.line("exthostctl: \(Self.help)")
            for await view in request.views { draw(view) }
        }
        let lines = Self.standardInput()
        Task {
            // Input that is typed ahead waits for the first view.
            guard await request.view(where: { _ in true }) != nil else { return }
            for await line in lines { await obey(line) }
        }
    }

    private func draw(_ view: ViewElement) {
        drawn.withLock { drawn in
            guard view != drawn else { return }
            drawn = view
            console.line(Self.text(of: view))
        }
    }

    /// Returns the lines of standard input. A thread of its own reads them, since reading blocks. It ends with the
    /// program.
    static func standardInput() -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return lines
    }

    private func obey(_ line: String) async {
        let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true).map(String.init)
        guard let verb = words.first else {
            if let view = request.view { console.line(Self.text(of: view)) }
            return
        }
        guard let act = SheetAct(verb: verb, rest: words.count > 1 ? words[1] : "") else {
            return console.line("exthostctl: “\(printable(line))” is not an act: \(Self.help)")
        }
        do {
            if let view = try await request.use(act.action, patience: isScript ? Self.patience : .zero) { draw(view) }
        } catch {
            console.line("exthostctl: \(printable("\(error)"))")
        }
    }

    /// The time that a script's line waits for its element.
    private static let patience = Duration.seconds(3)
    /// Whether lines come from a file or another program, and not from a person.
    private let isScript = isatty(0) == 0

    // MARK: The view as text

    /// Returns the view as lines, each with a bar before it. An element that is disabled is in parentheses.
    static func text(of view: ViewElement) -> String { lines(view).map { "│ " + $0 }.joined(separator: "\n") }

    private static func lines(_ view: ViewElement) -> [String] {
        let title = printable(view.title ?? view.name ?? "")
        let text = printable(view.text ?? "")
        let inside = view.children.flatMap(lines)
        let indented = inside.map { "  " + $0 }
        switch view.kind {
        case .sheet:
            var first = text.isEmpty ? "(\(printable(view.placeholder ?? "no text")))" : text
            if let remaining = view.remaining { first += "  \(remaining) left" }
            return (title.isEmpty ? [] : [title]) + ["  " + first] + indented + [
                view.isEnabled ? "[Post] [Cancel]" : "(Post) [Cancel]"
            ]
        case .item: return ["\(title): \(view.isPending ? text + " …" : text)"]
        case .button: return [view.isEnabled ? "[\(title)]" : "(\(title))"] + indented
        case .label, .image: return (text.isEmpty ? [] : [text]) + indented
        case .text: return [view.isEnabled ? "\(text)_" : text] + indented
        case .row: return [(view.isSelected ? "✓ " : "· ") + title + (text.isEmpty ? "" : "  " + text)] + indented
        case .activity: return view.isPending ? ["working …"] : []
        case .alert: return ["! " + title] + (text.isEmpty ? [] : ["  " + text]) + indented
        default: return title.isEmpty ? inside : [title] + indented
        }
    }
}

// Figures: the time and the memory that an engine takes, for docs/performance.md.

import Glibc
import PageEngines
import PageMessages

enum Figures {
    /// Prints the figures of the engine for two pages of 58 KB.
    static func print(_ first: any PageEngine) throws {
        let html = String(
            repeating: "<p>The quick brown fox jumps over the lazy dog, and the dog sleeps on.</p>\n", count: 750)
        var times: [String] = []
        func measure(_ name: String, _ body: () throws -> Void) rethrows {
            let begin = ContinuousClock.now
            try body()
            let (seconds, attoseconds) = (ContinuousClock.now - begin).components
            times.append("\(name) \(seconds * 1000 + attoseconds / 1_000_000_000_000_000) ms")
        }
        let script = PageScript("document.body.textContent.length + ''", name: "t.js")
        try measure("first page") { try first.load(Trials.source(html)) }
        try measure("script") { _ = try first.evaluate(script, in: .extension) }
        try measure("second page") { try first.load(Trials.source(html)) }
        let processes = Descendant.all().map(\.pid)
        Swift.print(
            first.facts.engine, first.facts.version, times.joined(separator: ", "),
            "\(Descendant.memory(of: processes + [getpid()]) / 1024) MiB in \(processes.count + 1) processes")
    }
}

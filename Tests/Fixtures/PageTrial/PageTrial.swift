// PageTrial ENGINE TRIAL: one trial of a web engine, in a process of its own.
//
// It prints the reason and exits with 1 if the trial fails, and with 69 if the engine is missing.
//
// PageTrial wpe compile: reads content rule lists in JSON from standard input, with a NUL after each, and prints a line
// for each: `valid`, or WebKit's words. PageTrial wpe apply: `RuleTrials.apply`.

import Glibc
import PageEngines
import PageMessages

@main enum PageTrial {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return end("PageTrial ENGINE TRIAL", 64) }
        switch arguments[1] {
        case "wpe": run(arguments[2]) { () throws(PageFault) in try WPEEngine() }
        case "chromium": run(arguments[2]) { () throws(PageFault) in try ChromiumEngine() }
        case let name: end("there is no engine \(name)", 64)
        }
    }

    private static func run(_ name: String, _ start: () throws(PageFault) -> any PageEngine) {
        let trials: [String: (any PageEngine) throws -> Void] = [
            "dom": Trials.dom, "worlds": Trials.worlds, "frames": Trials.frames, "late": Trials.late,
            "exceptions": Trials.exceptions, "pageScripts": Trials.pageScripts, "layout": Trials.layout,
            "visibility": Trials.visibility,
            "changes": Trials.changes, "network": Trials.network, "run": Trials.printedRun,
            "hostile": Trials.hostile, "navigation": Trials.navigation, "manyFrames": Trials.manyFrames,
            "death": Trials.death,
            "secondPage": Trials.secondPage, "figures": Figures.print,
            "rules": RuleTrials.rules, "compile": RuleTrials.compile, "apply": RuleTrials.apply,
        ]
        guard let trial = trials[name] else { return end("there is no trial \(name)", 64) }
        do {
            var left: [Descendant]
            do {
                let engine = try start()
                try trial(engine)
                left = Descendant.all()
            }
            // The engine is gone: so are all processes that it had.
            for _ in 0..<6000 where !left.isEmpty {
                left.removeAll(where: \.hasEnded)
                if !left.isEmpty { usleep(10_000) }
            }
            guard left.isEmpty else { return end("processes of the engine are left: \(left.map(\.pid))", 1) }
        } catch PageFault.missing(let what, let package) {
            end("\(what) is missing: apt install \(package)", 69)
        } catch {
            end("\(error)", 1)
        }
    }

    private static func end(_ words: String, _ status: Int32) {
        print(words)
        exit(status)
    }
}

/// A failed trial.
struct TrialFailure: Error, CustomStringConvertible {
    let description: String
}

func expect<Value: Equatable>(
    _ value: Value, _ expected: Value, _ words: String = "", line: Int = #line
) throws {
    guard value != expected else { return }
    throw TrialFailure(description: "line \(line): \(words): \(value) is not \(expected)")
}

func expect(_ isTrue: Bool, _ words: String, line: Int = #line) throws {
    guard !isTrue else { return }
    throw TrialFailure(description: "line \(line): \(words)")
}

// PageSession: the answers to a host's questions, the same for every engine.

package import PageMessages
internal import PropertyListCoding

/// A page in an engine, and the script of one extension in it.
package final class PageSession {
    private let engine: any PageEngine
    /// Whether the harness is in the extension's world of the present page.
    private var hasHarness = false
    /// The URL of the present page, and the name of the last script.
    private var (page, script) = ("", "")

    package init(_ engine: any PageEngine) { self.engine = engine }

    /// Answers a question.
    package func answer(_ command: PageCommand) -> PageAnswer {
        do throws(PageFault) {
            switch command {
            case .load(let source):
                try Self.check(source.html, PageBounds.page, "the page")
                hasHarness = false
                (page, self.script) = (source.url, "")
                try engine.load(source)
                return .done(failedLoads: engine.failedLoads)
            case .run(let script, let limit): return .ending(try run(script, limit), failedLoads: engine.failedLoads)
            case .finalize(let arguments, let limit):
                return .ending(try finalize(arguments, limit), failedLoads: engine.failedLoads)
            case .evaluate(let script):
                let text = try engine.evaluate(script, in: .page)
                try Self.check(text, PageBounds.text, "the value of \(script.name)")
                return .text(text, failedLoads: engine.failedLoads)
            case .dom:
                let text = try engine.html()
                try Self.check(text, PageBounds.text, "the document")
                return .text(text, failedLoads: engine.failedLoads)
            case .facts: return .facts(engine.facts)
            }
        } catch {
            return .fault(withoutHarness(error))
        }
    }

    private static func check(_ text: String?, _ most: Int, _ what: String) throws(PageFault) {
        guard let text, text.utf8.count > most else { return }
        throw .tooLarge("\(what) has more than \(PageBounds.written(most))")
    }

    private func run(_ script: PageScript, _ limit: Double) throws(PageFault) -> PageScriptEnding {
        try Self.check(script.text, PageBounds.script, "the script \(script.name)")
        self.script = script.name
        let deadline = ContinuousClock.now + .seconds(limit)
        if !hasHarness {
            _ = try engine.evaluate(PageJavaScript.harness, in: .extension)
            hasHarness = true
        } else {
            // The object of a former script is none of this one. A constant stays, and cannot be declared again.
            try evaluate("try { \(Self.name) = undefined } catch (error) {}")
        }
        _ = try engine.evaluate(script, in: .extension)
        // By its name, because `const`, `let` and `class` make no member of the global object.
        let number = UInt32.random(in: .min ... .max)
        try evaluate("exthostHarness.run(\(Self.object), \(number));")
        return try ending(of: number, by: deadline)
    }

    private func finalize(_ arguments: String, _ limit: Double) throws(PageFault) -> PageScriptEnding {
        guard hasHarness else { return .noObject }
        let deadline = ContinuousClock.now + .seconds(limit)
        let number = UInt32.random(in: .min ... .max)
        try evaluate("exthostHarness.finalize(\(Self.object), \(PageValueText.quoted(arguments)), \(number));")
        return try ending(of: number, by: deadline)
    }

    private static let name = "ExtensionPreprocessingJS"
    private static let object = "typeof \(name) === \"undefined\" ? undefined : \(name)"

    private func evaluate(_ text: String) throws(PageFault) {
        _ = try engine.evaluate(PageScript(text, name: Self.caller), in: .extension)
    }

    private static let caller = "exthost-call.js"

    /// Waits for the harness's message about a call. Others are late, or a script's own.
    private func ending(
        of number: UInt32, by deadline: ContinuousClock.Instant
    ) throws(PageFault) -> PageScriptEnding {
        let head = "[\(number),"
        var text: String
        repeat {
            guard let message = try engine.message(until: deadline) else { return .silent }
            text = message
        } while !text.hasPrefix(head)
        text = "[" + text.dropFirst(head.count)
        let prefix = "[\"results\","
        if text.hasPrefix(prefix), text.hasSuffix("]") {
            // The harness counts units of UTF-16.
            guard text.utf8.count <= PageBounds.text else {
                throw .tooLarge("the results have more than \(PageBounds.written(PageBounds.value))")
            }
            return .results(String(text.dropFirst(prefix.count).dropLast()))
        }
        guard let message = Self.message(text) else { throw .engine("the harness sent no message of its own") }
        switch message.first {
        case "finalized" where message.count == 1: return .finalized
        case "missing" where message.count == 2: return message[1] == "object" ? .noObject : .noFunction(message[1])
        case "refused" where message.count == 2:
            if message[1].hasPrefix("too large: ") { throw .tooLarge(String(message[1].dropFirst(11))) }
            return .refused(message[1])
        case "thrown" where message.count == 6:
            throw .script(
                message: message[1], file: message[2], line: Int(message[3]) ?? 0, column: Int(message[4]) ?? 0,
                stack: message[5])
        default: throw .engine("the harness sent no message of its own")
        }
    }

    /// Reads a message whose members are texts and numbers.
    private static func message(_ text: String) -> [String]? {
        // The harness's arrays have no tag, so they get one.
        guard text.hasPrefix("["), let value = try? PageValueText.read("[\"a\"," + text.dropFirst()) else { return nil }
        return value.array?.map { $0.string ?? $0.integer.map(String.init) ?? "" }
    }

    /// Returns a fault whose stack has the script's own lines alone. WPE WebKit gives each script the page's URL.
    private func withoutHarness(_ fault: PageFault) -> PageFault {
        guard case .script(let message, let file, let line, let column, let stack) = fault else { return fault }
        let lines = stack.split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { line in
                !line.contains("exthost-harness.js") && !line.contains(Self.caller) && !line.hasPrefix("exthost")
            }
        // A script's own text is as long as it wants.
        return .script(
            message: String(message.prefix(4096)), file: file == page ? script : String(file.prefix(1024)), line: line,
            column: column,
            stack: lines.prefix(32).joined(separator: "\n"))
    }
}

// JSCEngine: JavaScriptCore, and domino for the document.

internal import CPageEngines
internal import Glibc
package import PageMessages

/// The engine that is everywhere: no page script runs, and nothing has a size.
///
/// After the start it makes no system call that a script could use.
package final class JSCEngine: PageEngine {
    package static let kind = PageEngineKind.jsc

    /// The folder of domino's files, from the package `node-domino`.
    private static let domino = "/usr/share/nodejs/domino"

    package let facts: PageFacts
    /// The units of the script with domino's files.
    private let modules: [UInt16]
    private var page: Page?

    /// One page with the functions of window.js.
    private struct Page {
        let context: JSCContext
        let message: JSCContext.Value
        let step: JSCContext.Value
        let passed: JSCContext.Value
        let html: JSCContext.Value
        let failedLoads: JSCContext.Value
    }

    package init() throws(PageFault) {
        try JSCContext.load()
        let package = PageEngineKind.jsc.packages[1]
        let folder = Self.domino + "/lib"
        let names = Self.names(in: folder).filter { $0.hasSuffix(".js") }
        guard !names.isEmpty else { throw .missing(what: "\(folder)/index.js", package: package) }
        // Each file becomes a function of what it expects around itself.
        var text = "({"
        for name in names.sorted() {
            guard let source = Self.contents("\(folder)/\(name)") else {
                throw .missing(what: "\(folder)/\(name)", package: package)
            }
            text += "\"\(name.dropLast(3))\": function (exports, require, module, global) {\(source)\n},\n"
        }
        modules = Array((text + "})").utf16)
        let version = Self.contents("\(Self.domino)/package.json")?.firstMatch(of: /"version": *"([0-9.]{1,20})/)?.1
        facts = PageFacts(
            engine: Self.kind.rawValue, version: "JavaScriptCore 4.1, domino \(version ?? "unknown")", scripts: false,
            isolatedWorld: false, layout: false, frames: false)
        // The first context starts the engine's threads and reads what it needs of the system.
        let first = try JSCContext()
        _ = try first.evaluate(PageScript("new Date(0).toLocaleString()", name: "first.js"))
        let code = exthost_refuse_system_calls()
        guard code == 0 else {
            throw .engine(
                "the system calls that the engine does not need cannot be refused: \(String(cString: strerror(code)))")
        }
    }

    package func load(_ source: PageSource) throws(PageFault) {
        page = nil
        let context = try JSCContext()
        _ = try context.call(try context.evaluate(PageJavaScript.stillness), [context.value(source.time)])
        let modules = try context.evaluate(modules, name: "domino.js")
        let addresses = try context.call(try context.evaluate(PageJavaScript.address))
        let window = try context.evaluate(PageJavaScript.window)
        let functions = try context.call(
            window,
            [
                modules, addresses, context.value(source.html), context.value(source.url),
                context.value(Double(source.width)), context.value(Double(source.height)), context.value(source.time),
            ])
        guard let message = context.member(functions, "message"), let step = context.member(functions, "step"),
            let html = context.member(functions, "html"), let failed = context.member(functions, "failedLoads"),
            let passed = context.member(functions, "passed")
        else { throw .engine("window.js lacks a function") }
        page = Page(
            context: context, message: message, step: step, passed: passed, html: html, failedLoads: failed)
    }

    private func loaded() throws(PageFault) -> Page {
        guard let page else { throw .engine("no page is loaded") }
        return page
    }

    package func evaluate(_ script: PageScript, in world: PageWorld) throws(PageFault) -> String? {
        let page = try loaded()
        let value = try page.context.evaluate(script)
        defer { page.context.drop(value) }
        return page.context.string(value)
    }

    package func message(until deadline: ContinuousClock.Instant) throws(PageFault) -> String? {
        let page = try loaded()
        // Time stands still: a timer runs at once, if its time is within the limit.
        let seconds = ContinuousClock.now.duration(to: deadline).components
        var limit = Double(seconds.seconds) * 1000 + Double(seconds.attoseconds) / 1e15
        limit += page.context.number(of: try page.context.call(page.passed))
        while true {
            let value = try page.context.call(page.message)
            if let text = page.context.string(value) { return text }
            guard ContinuousClock.now < deadline else { return nil }
            let more: Bool
            do throws(PageFault) {
                more = page.context.isTrue(try page.context.call(page.step, [page.context.value(limit)]))
            } catch {
                // An exception in a timer ends that timer alone.
                guard case .script = error else { throw error }
                continue
            }
            guard more else { return nil }
        }
    }

    package func html() throws(PageFault) -> String {
        let page = try loaded()
        guard let text = page.context.string(try page.context.call(page.html)) else {
            throw .engine("the document has no text")
        }
        return text
    }

    package var failedLoads: Int {
        guard let page, let value = try? page.context.call(page.failedLoads) else { return 0 }
        return Int(page.context.number(of: value))
    }

    // MARK: Files

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }

    private static func contents(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < 4 << 20 {
            let count = fread(&chunk, 1, chunk.count, file)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

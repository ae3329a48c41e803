// WPEEngine: pages in WPE WebKit, without a display.

internal import CPageEngines
internal import LinuxDescriptors
package import PageMessages

/// Safari's engine, loaded at run time. It has a web process and a network process, which end with it.
///
/// A process has one engine in its life.
/// The graphics libraries that it loads write caches below `HOME`, and it starts no sandbox: enclose the process.
///
/// WebKit counts the loads that it starts. It refuses web sockets, mixed contents and blocked ports without one.
package final class WPEEngine: PageEngine {
    package static var kind: PageEngineKind { .wpe }

    let engine: OpaquePointer
    /// The folder of compiled rules.
    var rules: TemporaryDirectory?

    package let facts: PageFacts

    package init() throws(PageFault) {
        var result = exthost_wpe_result()
        guard let engine = exthost_wpe_open(&result) else {
            defer { exthost_wpe_free(&result) }
            let text = Self.text(of: result)
            guard result.status == EXTHOST_WPE_MISSING else { throw .engine(text) }
            throw .missing(
                what: text, package: text.contains("fdo") ? "libwpebackend-fdo-1.0-1" : "libwpewebkit-1.1-0")
        }
        self.engine = engine
        var numbers: (UInt32, UInt32, UInt32) = (0, 0, 0)
        withUnsafeMutableBytes(of: &numbers) {
            exthost_wpe_version(engine, $0.assumingMemoryBound(to: UInt32.self).baseAddress!)
        }
        facts = PageFacts(
            engine: "wpe", version: "\(numbers.0).\(numbers.1).\(numbers.2)", scripts: true, isolatedWorld: true,
            layout: true, frames: true)
    }

    deinit {
        exthost_wpe_close(engine)
        try? rules?.remove()
    }

    package func load(_ source: PageSource) throws(PageFault) {
        try BrowserScripts.check(source)
        let clock = BrowserScripts.stillness(source)
        let html = Array(source.html.utf8)
        try perform { result in
            clock.withCString { clock in
                Self.post.withCString { post in
                    var preludes = exthost_wpe_preludes(both: clock, extension: post)
                    exthost_wpe_load(
                        engine, html, html.count, source.url, Int32(source.width), Int32(source.height), &preludes,
                        &result)
                }
            }
        }
    }

    /// Keeps WebKit's function, which a script could replace, and notes the complete DOM before any listener of the
    /// page can stop the event.
    private static let post = """
        (handlers => {
            const post = handlers.exthostPost, complete = handlers.exthostComplete, toText = String;
            const send = post.postMessage.bind(post);
            globalThis.exthostPost = text => { send(toText(text)); };
            addEventListener("DOMContentLoaded", () => { complete.postMessage(""); }, true);
        })(webkit.messageHandlers)
        """

    package func evaluate(_ script: PageScript, in world: PageWorld) throws(PageFault) -> String? {
        // WebKit takes the text up to the first NUL.
        var text = script.text
        if text.utf8.contains(0) {
            text = text.split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\\u0000")
        }
        return try perform(script) { exthost_wpe_evaluate(engine, text, world == .extension, &$0) }
    }

    package func message(until deadline: ContinuousClock.Instant) throws(PageFault) -> String? {
        let milliseconds = BrowserScripts.milliseconds(until: deadline)
        return try perform { exthost_wpe_message(engine, milliseconds, &$0) }
    }

    package func html() throws(PageFault) -> String {
        try BrowserScripts.html(of: self)
    }

    package var failedLoads: Int { exthost_wpe_failed_loads(engine) }

    @discardableResult
    func perform(
        _ script: PageScript? = nil, _ body: (inout exthost_wpe_result) -> Void
    ) throws(PageFault) -> String? {
        var result = exthost_wpe_result()
        body(&result)
        defer { exthost_wpe_free(&result) }
        switch result.status {
        case EXTHOST_WPE_DONE: return Self.text(of: result)
        case EXTHOST_WPE_NOTHING: return nil
        case EXTHOST_WPE_SCRIPT: throw WPEFault.script(Self.text(of: result), in: script)
        default: throw .engine(Self.text(of: result))
        }
    }

    private static func text(of result: exthost_wpe_result) -> String {
        let bytes = UnsafeRawBufferPointer(start: result.text, count: result.text == nil ? 0 : result.count)
        return String(decoding: bytes, as: UTF8.self)
    }
}

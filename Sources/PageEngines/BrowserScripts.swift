// BrowserScripts: scripts and checks of the engines that have a whole browser in them.

internal import PageMessages

/// The scripts that `WPEEngine` and `ChromiumEngine` give each page.
enum BrowserScripts {
    /// Returns a script that makes time, and all randomness, the same in each run. It runs in each frame before the
    /// scripts of the page.
    static func stillness(_ source: PageSource) -> String { "\(PageJavaScript.stillness.text)(\(Int64(source.time)))" }

    /// The document as HTML, as a value of JavaScript; null if it is too large. An element named `documentElement` hides
    /// the member of that name, so it is read by the prototype's getter.
    private static let html = """
        (() => {
            const of = name => Object.getOwnPropertyDescriptor(Document.prototype, name).get.call(document);
            const type = of("doctype"), element = of("documentElement");
            const text = (type ? new XMLSerializer().serializeToString(type) + "\\n" : "")
                + (element ? element.outerHTML : "");
            return text.length > \(PageBounds.text) ? null : text;
        })()
        """

    /// Returns the document as HTML.
    ///
    /// - Throws: `PageFault.tooLarge`, before the text leaves the page.
    static func html(of engine: some PageEngine) throws(PageFault) -> String {
        if let text = try engine.evaluate(PageScript(html, name: "html"), in: .extension) { return text }
        throw .tooLarge("the document has more than \(PageBounds.written(PageBounds.text))")
    }

    /// The scheme is HTTP's: a page of another one has rights over files or over the browser.
    static func check(_ source: PageSource) throws(PageFault) {
        let url = source.url.lowercased()
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw .engine("the URL of a page begins with http:// or https://, and this one is \(source.url)")
        }
        guard 1...16_384 ~= source.width, 1...16_384 ~= source.height else {
            throw .engine("a viewport of \(source.width)×\(source.height) is not between 1 and 16384 pixels")
        }
    }

    /// Returns the time that is left, rounded up, at most some days; 0 if it is over.
    static func milliseconds(until deadline: ContinuousClock.Instant) -> Int64 {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { return 0 }
        guard left < .seconds(1_000_000) else { return 1_000_000_000 }
        let (seconds, attoseconds) = left.components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }

    /// Returns the script with its name for the engine's errors, which the engine gets as a URL.
    static func named(_ script: PageScript) -> String { "\(script.text)\n//# sourceURL=\(encoded(script.name))" }

    static func encoded(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "/"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }
        return text
    }
}

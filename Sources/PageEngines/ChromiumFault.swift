// ChromiumFault: Chromium's words for an exception.

internal import PageMessages

/// The reader of `Runtime.ExceptionDetails`, whose lines and columns count from zero.
enum ChromiumFault {
    /// Makes the fault of a script.
    ///
    /// - Parameters:
    ///   - details: Chromium's details.
    ///   - script: the script that was evaluated.
    static func script(_ details: ChromiumValue, in script: PageScript) -> PageFault {
        let exception = details["exception"]
        let description = exception["description"].text
        // The description of an Error is its stack.
        let isError = exception["subtype"] == "error"
        let frame = details["stackTrace"]["callFrames"].elements.first
        let url = [frame?["url"].text, details["url"].text].compactMap { $0 }.first { !$0.isEmpty }
        let place = frame ?? details
        return .script(
            message: isError ? Self.message(in: description ?? "") : words(of: exception, description, details),
            file: url.map(name(of:)) ?? script.name,
            line: (place["lineNumber"].number ?? -1) + 1, column: (place["columnNumber"].number ?? -1) + 1,
            stack: isError ? description ?? "" : "")
    }

    private static func message(in stack: String) -> String {
        let lines = stack.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.prefix { !$0.hasPrefix("    at ") }.joined(separator: "\n")
    }

    private static func words(
        of exception: ChromiumValue, _ description: String?, _ details: ChromiumValue
    ) -> String {
        if let text = exception["value"].text ?? description { return text }
        switch exception["value"] {
        case .boolean(let value): return "\(value)"
        case .null: return exception["type"] == "undefined" ? "undefined" : "null"
        default: return details["text"].text ?? ""
        }
    }

    /// Undoes `BrowserScripts.encoded`.
    private static func name(of url: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(url.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count > 1,
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

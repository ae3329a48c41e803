// WPEFault: WebKit's words for an exception.

internal import PageMessages

/// The reader of an exception's text, `URL:LINE:COLUMN: MESSAGE`, of which any of the first three may be absent.
enum WPEFault {
    /// Makes the fault of a script.
    ///
    /// WebKit names all scripts of a document by its URL, and reports no stack. The fault has the name of the script
    /// that was evaluated.
    ///
    /// - Parameters:
    ///   - text: WebKit's text.
    ///   - script: the script that was evaluated.
    static func script(_ text: String, in script: PageScript?) -> PageFault {
        // A URL has no blank.
        let place = text.prefix { $0 != " " }
        guard place.last == ":" else {
            return .script(message: text, file: script?.name ?? "", line: 0, column: 0, stack: "")
        }
        var parts = place.dropLast().split(separator: ":", omittingEmptySubsequences: false)[...]
        var numbers: [Int] = []
        while numbers.count < 2, parts.count > 1, let last = parts.last, let number = Int(last) {
            numbers.insert(number, at: 0)
            parts.removeLast()
        }
        guard let line = numbers.first else {
            return .script(message: text, file: script?.name ?? "", line: 0, column: 0, stack: "")
        }
        let message = String(text.dropFirst(place.count + 1))
        let file = script?.name ?? parts.joined(separator: ":")
        return .script(message: message, file: file, line: line, column: numbers.count > 1 ? numbers[1] : 0, stack: "")
    }
}

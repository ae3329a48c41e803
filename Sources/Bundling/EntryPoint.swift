// EntryPoint: the search for a main in sources, and the file that replaces a missing one.

import Foundation

/// The entry point of an extension. SwiftPM on Linux needs a `main`, which an extension's sources do not have.
///
/// On Apple's systems the linker gets `-e _NSExtensionMain` instead.
enum EntryPoint {
    static let fileName = "ExtensionMain.swift"

    static let text = """
        // ExtensionMain: where this program begins. Apple's systems need no such file; exthostctl bundle wrote it, and
        // leaves it as it is.

        #if os(Linux)
            import ExtensionFoundation

            @main struct ExtensionMain { static func main() { NSExtensionMain() } }
        #endif

        """

    /// Whether one of the files is `main.swift`, has `@main` outside comments, or is not Swift. Reads files.
    ///
    /// The delegate of an app does not count: an extension on Apple's systems begins without it.
    static func exists(in sources: [String]) -> Bool {
        sources.contains { path in
            guard path.hasSuffix(".swift") else { return true }
            if path.hasSuffix("/main.swift") { return true }
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return true }
            return mains(in: text).contains(false)
        }
    }

    /// The protocols of a class that `@main` makes an app's; the source step has the same (`ObjectiveCWord`).
    private static let applicationDelegates: Set<Substring> = ["UIApplicationDelegate", "NSApplicationDelegate"]

    /// Returns, for each `@main` of a text, whether its declaration is the class of an app's delegate.
    ///
    /// The class itself names the protocol, not an extension of it. The source step has the same rule.
    static func mains(in text: String) -> [Bool] {
        guard text.contains("@main") else { return [] }
        let words = SourceWords.read(text).map(\.text)
        return words.indices.dropLast().filter { words[$0] == "@" && words[$0 + 1] == "main" }
            .map { isDelegate(words[($0 + 2)...]) }
    }

    /// Whether the first declaration is a class that names a protocol of an app's delegate.
    private static func isDelegate(_ words: ArraySlice<Substring>) -> Bool {
        let kinds: Set<Substring> = ["class", "struct", "enum", "actor", "extension", "{"]
        guard let kind = words.firstIndex(where: kinds.contains), words[kind] == "class" else { return false }
        let head = words[(kind + 1)...].prefix { $0 != "{" && $0 != "where" }
        var depth = 0
        // The words of each type behind the colon.
        var inherited: [[Substring]] = []
        for word in head {
            switch word {
            case "<", "(", "[": depth += 1
            case ">", ")", "]": depth -= 1
            case ":" where depth == 0, "," where depth == 0: inherited.append([])
            default: if let last = inherited.indices.last { inherited[last].append(word) }
            }
        }
        return inherited.contains { $0.count == 1 && applicationDelegates.contains($0[0]) }
    }

    /// Whether a source mentions names that only extensions use.
    static func isExtension(_ sources: [String]) -> Bool {
        sources.contains { path in
            guard path.hasSuffix(".swift"), let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                return false
            }
            return ["NSExtensionMain", "NSExtensionRequestHandling", "SLComposeServiceViewController"].contains {
                mentions($0, text)
            }
        }
    }

    /// Whether a text contains a word outside comments and strings, as far as can be told without a parser.
    static func mentions(_ word: String, _ text: String) -> Bool {
        var rest = text.utf8[...]
        let word = Array(word.utf8)
        func starts(_ prefix: StaticString) -> Bool {
            rest.starts(with: UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
        }
        func isNamePart(_ byte: UInt8?) -> Bool {
            guard let byte else { return false }
            return byte == 0x5F || byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
        }
        var before: UInt8?
        var depth = 0
        while let byte = rest.first {
            if starts("/*") {
                depth += 1
                rest = rest.dropFirst(2)
            } else if depth > 0 {
                if starts("*/") { depth -= 1 }
                rest = rest.dropFirst(starts("*/") ? 2 : 1)
            } else if starts("//") {
                rest = rest.drop { $0 != 0x0A }
            } else if byte == 0x22 {
                rest = rest.dropFirst()
                while let next = rest.first, next != 0x22, next != 0x0A { rest = rest.dropFirst(next == 0x5C ? 2 : 1) }
                rest = rest.dropFirst()
            } else if rest.starts(with: word), !isNamePart(before), !isNamePart(rest.dropFirst(word.count).first) {
                return true
            } else {
                before = byte
                rest = rest.dropFirst()
                continue
            }
            before = nil
        }
        return false
    }

    /// Writes the file into a folder of sources. An existing file of that name stays.
    static func write(into folder: String) throws {
        let path = folder + "/" + fileName
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
        } catch {
            throw ProjectError(
                ProjectFinding(
                    .notWritten, path, "the program's entry cannot be written: \(error.localizedDescription)",
                    remedy:
                        "Make the folder writable, or write “@main struct Main { static func main() { NSExtensionMain() } }” yourself"
                ))
        }
    }
}

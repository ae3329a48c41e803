// TargetIntents: the Swift file that a target's definitions of intents become, as Xcode generates it.

import Foundation
import Glibc
import LinuxSystem

/// The classes of a target's definitions. The author's files stay unchanged: the file stands in the build.
struct TargetIntents {
    /// The ending of the name of a definition.
    static let ending = ".intentdefinition"
    static let fileName = "GeneratedIntents.swift"
    private static let sourceLimit = 4 << 20

    let definition: IntentDefinition
    let findings: [ProjectFinding]
    /// The text of the file; nil if there is nothing to generate.
    let text: String?

    /// Reads a target's definitions, if it has any.
    init(_ target: XcodeTarget) {
        self.init(
            definitions: target.definitions.map(\.path), sources: target.swiftSources.map(\.path))
    }

    /// - Parameters:
    ///   - definitions: the paths of the definitions.
    ///   - sources: the paths of the target's Swift sources, whose types are not generated.
    init(definitions: [String], sources: [String]) {
        guard !definitions.isEmpty else {
            (definition, findings, text) = (IntentDefinition(), [], nil)
            return
        }
        var reader = IntentDefinitionReader(declared: Self.declared(in: sources))
        reader.read(definitions)
        definition = reader.definition
        findings = reader.findings
        text = definition.isEmpty ? nil : IntentSwiftWriter(definition).text
    }

    /// The modules that the file imports.
    var imports: Set<String> { text == nil ? [] : ["ExtensionFoundation", "Intents"] }

    /// Returns the types that sources declare at their top, with their files.
    static func declared(in sources: [String]) -> [String: String] {
        var found: [String: String] = [:]
        for source in sources {
            guard let bytes = try? readFile(source, maximumSize: sourceLimit) else { continue }
            for name in declared(in: SourceWords.read(String(decoding: bytes, as: UTF8.self))) {
                found[name] = found[name] ?? source
            }
        }
        return found
    }

    private static func declared(in words: [SourceWord]) -> [String] {
        let kinds: Set<Substring> = ["class", "struct", "enum", "protocol", "actor", "typealias"]
        var found: [String] = []
        var depth = 0
        for (word, next) in zip(words, words.dropFirst()) {
            switch word.text {
            case "{": depth += 1
            case "}": depth -= 1
            case _ where depth == 0 && kinds.contains(word.text): found.append(String(next.text))
            default: continue
            }
        }
        return found
    }
}

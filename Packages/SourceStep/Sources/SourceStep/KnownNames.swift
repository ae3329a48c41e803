// KnownNames: the names in compiled modules and in folders of sources.

import Foundation

/// Says of a name whether something may declare it. Reads files, and compiles and parses none of them.
struct KnownNames {
    private let modules: [Data]
    private let sources: [Data]

    init(modules: [String], sources: [String]) {
        self.modules = modules.compactMap { FileManager.default.contents(atPath: $0) }
        self.sources = sources.flatMap { folder in
            (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
                .filter { $0.hasSuffix(".swift") }.sorted().compactMap {
                    FileManager.default.contents(atPath: "\(folder)/\($0)")
                }
        }
    }

    /// - Parameter isMember: a member counts as known if its name stands anywhere in the sources.
    func contains(_ name: String, isMember: Bool) -> Bool {
        // A compiled module has its identifiers as texts that end with a zero.
        if modules.contains(where: { $0.range(of: Data([0] + name.utf8 + [0])) != nil }) { return true }
        let name = Data(name.utf8)
        return sources.contains { source in
            var start = source.startIndex
            while let found = source.range(of: name, in: start..<source.endIndex) {
                start = found.upperBound
                let isWord =
                    !Self.isNamePart(source[..<found.lowerBound].last)
                    && !Self.isNamePart(source[found.upperBound...].first)
                if isWord, isMember || Self.isDeclaration(source[..<found.lowerBound]) { return true }
            }
            return false
        }
    }

    private static let keywords = ["class", "struct", "enum", "protocol", "actor", "typealias", "func", "var", "let"]
        .map { Data("\($0) ".utf8) }

    private static func isDeclaration(_ before: Data) -> Bool { keywords.contains { before.suffix($0.count) == $0 } }

    private static func isNamePart(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return byte == 0x5F || byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }
}

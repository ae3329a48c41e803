// BridgedImports: the modules that a target's headers, or modules of Apple's systems, import for its Swift sources.

import Foundation
import LinuxSystem

/// The imports of headers. All of a target's Swift sources see them, without an import of their own.
struct BridgedImports {
    static let fileName = "GeneratedImports.swift"
    private static let (headerLimit, importsLimit) = (1 << 20, 100)

    /// The names of the modules, sorted.
    let modules: [String]

    /// - Parameters:
    ///   - target: the target, with its headers.
    ///   - frameworks: those of the project that are not built. What their headers import counts, too.
    ///   - root: the folder of relative paths.
    ///   - implied: modules that the sources use by the import of another one, as UIKit, on Apple's systems.
    ///   - hasModule: whether there is a module of this name. Others are ignored, as Objective-C is.
    init(
        _ target: XcodeTarget, _ frameworks: [XcodeTarget] = [], root: String, implied: Set<String>,
        hasModule: (String) -> Bool
    ) {
        let found = Self.imports(of: target, frameworks, root: root).union(implied)
        modules = found.subtracting([target.moduleName]).filter(hasModule).sorted()
    }

    /// Returns the names that a target's headers import, also by the headers of frameworks that are not built.
    static func imports(of target: XcodeTarget, _ frameworks: [XcodeTarget], root: String) -> Set<String> {
        var found: Set<String> = []
        var (queue, seen): ([XcodeTarget], Set<String>) = ([target], [target.identifier])
        while let next = queue.popLast() {
            let names = imports(of: next, root: root)
            found.formUnion(names)
            queue += frameworks.filter { names.contains($0.moduleName) && seen.insert($0.identifier).inserted }
        }
        return found
    }

    private static func imports(of target: XcodeTarget, root: String) -> Set<String> {
        var headers: [String] = []
        if let path = target.value("SWIFT_OBJC_BRIDGING_HEADER") {
            headers.append(
                ProjectPaths.actual(ProjectPaths.standardized(path.hasPrefix("/") ? path : "\(root)/\(path)")))
        }
        if target.kind == .framework {
            headers += target.headers.filter { $0.name == "\(target.moduleName).h" }.map(\.path)
        }
        return headers.reduce(into: []) { found, header in
            guard let bytes = try? readFile(header, maximumSize: headerLimit) else { return }
            found.formUnion(imports(in: String(decoding: bytes, as: UTF8.self)))
        }
    }

    /// Returns the frameworks in `#import <Name/…>`, `#include <Name/…>` and `@import Name;`.
    static func imports(in header: String) -> Set<String> {
        var found: Set<String> = []
        for line in header.split(whereSeparator: \.isNewline) where found.count < importsLimit {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
                .replacingOccurrences(of: "# ", with: "#")
            let name: Substring
            if words.hasPrefix("@import ") {
                name = words.dropFirst("@import ".count).prefix { $0 != ";" && $0 != "." }
            } else if words.hasPrefix("#import") || words.hasPrefix("#include"), let open = words.firstIndex(of: "<"),
                let slash = words[open...].firstIndex(of: "/")
            {
                name = words[words.index(after: open)..<slash]
            } else {
                continue
            }
            if BuildSettings.isName(name) { found.insert(String(name)) }
        }
        return found
    }

    /// The text of the file; nil if there is nothing to import.
    var text: String? {
        guard !modules.isEmpty else { return nil }
        // An exported import of one file holds for all files of its module.
        return
            "// GeneratedImports: the imports of the target's headers, and of the modules that it imports. Made by "
            + "exthostctl bundle, and replaced each time.\n\n" + modules.map { "@_exported import \($0)\n" }.joined()
    }
}

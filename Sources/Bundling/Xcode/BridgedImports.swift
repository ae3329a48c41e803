// BridgedImports: the modules that a target's headers, or UIKit on Apple's systems, import for its Swift sources.

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
    ///   - root: the folder of relative paths.
    ///   - implied: modules that the sources use by UIKit's import on Apple's systems.
    ///   - hasModule: whether there is a module of this name. Others are ignored, as Objective-C is.
    init(_ target: XcodeTarget, root: String, implied: Set<String>, hasModule: (String) -> Bool) {
        var headers: [String] = []
        if let path = target.value("SWIFT_OBJC_BRIDGING_HEADER") {
            headers.append(
                ProjectPaths.actual(ProjectPaths.standardized(path.hasPrefix("/") ? path : "\(root)/\(path)")))
        }
        if target.kind == .framework {
            headers += target.headers.filter { $0.name == "\(target.moduleName).h" }.map(\.path)
        }
        var found: Set<String> = implied
        for header in headers {
            guard let bytes = try? readFile(header, maximumSize: Self.headerLimit) else { continue }
            found.formUnion(Self.imports(in: String(decoding: bytes, as: UTF8.self)))
        }
        modules = found.subtracting([target.moduleName]).filter(hasModule).sorted()
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
            "// GeneratedImports: the imports of the target's header, and of UIKit. Made by exthostctl bundle, and replaced each "
            + "time.\n\n" + modules.map { "@_exported import \($0)\n" }.joined()
    }
}

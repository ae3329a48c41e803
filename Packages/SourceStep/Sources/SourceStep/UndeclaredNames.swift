// UndeclaredNames: what sources use and nobody declares, as far as a parser can tell: what missing modules would have.

import Foundation
import SwiftSyntax

struct UndeclaredNames {
    let uses: [StepReport.Use]

    init(_ result: SourceStep.Result, _ description: StepDescription) {
        let declared = result.scans.reduce(into: Set<String>()) { $0.formUnion($1.declared) }
        let known = KnownNames(modules: description.knownModules ?? [], sources: description.knownSources ?? [])
        var answers: [String: Bool] = [:]
        var uses: [StepReport.Use] = []
        for scan in result.scans {
            let finder = UseFinder(scan.file)
            for (name, place) in finder.found where !declared.contains(name) {
                if answers[name] == nil { answers[name] = known.contains(name) }
                if answers[name] == true { continue }
                uses.append(StepReport.Use(name: name, file: scan.file.path, line: place.line))
            }
        }
        self.uses = uses
    }
}

/// Types, and functions and values that are not members of something.
private final class UseFinder: SyntaxVisitor {
    private(set) var found: [(name: String, place: Place)] = []
    private let file: ParsedFile

    init(_ file: ParsedFile) {
        self.file = file
        super.init(viewMode: .sourceAccurate)
        walk(file.tree)
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        add(node.name)
        return .visitChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        let isMember = node.parent?.as(MemberAccessExprSyntax.self)?.declName.id == node.id
        let isCalled = node.parent?.is(FunctionCallExprSyntax.self) == true
        if !isMember, isCalled || node.baseName.text.first?.isUppercase == true { add(node.baseName) }
        return .visitChildren
    }

    private func add(_ token: TokenSyntax) {
        guard case .identifier(let name) = token.tokenKind, name.first?.isLetter == true else { return }
        found.append((name, file.place(token)))
    }
}

/// The names in compiled modules and in folders of sources.
private struct KnownNames {
    private let modules: [Data]
    private let sources: [Data]

    init(modules: [String], sources: [String]) {
        self.modules = modules.compactMap { FileManager.default.contents(atPath: $0) }
        self.sources = sources.flatMap { folder in
            (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
                .filter { $0.hasSuffix(".swift") }.sorted().compactMap { FileManager.default.contents(atPath: "\(folder)/\($0)") }
        }
    }

    /// A compiled module has its identifiers as texts that end with a zero.
    func contains(_ name: String) -> Bool {
        if modules.contains(where: { $0.range(of: Data([0] + name.utf8 + [0])) != nil }) { return true }
        let words = ["class", "struct", "enum", "protocol", "actor", "typealias", "func", "var", "let"]
        return sources.contains { source in
            var start = source.startIndex
            while let found = source.range(of: Data(name.utf8), in: start..<source.endIndex) {
                start = found.upperBound
                let before = source[..<found.lowerBound].suffix(12)
                guard
                    words.contains(where: {
                        before.starts(with: Data($0.utf8)) || before.suffix($0.utf8.count + 1) == Data("\($0) ".utf8)
                    })
                else { continue }
                let after = found.upperBound < source.endIndex ? source[found.upperBound] : 0x20
                if after != 0x5F, !(0x30...0x39).contains(after), !(0x41...0x5A).contains(after & 0xDF) { return true }
            }
            return false
        }
    }
}

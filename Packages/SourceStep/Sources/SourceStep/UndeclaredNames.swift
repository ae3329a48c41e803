// UndeclaredNames: what sources use and nobody declares, as far as a parser can tell: what missing modules would have.

import SwiftSyntax

struct UndeclaredNames {
    private let known: KnownNames
    private let declared: Set<String>
    private var answers: [String: Bool] = [:]

    /// - Parameter results: what all targets of the description declare counts for each of them.
    init(_ results: [SourceStep.Result], _ description: StepDescription) {
        known = KnownNames(modules: description.knownModules ?? [], sources: description.knownSources ?? [])
        declared = results.flatMap(\.scans).reduce(into: []) { $0.formUnion($1.declared) }
    }

    mutating func uses(in result: SourceStep.Result) -> [StepReport.Use] {
        var uses: [StepReport.Use] = []
        for scan in result.scans {
            for use in UseFinder(scan.file).found where !declared.contains(use.name) {
                let isKnown = answers[use.written] ?? known.contains(use.name, isMember: use.isMember)
                answers[use.written] = isKnown
                guard !isKnown else { continue }
                uses.append(StepReport.Use(name: use.written, file: scan.file.path, line: use.place.line))
            }
        }
        return uses
    }
}

/// Types, called functions and members.
private final class UseFinder: SyntaxVisitor {
    struct Use {
        var name: String
        var isMember: Bool
        var place: Place
        /// A member has a dot in front.
        var written: String { isMember ? "." + name : name }
    }

    private(set) var found: [Use] = []
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
        if isMember || isCalled || node.baseName.text.first?.isUppercase == true {
            add(node.baseName, isMember: isMember)
        }
        return .visitChildren
    }

    private func add(_ token: TokenSyntax, isMember: Bool = false) {
        guard case .identifier(let name) = token.tokenKind, name.first?.isLetter == true else { return }
        found.append(Use(name: name, isMember: isMember, place: file.place(token)))
    }
}

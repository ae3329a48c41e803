// Imports: which modules a file imports, and whether its copy imports the kit, too.

import SwiftSyntax

struct Imports {
    struct Import {
        /// The first part of the path.
        var module: String
        var place: Place
        var isConditional: Bool
    }

    let all: [Import]
    /// Whether the file mentions what Apple's Foundation has and Linux's FoundationNetworking.
    let usesNetwork: Bool

    init(_ file: ParsedFile) {
        let finder = ImportFinder(file)
        all = finder.found
        usesNetwork = file.tree.tokens(viewMode: .sourceAccurate).contains { token in
            guard case .identifier(let name) = token.tokenKind else { return false }
            return Self.network.contains(name)
        }
    }

    static let networkModule = "FoundationNetworking"

    private static let network: Set<String> = [
        "URLSession", "URLSessionConfiguration", "URLSessionTask", "URLSessionDataTask", "URLSessionDownloadTask",
        "URLSessionUploadTask", "URLSessionDelegate", "URLSessionTaskDelegate", "URLSessionDataDelegate",
        "URLSessionDownloadDelegate", "URLRequest", "NSURLRequest", "NSMutableURLRequest", "URLResponse",
        "HTTPURLResponse", "CachedURLResponse", "URLCache", "URLProtocol", "URLCredential", "URLCredentialStorage",
        "URLProtectionSpace", "URLAuthenticationChallenge", "HTTPCookie", "HTTPCookieStorage",
    ]

    static let kit = "ExtensionFoundation"
    /// The kit's module of logs.
    static let log = "OSLog"

    /// Modules that on Apple's systems bring no Foundation.
    private static let bare: Set<String> = [
        "Swift", "Darwin", "Glibc", "Musl", "Dispatch", "OSLog", "simd", "Testing", "RegexBuilder", "Observation",
        "Synchronization",
        "SQLite3", "zlib",
    ]

    /// On Apple's systems nearly every module brings Foundation, and with it what the kit has here.
    var bringsFoundation: Bool { all.contains { !Self.bare.contains($0.module) } }
    var hasKit: Bool { imports(Self.kit) }

    func imports(_ module: String) -> Bool { all.contains { $0.module == module } }
}

private final class ImportFinder: SyntaxVisitor {
    private(set) var found: [Imports.Import] = []
    private let file: ParsedFile
    private var depth = 0

    init(_ file: ParsedFile) {
        self.file = file
        super.init(viewMode: .sourceAccurate)
        walk(file.tree)
    }

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        depth += 1
        return .visitChildren
    }
    override func visitPost(_ node: IfConfigDeclSyntax) { depth -= 1 }

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let name = node.path.first?.name.text else { return .skipChildren }
        let module = name == "os" ? Imports.log : name
        found.append(Imports.Import(module: module, place: file.place(node), isConditional: depth > 0))
        return .skipChildren
    }

    // An import stands at the top of a file.
    override func visit(_ node: MemberBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

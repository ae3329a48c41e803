// Imports: which modules a file imports, and whether its copy imports the kit, too.

import SwiftSyntax

struct Imports {
    struct Import {
        /// The first part of the path.
        var module: String
        /// The bytes of that part.
        var range: Range<Int>
        var place: Place
        var isConditional: Bool
    }

    let all: [Import]
    /// Whether the file mentions what Apple's Foundation has and Linux's FoundationNetworking, or loads an address
    /// without it.
    let usesNetwork: Bool
    /// Whether the file mentions a property that Linux's FoundationNetworking does not let it set.
    let waitsForConnectivity: Bool
    /// Whether the file makes a configuration of a background session.
    let usesBackground: Bool
    /// Whether the file mentions what Apple's Foundation has of the keychain and of Core Foundation.
    let usesKeychain: Bool

    init(_ file: ParsedFile) {
        let finder = ImportFinder(file)
        all = finder.found
        let names = file.tree.tokens(viewMode: .sourceAccurate).filter { token in
            if case .identifier = token.tokenKind { true } else { false }
        }
        usesNetwork = names.contains { Self.network.contains($0.text) } || AddressLoads.are(in: file.tree)
        waitsForConnectivity = names.contains { $0.text == "waitsForConnectivity" }
        usesKeychain = names.contains { token in
            Self.coreFoundation.contains(token.text) || Self.keychain.contains { token.text.hasPrefix($0) }
        }
        usesBackground = names.contains { token in
            let next = token.nextToken(viewMode: .sourceAccurate)
            let isCall =
                token.text == "background" && next?.text == "("
                && next?.nextToken(viewMode: .sourceAccurate)?.text == "withIdentifier"
            return isCall || token.text.hasPrefix("backgroundSessionConfiguration")
        }
    }

    static let networkModule = "FoundationNetworking"
    /// The kit's module of background sessions, which has all of the former.
    static let transfersModule = "BackgroundTransfers"

    /// Returns the module with the names of the network, for all files of a target. They have to have the same classes.
    ///
    /// - Parameter others: scans of the targets that are built with this one: a session of theirs may have a delegate of
    ///   this one.
    static func network(of scans: [FileScan], _ others: [FileScan], _ target: StepDescription.Target) -> String {
        func use(_ scan: FileScan) -> Bool { scan.imports.usesBackground || scan.imports.imports(transfersModule) }
        if scans.contains(where: { $0.imports.imports(transfersModule) }) { return transfersModule }
        let isThere = target.transfers ?? target.knows(transfersModule)
        let counted = target.transfers == true ? scans + others : scans
        return isThere && counted.contains(where: use) ? transfersModule : networkModule
    }

    /// A property that may be set, for a file that does so. It has no effect: FoundationNetworking does not wait.
    static let waiting = """
        extension URLSessionConfiguration {
            @_disfavoredOverload fileprivate var waitsForConnectivity: Bool { get { false } set {} }
        }

        """

    /// The edits that make the file import that module in place of the other one.
    func edits(for network: String, in bytes: [UInt8]) -> [Edit] {
        guard network != Self.networkModule else { return [] }
        return all.filter { $0.module == Self.networkModule }.map { .replace($0.range, in: bytes, with: network) }
    }

    /// Whether the file has to import the module of the network. A file without imports has those of a header of its
    /// module.
    var lacksNetwork: Bool {
        usesNetwork && (bringsFoundation || all.isEmpty) && !imports(Self.networkModule)
            && !imports(Self.transfersModule)
    }

    /// The kit's module of the keychain, which Apple's Foundation brings along.
    static let keychainModule = "Security"

    /// Whether the file has to import the module of the keychain.
    var lacksKeychain: Bool { usesKeychain && bringsFoundation && !imports(Self.keychainModule) }

    private static let keychain = [
        "kSec", "errSec", "SecItem", "SecCode", "SecStaticCode", "SecRandom", "SecCopyError", "kCFBoolean",
    ]
    private static let coreFoundation: Set<String> = [
        "CFString", "CFDictionary", "CFMutableDictionary", "CFTypeRef", "CFArray", "CFData", "CFError", "OSStatus",
        "CFStringEncoding", "CFStringConvertIANACharSetNameToEncoding",
    ]

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
        guard let name = node.path.first?.name else { return .skipChildren }
        let module = name.text == "os" ? Imports.log : name.text
        found.append(
            Imports.Import(module: module, range: name.range, place: file.place(node), isConditional: depth > 0))
        return .skipChildren
    }

    // An import stands at the top of a file.
    override func visit(_ node: MemberBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

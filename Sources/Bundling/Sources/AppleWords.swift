// AppleWords: the search, without a parser, for names in sources that only Apple's systems know.

import Foundation
import LinuxSystem

/// A cheap check that decides whether the source step runs at all.
///
/// It may report too much, and ignores comments and texts. A project without these words never builds the step's tool.
enum AppleWords {
    static let objectiveC = [
        "@objc", "@objcMembers", "@nonobjc", "@IBOutlet", "@IBAction", "@IBSegueAction", "@IBInspectable",
        "@IBDesignable", "@GKInspectable", "@NSManaged", "@UIApplicationMain", "@NSApplicationMain", "#selector",
        "NSSecureCoding", "#keyPath",
    ]
    /// Groups of texts. A source with all texts of a group may compile only with Objective-C or an earlier SDK.
    private static let older = [
        ["& NSCoding"], ["NSCoding &"], ["as Any]", "attachments"],
        ["import IdentityLookup", "switch ", ".allow", ".filter"],
    ]
    /// The methods of an item provider that sources call by `AnyObject`.
    private static let ofProvider = [
        "hasItemConformingToTypeIdentifier", "loadItem", "loadObject", "canLoadObject", "registeredTypeIdentifiers",
        "loadDataRepresentation", "loadFileRepresentation",
    ]
    /// The names that belong to Foundation on Apple's systems, and to the kit on Linux.
    static let foundation = [
        "NSExtensionContext", "NSExtensionItem", "NSExtensionRequestHandling", "NSItemProvider", "NSFileCoordinator",
        "NSFilePresenter", "NSDataDetector", "NSUserActivity", "NSEC_PER_SEC", "NSEC_PER_MSEC", "Selector",
        "NSSelectorFromString", "sel_registerName", "detachNewThreadSelector", "localized", "autoreleasepool",
        "bookmarkData", "resolvingBookmarkData", "NSMutableAttributedString", "NSLinguisticTagger",
        "NSKeyValueObservation", "willChangeValue", "classForCoder",
    ]
    /// The kinds of folders for which Foundation's searches know no container.
    static let folders = [
        "documentDirectory", "libraryDirectory", "cachesDirectory", "applicationSupportDirectory",
    ]
    /// The names that belong to Foundation on Apple's systems, and to FoundationNetworking on Linux.
    static let network = [
        "URLSession", "URLSessionConfiguration", "URLRequest", "NSMutableURLRequest", "URLResponse", "HTTPURLResponse",
        "URLCache", "HTTPCookie", "HTTPCookieStorage",
    ]
    /// The calls that load a file or an address, without a session.
    private static let loads = ["Data", "String", "NSArray", "NSDictionary"].map { "\($0)(contentsOf:" }
    /// The openings of names of the keychain, which belong to Foundation on Apple's systems.
    private static let keychain = ["kSecClass", "kSecAttr", "kSecValue", "SecItem", "SecCode", "SecRandomCopyBytes"]
    /// The words of a configuration of a background session.
    private static let background = ["withIdentifier", "backgroundSessionConfiguration"]
    /// The modules that include the kit.
    private static let kit = ["ExtensionFoundation", "UIKit", "Social", "ExtensionHost", "ExtensionHostTesting"]
    private static let sizeLimit = 4 << 20

    /// Returns the first file of a target that needs the step; nil if none does. Reads files.
    static func first(in sources: [String]) -> String? {
        var applicationMain: String?
        for path in sources where path.hasSuffix(".swift") {
            guard let bytes = try? readFile(path, maximumSize: sizeLimit) else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            if appear(in: text) { return path }
            if applicationMain == nil, EntryPoint.mains(in: text).contains(true) { applicationMain = path }
        }
        // The step removes the `@main` of an app's delegate if the target has another entry.
        return applicationMain.flatMap { EntryPoint.exists(in: sources) ? $0 : nil }
    }

    static func appear(in text: String) -> Bool {
        func has(_ word: String) -> Bool { text.contains(word) && EntryPoint.mentions(word, text) }
        if objectiveC.contains(where: has) || folders.contains(where: has) || importsAnotherName(text) { return true }
        if older.contains(where: { $0.allSatisfy(text.contains) }) { return true }
        if text.contains("as AnyObject)"), ofProvider.contains(where: text.contains) { return true }
        if text.contains(": UI") || text.contains(": NS"), makesGeneric(text) { return true }
        // A controller's own initializer is reachable only through the class's table.
        let hasOwn = text.replacing("override init() {", with: "").contains(" init() {")
        if hasOwn || has("convenience init()"), text.contains("import UIKit") || text.contains("import Social") {
            return true
        }
        if text.contains("os(iOS)"), !text.contains("os(Linux)") { return true }
        // The text of an NSURL is optional on Apple's systems.
        if has("NSURL"), has("absoluteString") { return true }
        let hasTransfers = text.contains("import \(KitModules.transfers)")
        if !hasTransfers, !text.contains("import FoundationNetworking") {
            if network.contains(where: has) { return true }
            // The step looks whether the data is that of the URL.
            if text.contains("URL(string:"), loads.contains(where: text.contains) { return true }
        }
        if keychain.contains(where: text.contains), !text.contains("import \(KitModules.keychain)") { return true }
        // Another module has background sessions.
        if !hasTransfers, background.contains(where: text.contains),
            SourceOutline(SourceWords.read(text), holds: { _ in true }).usesBackground
        {
            return true
        }
        return !kit.contains { has($0) && text.contains("import \($0)") } && foundation.contains(where: has)
    }

    /// Whether a text has `T()` of a parameter `<T: UIView>`.
    private static func makesGeneric(_ text: String) -> Bool {
        text.matches(of: #/[<,] *([A-Z]\w*) *: *(?:UI|NS)/#).contains { text.contains("\($0.1)()") }
    }

    /// Whether a text has a line like `import os` or `import UIKit.UIView`.
    ///
    /// The kit's module of logs is named OSLog, and modules have no parts on Linux.
    private static func importsAnotherName(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { line in
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "import"), place < words.count - 1, words[0].first != "/" else {
                return false
            }
            let isPart = words[place + 1].contains(".")
            return isPart || ["os", "Darwin"].contains(words[place + 1])
        }
    }
}

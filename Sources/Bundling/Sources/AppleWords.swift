// AppleWords: whether sources have words that only Apple's systems know, seen without a parser.

import Foundation
import LinuxSystem

/// A cheap look that decides whether the source step runs at all. It may see too much, and sees nothing in comments and
/// texts: a project without these words never builds the step's tool.
enum AppleWords {
    static let objectiveC = [
        "@objc", "@objcMembers", "@nonobjc", "@IBOutlet", "@IBAction", "@IBSegueAction", "@IBInspectable",
        "@IBDesignable", "@GKInspectable", "@NSManaged", "@UIApplicationMain", "@NSApplicationMain", "#selector",
        "NSSecureCoding", "#keyPath",
    ]
    /// What Foundation has on Apple's systems, and on Linux the kit.
    static let foundation = [
        "NSExtensionContext", "NSExtensionItem", "NSExtensionRequestHandling", "NSItemProvider", "NSFileCoordinator",
        "NSFilePresenter", "NSDataDetector", "NSUserActivity", "NSEC_PER_SEC", "NSEC_PER_MSEC", "Selector",
        "NSSelectorFromString", "sel_registerName", "detachNewThreadSelector", "localized", "autoreleasepool",
        "bookmarkData", "resolvingBookmarkData", "NSMutableAttributedString",
    ]
    /// What it has there, and on Linux FoundationNetworking.
    static let network = [
        "URLSession", "URLSessionConfiguration", "URLRequest", "NSMutableURLRequest", "URLResponse", "HTTPURLResponse",
        "URLCache", "HTTPCookie", "HTTPCookieStorage",
    ]
    /// Modules that bring the kit.
    private static let kit = ["ExtensionFoundation", "UIKit", "Social", "ExtensionHost", "ExtensionHostTesting"]
    private static let sizeLimit = 4 << 20

    /// Whether one of the files needs the step. Reads files.
    static func appear(in sources: [String]) -> Bool {
        sources.contains { path in
            guard path.hasSuffix(".swift"), let bytes = try? readFile(path, maximumSize: sizeLimit) else {
                return false
            }
            return appear(in: String(decoding: bytes, as: UTF8.self))
        }
    }

    static func appear(in text: String) -> Bool {
        func has(_ word: String) -> Bool { text.contains(word) && EntryPoint.mentions(word, text) }
        if objectiveC.contains(where: has) || importsAnotherName(text) { return true }
        // A controller's own, which only the class's table leads to.
        if has("convenience init()"), text.contains("import UIKit") || text.contains("import Social") { return true }
        if text.contains("os(iOS)"), !text.contains("os(Linux)") { return true }
        if !text.contains("import FoundationNetworking"), network.contains(where: has) { return true }
        return !kit.contains { has($0) && text.contains("import \($0)") } && foundation.contains(where: has)
    }

    /// Whether a line is like `import os` or `import UIKit.UIView`: the kit's module of logs is named OSLog, and modules
    /// have no parts on Linux.
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

// DaemonSourceTests: the daemon forwards calls by names that property lists give it, and knows no extension point.

import ExtensionPoints
import Foundation
import Testing

@Suite struct DaemonSourceTests {
    /// The targets of which the daemon consists, apart from the points' property lists.
    private static let targets = [
        "exthostd", "ExtensionHostDaemon", "ExtensionHostModel", "ExtensionRegistry", "ExtensionProtocol",
        "ExtensionWire", "ExtensionConnection", "EventLog", "EventLoop",
    ]

    /// Apple's frameworks, with and without a module here.
    private static let frameworks = [
        "UIKit", "Social", "SafariServices", "QuartzCore", "CoreGraphics", "CoreServices", "MobileCoreServices",
        "Photos", "PhotosUI", "FileProvider", "NetworkExtension", "CoreSpotlight", "AudioToolbox", "CoreAudioKit",
        "UserNotificationsUI", "Intents", "IntentsUI", "CallKit", "IdentityLookup", "IdentityLookupUI",
        "AuthenticationServices",
        "QuickLook", "QuickLookThumbnailing", "FinderSync", "ReplayKit", "XcodeKit", "BackgroundTransfers",
    ]

    private let points = PointTable().points

    /// The extension points, frameworks and calls that a text names.
    private func named(in text: String) -> Set<String> {
        var found = Set(text.matches(of: /com\.apple\.[A-Za-z.-]*/).map { "\($0.output)" })
        // Entitlements are of all extension points.
        found = found.filter { !$0.hasPrefix("com.apple.security.") }
        let names = points.map(\.identifier) + points.compactMap(\.framework) + Self.frameworks
        let calls = points.filter { $0.framework != nil }.flatMap { $0.messages.accepts + $0.messages.sends }
        let words = Set(text.matches(of: /[A-Za-z][A-Za-z0-9.-]*[A-Za-z0-9]/).map { "\($0.output)" })
            // The name of this framework is a word of the language, so only its import names it.
            .filter { $0 != "Messages" || text.contains("import Messages\n") }
        // A comment may have a call as its example.
        return found.union(words.intersection(names)).union(calls.filter { text.contains("\"\($0)\"") })
    }

    @Test(arguments: targets) func noSourceOfTheDaemonNamesAPointOrAFramework(target: String) throws {
        // This file is Tests/ExtensionPointsTests/DaemonSourceTests.swift.
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/\(target)")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path))
        var count = 0
        for case let file as String in files where file.hasSuffix(".swift") {
            count += 1
            let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            #expect(named(in: text) == [], "\(target)/\(file)")
        }
        #expect(count > 0)
    }

    @Test(
        arguments: [
            ("case \"com.apple.widget-extension\": break", ["com.apple.widget-extension"]),
            ("let prefix = \"com.apple.\"", ["com.apple."]), ("\"com.apple.unheard-of\"", ["com.apple.unheard-of"]),
            ("import NotificationCenter", ["NotificationCenter"]), ("/// As UIKit does.", ["UIKit"]),
            ("if name == \"today.performUpdate\" {", ["today.performUpdate"]), ("/// Such as today.performUpdate.", []),
            ("let key = \"com.apple.security.network.client\"", []), ("Socially, my UIKits", []),
        ] as [(String, Set<String>)])
    func aNameIsFound(text: String, names: Set<String>) { #expect(named(in: text) == names) }
}

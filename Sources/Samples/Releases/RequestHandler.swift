// RequestHandler: shares the pages of a project's releases. Each look shows one release more, until all are shown.

import SafariServices

final class RequestHandler: NSObject, NSExtensionRequestHandling {
    private static let releases = ["1.0", "1.1", "2.0"]
    /// The date of the first release; the others follow day by day.
    private static let first = Date(timeIntervalSince1970: 1_700_000_000)

    func beginRequest(with context: NSExtensionContext) {
        // The defaults are in the extension's container, and outlive its process.
        let shown = min(UserDefaults.standard.integer(forKey: "shown") + 1, Self.releases.count)
        UserDefaults.standard.set(shown, forKey: "shown")
        let items = Self.releases.prefix(shown).enumerated().map { number, version in
            let item = NSExtensionItem()
            item.userInfo = [
                "uniqueIdentifier": version, "urlString": "https://example.org/releases/\(version)",
                "date": Self.first.addingTimeInterval(Double(number) * 86_400), "displayName": "Example",
            ]
            item.attributedTitle = NSAttributedString(string: "Release \(version)")
            item.attributedContentText = NSAttributedString(string: "The changes since the release before")
            return item
        }
        context.completeRequest(returningItems: items, completionHandler: nil)
    }
}

@main struct Main { static func main() { NSExtensionMain() } }

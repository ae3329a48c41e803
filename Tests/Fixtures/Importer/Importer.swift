// Importer: a Spotlight import extension that does what the file says.

import CoreSpotlight
import Glibc

final class Importer: CSImportExtension {
    override func update(_ attributes: CSSearchableItemAttributeSet, forFileAt contentURL: URL) throws {
        let text = try String(contentsOf: contentURL, encoding: .utf8)
        let words = text.split(separator: " ").map(String.init)
        switch words.first {
        case "throw": throw CocoaError(.fileReadCorruptFile)
        case "die": exit(3)
        case "hang": while true { pause() }
        case "many":
            for number in 0..<600 {
                guard let key = CSCustomAttributeKey(keyName: "org_example_\(number)") else { continue }
                attributes.setValue(number as NSNumber, forCustomKey: key)
            }
        case "large": attributes.textContent = String(repeating: "word ", count: 1 << 20)
        case "thumbnail": attributes.thumbnailURL = URL(fileURLWithPath: "/nowhere/thumbnail.png")
        case "change":
            try Data("changed".utf8).write(to: contentURL)
            attributes.title = contentURL.lastPathComponent
        default: attributes.title = text
        }
        attributes.contentDescription = "\(attributes.contentType ?? "-") \(attributes.displayName ?? "-")"
    }
}

/// A class of another kind.
final class Stranger: NSObject {}

/// An extension that has not overridden the method.
final class Unwritten: CSImportExtension {}

@main struct Main { static func main() { NSExtensionMain() } }

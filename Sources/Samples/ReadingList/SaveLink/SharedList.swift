// SharedList: the reading list's place in the app group, as its extension writes it.

import UIKit
import UniformTypeIdentifiers

enum SharedList {
    private static let group = "group.org.exthost.samples.reading"

    static func add(_ link: URL, note: String, audience: String) {
        guard let defaults = UserDefaults(suiteName: group) else { return NSLog("%@", "no group \(group)") }
        defaults.set(link.absoluteString, forKey: "link")
        defaults.set(note, forKey: "note")
        defaults.set(audience, forKey: "audience")
        // The app resets this flag once it has read the list.
        defaults.set(true, forKey: "isNew")
    }
}

extension NSExtensionContext {
    /// Returns the first attachment of any item that conforms to `type`.
    func firstAttachment(conformingTo type: UTType) -> NSItemProvider? {
        inputItems.compactMap { $0 as? NSExtensionItem }.flatMap { $0.attachments ?? [] }
            .first { $0.hasItemConformingToTypeIdentifier(type.identifier) }
    }
}

// As the interface page has it.
// swift-format-ignore-file
import Foundation
import ExtensionFoundation
import UniformTypeIdentifiers

final class ShareLink: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {
        let items = context.inputItems.compactMap { $0 as? NSExtensionItem }
        guard let provider = items.flatMap({ $0.attachments ?? [] })
            .first(where: { $0.hasItemConformingToTypeIdentifier(UTType.url.identifier) }) else {
            return context.cancelRequest(withError: CocoaError(.userCancelled))
        }
        provider.loadItem(forTypeIdentifier: UTType.url.identifier, options: nil) { value, error in
            let result = NSExtensionItem()
            result.userInfo = ["shared": (value as? URL)?.absoluteString ?? "nothing"]
            context.completeRequest(returningItems: [result]) { expired in print("expired:", expired) }
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }

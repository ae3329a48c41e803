// CancelWithError: a Share extension that cancels with an error for each item.

import ExtensionFoundation
import Foundation

final class CancelWithError: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {
        let refused = CocoaError(.fileReadUnknown) as NSError
        var errors: [NSExtensionItem: NSError] = [:]
        for item in context.inputItems.compactMap({ $0 as? NSExtensionItem }) { errors[item] = refused }
        let error = NSError(
            domain: "org.exthost.samples", code: 7,
            userInfo: [NSLocalizedDescriptionKey: "This sample always cancels.", NSExtensionItemsAndErrorsKey: errors])
        context.cancelRequest(withError: error)
    }
}

@main struct Main { static func main() { NSExtensionMain() } }

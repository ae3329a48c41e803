// TranslateHandler: an Action extension without a view: translates text, or the selection that a page's script found.

import Foundation
import UIKit
import UniformTypeIdentifiers

final class TranslateHandler: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {
        let items = context.inputItems.compactMap { $0 as? NSExtensionItem }
        let providers = items.flatMap { $0.attachments ?? [] }
        let page = providers.first { $0.hasItemConformingToTypeIdentifier(UTType.propertyList.identifier) }
        if let page { return translate(page: page, context) }
        let text = providers.first { $0.hasItemConformingToTypeIdentifier(UTType.plainText.identifier) }
        guard let text else { return context.cancelRequest(withError: CocoaError(.featureUnsupported)) }
        text.loadItem(forTypeIdentifier: UTType.plainText.identifier, options: nil) { value, error in
            guard let text = value as? String else {
                return context.cancelRequest(withError: error ?? CocoaError(.featureUnsupported))
            }
            let answer = NSString(string: Words.translated(text))
            Self.finish(context, NSItemProvider(item: answer, typeIdentifier: UTType.plainText.identifier))
        }
    }

    /// Translates the selection of a page.
    ///
    /// The page's script returned a dictionary, and receives one when the request is complete.
    private func translate(page: NSItemProvider, _ context: NSExtensionContext) {
        page.loadItem(forTypeIdentifier: UTType.propertyList.identifier, options: nil) { value, error in
            let results = (value as? [String: Any])?[NSExtensionJavaScriptPreprocessingResultsKey] as? [String: Any]
            guard let results else { return context.cancelRequest(withError: error ?? CocoaError(.featureUnsupported)) }
            let arguments: [String: Any] = [
                "address": results["baseURI"] ?? "", "bgColor": "red",
                "translation": Words.translated(results["selection"] as? String ?? ""),
            ]
            let answer: [String: Any] = [NSExtensionJavaScriptFinalizeArgumentKey: arguments]
            Self.finish(context, NSItemProvider(item: answer, typeIdentifier: UTType.propertyList.identifier))
        }
    }

    private static func finish(_ context: NSExtensionContext, _ provider: NSItemProvider) {
        let item = NSExtensionItem()
        item.attachments = [provider]
        context.completeRequest(returningItems: [item])
    }
}

@main struct Main { static func main() { NSExtensionMain() } }

// TutorialShare: a share extension that leaves an address for its app, with the calls of a public tutorial; for tests.

import ExtensionFoundation
import Foundation

class ShareViewController: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {
        let providers = context.inputItems.compactMap { $0 as? NSExtensionItem }.flatMap { $0.attachments ?? [] }
        guard let provider = providers.first(where: { $0.hasItemConformingToTypeIdentifier("public.url") }) else {
            return context.cancelRequest(withError: CocoaError(.userCancelled))
        }
        provider.loadItem(forTypeIdentifier: "public.url", options: nil) { item, _ in
            let userDefaults = UserDefaults(suiteName: "group.cn.vimfung.ShareExtensionDemo")
            userDefaults?.setValue((item as? URL)?.absoluteString, forKey: "share-url")
            // Marks it as new.
            userDefaults?.set(true, forKey: "has-new-share")

            let groupURL = FileManager.default.containerURL(
                forSecurityApplicationGroupIdentifier: "group.cn.vimfung.ShareExtensionDemo")
            if let fileURL = groupURL?.appendingPathComponent("demo.txt") {
                try? "abc".write(to: fileURL, atomically: true, encoding: .utf8)
            }
            let manager = FileManager.default
            let support = try? manager._url(
                for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
            let result = NSExtensionItem()
            result.userInfo = [
                "group": groupURL?.path ?? "none", "home": NSHomeDirectory(), "temporary": NSTemporaryDirectory(),
                "library": manager._urls(for: .libraryDirectory, in: .userDomainMask).first?.path ?? "none",
                "caches": _NSSearchPathForDirectoriesInDomains(.cachesDirectory, .userDomainMask, true).first ?? "none",
                "support": support?.path ?? "none",
                "tilde": _NSSearchPathForDirectoriesInDomains(.documentDirectory, .userDomainMask, false).joined(),
            ]
            context.completeRequest(returningItems: [result], completionHandler: nil)
        }
    }
}

@main struct Main {
    static func main() { NSExtensionMain() }
}

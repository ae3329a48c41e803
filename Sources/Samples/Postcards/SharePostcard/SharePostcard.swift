// SharePostcard: a Share extension that loads its app's framework. Every system with extensions has frameworks.

import ExtensionFoundation
import Foundation
import Glibc

final class SharePostcard: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {
        // dlopen(3) puts the program's folder in place of $ORIGIN.
        guard dlopen("$ORIGIN/../../Frameworks/PostcardKit.framework/PostcardKit", RTLD_NOW) != nil,
            let type = NSClassFromString("PostcardKit.Postcard") as? any LosslessStringConvertible.Type
        else { return context.cancelRequest(withError: CocoaError(.executableLoad)) }
        let result = NSExtensionItem()
        let text = (context.inputItems.first as? NSExtensionItem)?.attributedContentText?.string
        result.userInfo = ["postcard": type.init(text ?? "Ada")?.description ?? ""]
        context.completeRequest(returningItems: [result])
    }
}

@main struct Main { static func main() { NSExtensionMain() } }

// EchoExtension: returns what it gets: the smallest work there is.

import ExtensionFoundation
import Foundation

final class EchoExtension: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) { context.completeRequest(returningItems: context.inputItems) }
}

@main struct Main { static func main() { NSExtensionMain() } }
